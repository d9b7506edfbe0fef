#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <hashmill/key_conversion.hpp>

namespace hashmill {

/// A key with its hash, by the function of the table that it is looked up in, `ref.hasher()(key)`
/// (not by what the table was given, which is another of its family): what a `ref()` takes in place
/// of a key from callers that need the hash before, to ask for memory early, or look a key up more
/// than once.
template <class Key>
struct HashedKey {
  Key key;
  std::uint64_t hash;
};

/// A key, its hash, and where in a table a look-up begins: a bucket, a window or the like, which a
/// table that was moved from has none of.
template <class Key>
struct HomedKey : HashedKey<Key> {
  std::uint64_t home;
};

/// As HomedKey, with the number there of what a look-up begun earlier will compare first.
template <class Key>
struct CandidateKey : HomedKey<Key> {
  unsigned candidate;
};

namespace detail {

/// Whether a key that is looked up can be one of a table's keys, of type `Key`: false for numbers
/// that these cannot hold.
template <class Key, class SearchKey>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr bool can_be_key(const SearchKey& key) {
  if constexpr (std::derived_from<SearchKey, HashedKey<Key>>) {
    return true;
  } else if constexpr (require_comparable<Key, SearchKey>()) {
    return KeyConversion<Key, SearchKey>::fits(key);
  } else {
    return false;
  }
}

/// A key with its hash in the table of `ref`, which a caller may know; it must be one that
/// `can_be_key`.
template <class Ref, class SearchKey>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION decltype(auto) hashed(const Ref& ref,
                                                                const SearchKey& key) {
  using Key = typename Ref::key_type;
  using Conversion = KeyConversion<Key, SearchKey>;
  if constexpr (std::derived_from<SearchKey, HashedKey<Key>>) {
    return (key);
  } else if constexpr (Conversion::allowed) {
    const Key alone = Conversion::cast(key);
    return HashedKey<Key>{alone, ref.hasher()(alone)};
  } else {
    return HashedKey<Key>{};  // `can_be_key` refuses it
  }
}

/// A key with its hash and home in the table of `ref`, of which a caller may know both already.
template <class Ref, class SearchKey>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HomedKey<typename Ref::key_type> homed(
    const Ref& ref, const SearchKey& key) {
  using Key = typename Ref::key_type;
  if constexpr (std::derived_from<SearchKey, HomedKey<Key>>) {
    return key;
  } else if constexpr (std::derived_from<SearchKey, HashedKey<Key>>) {
    return {key, ref.home_of_hash(key.hash)};
  } else {
    return homed(ref, hashed(ref, key));
  }
}

/// Whether a look-up of a key has nowhere to begin: it cannot be one of the table's, or the table
/// was moved from. Costs nothing where the caller knows the place.
template <class Ref, class SearchKey>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_nowhere(const Ref& ref, const SearchKey& key) {
  using Key = typename Ref::key_type;
  if constexpr (std::derived_from<SearchKey, HomedKey<Key>>) {
    return false;
  } else {
    return ref.is_vacant() || !can_be_key<Key>(key);
  }
}

}  // namespace detail

}  // namespace hashmill
