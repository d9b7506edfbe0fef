#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/group_by/detail/find_groups.hpp>

namespace hashmill {

/// Groups rows by their keys: a view of keys, or `columns(...)`, of which nulls are one value and
/// so are NaNs, unless `nans_unequal()`. On `exec`, which it fences.
///
/// `hash` looks every key up in a table that grows with the number of groups, a LinearProbing of
/// integers or a TagBucket of anything else (8 to 32 bytes a group, and 1 to 3 sizeof(Row) a row
/// while it runs), and numbers groups in the order of their representatives. `dense` reads keys
/// three times, makes one random access a row into an array, sizeof(Row) a number of the range, and
/// numbers groups in the order of their keys. Both write sizeof(Row) a row and a group.
///
/// Which row of a group represents it is not specified. Throws CapacityError when there are too
/// many rows for `Row` or memory is short (for `dense`, in relation to the range of the keys), and
/// InvalidArgument where `dense` is asked of keys that are no view of integers, or `tag_bucket`.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Keys>
[[nodiscard]] auto group_rows(const Exec& exec, const Keys& keys,
                              const GroupOptions& options = {}) {
  detail::require_keys<Keys>();
  using Memory = typename Keys::memory_space;
  detail::require_accessible_table<Exec, Memory>();
  detail::require_accessible_queries<Exec, Keys>();
  Kokkos::Profiling::ScopedRegion region("hashmill::group_rows");
  check_rows<Row>(0, keys.size());
  if (options.strategy == GroupStrategy::tag_bucket) {
    throw InvalidArgument("group_rows: tag_bucket is a strategy of group_by, which aggregates too");
  }
  Workspace<Memory> workspace;
  const detail::GroupHashOf<Keys> hash(options.seed);
  const auto groups = detail::group_by_strategy<Row>(exec, keys, options.strategy, hash, workspace);
  exec.fence("hashmill::group_rows: results are handed to the caller");
  return groups;
}

}  // namespace hashmill
