#pragma once

#include <hashmill/hash.hpp>

namespace hashmill {

/// How `group_rows` and `group_by` find equal keys. Their headers state the costs, and what
/// `automatic` chooses.
enum class GroupStrategy {
  automatic,   ///< chosen by key type and key range, and by `group_by` also by number of groups
  hash,        ///< a hash table, for keys of any type
  dense,       ///< an array over the range of the keys, which are a view of integers
  tag_bucket,  ///< rows of keys and accumulators, found by a TagBucket; for `group_by` only
};

/// The options of `group_rows`, `group_by` and `count_distinct`. They change the order of the
/// groups and which rows represent them, but not which rows form a group.
struct GroupOptions {
  GroupStrategy strategy = GroupStrategy::automatic;  ///< how equal keys are found
  Seed seed{0};  ///< of the hash functions; needed if untrusted parties choose keys (hash.hpp)
};

}  // namespace hashmill
