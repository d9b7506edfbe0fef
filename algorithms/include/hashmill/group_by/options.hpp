#pragma once

#include <hashmill/hash.hpp>

namespace hashmill {

/// How equal keys are found.
enum class GroupStrategy {
  automatic,   ///< `dense` where keys are integers of a range not much wider than there are rows
  hash,        ///< a hash table, for keys of any kind
  dense,       ///< an array of the range of the keys, a view of integers
  tag_bucket,  ///< rows of keys and accumulators, found by a TagBucket: for `group_by` only
};

struct GroupOptions {
  GroupStrategy strategy = GroupStrategy::automatic;
  Seed seed{0};  ///< of the hash function, where strangers choose keys; see hash.hpp
};

}  // namespace hashmill
