#pragma once

#include <hashmill/bloom_filter/ref.hpp>
#include <hashmill/join_filter/detail/key_bitmap.hpp>

namespace hashmill {

namespace detail {

/// A Bloom filter that also knows the least and the greatest of its keys, as kernels see it. Keys
/// beyond them cost no access to memory.
template <class Key, class Hash>
class BoundedBloomRef : public BloomFilterRef<Key, Hash> {
  using Bloom = BloomFilterRef<Key, Hash>;

 public:
  BoundedBloomRef() = default;
  BoundedBloomRef(const Bloom& bloom, const KeyBounds& bounds) : Bloom(bloom), bounds_(bounds) {}

  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool contains(const SearchKey& key) const {
    if (is_nowhere<Bloom>(*this, key)) return false;
    const HashedKey<Key>& known = hashed<Bloom>(*this, key);
    return is_within(known.key) && Bloom::contains(known);
  }
  /// Rows that match nothing are not added.
  template <class SearchKey = Key>
  KOKKOS_FORCEINLINE_FUNCTION void add(const SearchKey& key) const {
    const HashedKey<Key>& known = hashed<Bloom>(*this, key);
    if (!is_alone(known.key)) Bloom::add(known);
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_within(const Key& key) const {
    if constexpr (NumberKey<Key>::exists) {
      if (!NumberKey<Key>::is_null(key)) {
        const std::uint64_t number = ordered_bits(NumberKey<Key>::of(key));
        if (number < bounds_.least || number > bounds_.greatest) return false;
      }
    }
    return !is_alone(key);
  }

  KeyBounds bounds_;
};

}  // namespace detail

/// A JoinFilter as kernels see it: trivially copyable, owns nothing. Valid until its filter is
/// changed, moved or destroyed. Any number of threads may call it at once.
template <class Key, class Hash>
class JoinFilterRef {
 public:
  using key_type = Key;

  /// Lets no key through. JoinFilter::ref() makes the others.
  JoinFilterRef() = default;
  /// A bitmap, as JoinFilter makes it.
  explicit JoinFilterRef(const detail::KeyBitmapRef<Key>& bitmap) : bitmap_(bitmap) {}
  /// A Bloom filter, likewise.
  explicit JoinFilterRef(const detail::BoundedBloomRef<Key, Hash>& bloom) : bloom_(bloom) {}

  /// Returns false only for keys that match no key of the filter. Reads one word of a bitmap, or
  /// one block of a Bloom filter, at random. A `SearchKey` is a Key, or a key that is compared with
  /// it by value.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool may_contain(const SearchKey& key) const {
    return bitmap_.is_vacant() ? bloom_.contains(key) : bitmap_.contains(key);
  }

  /// Calls `use` on the host with the kind of set that the filter is, so that a kernel need not ask
  /// for each key.
  template <class Use>
  void with_set(const Use& use) const {
    if constexpr (detail::NumberKey<Key>::exists) {
      if (!bitmap_.is_vacant()) {
        use(bitmap_);
        return;
      }
    }
    use(bloom_);
  }

 private:
  detail::KeyBitmapRef<Key> bitmap_;
  detail::BoundedBloomRef<Key, Hash> bloom_;
};

}  // namespace hashmill
