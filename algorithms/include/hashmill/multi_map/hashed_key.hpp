#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <hashmill/key_conversion.hpp>

namespace hashmill {

/// A key with its hash in the table in which it is looked up: `ref.hasher()(key)`. The hash
/// function that the table was given does not do, since the table uses another of its family. A
/// `ref()` takes a HashedKey in place of a key. It serves callers that need the hash earlier, to
/// prefetch, or look a key up more than once.
template <class Key>
struct HashedKey {
  Key key;
  std::uint64_t hash;
};

/// A key, its hash, and the place in a table where a look-up begins: a bucket, a window or the
/// like. A moved-from table has no such place.
template <class Key>
struct HomedKey : HashedKey<Key> {
  std::uint64_t home;
};

/// A HomedKey with a number that tells what, at that place, a look-up begun earlier will compare
/// first.
template <class Key>
struct CandidateKey : HomedKey<Key> {
  unsigned candidate;
};

namespace detail {

/// Whether a sought key can equal a key of type `Key`. False for numbers that this type cannot
/// hold.
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

/// A key with its hash in the table of `ref`, which the caller may already know. `can_be_key` must
/// hold for the key.
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

/// A key with its hash and home in the table of `ref`. The caller may already know either or both.
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

/// Whether a look-up has nowhere to begin: the table cannot contain the key, or was moved from.
/// Costs nothing where the caller already knows the home.
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
