#pragma once

#include <cstdint>

namespace hashmill {

/// A key with its hash, by the hash function of the table that it is looked up in: what a `ref()`
/// takes in place of a key from callers that need the hash before, to ask for memory early, or
/// look a key up more than once.
template <class Key>
struct HashedKey {
  Key key;
  std::uint64_t hash;
};

/// A key, its hash, and the place in a table where a look-up begun earlier will compare first.
template <class Key, class Place>
struct CandidateKey : HashedKey<Key> {
  Place place;
};

}  // namespace hashmill
