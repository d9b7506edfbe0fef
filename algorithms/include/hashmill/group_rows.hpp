#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/group_by/detail/find_groups.hpp>

namespace hashmill {

/// Groups rows by their keys and numbers the groups. Returns a RowGroups in newly allocated memory.
/// Runs on `exec` and fences it.
///
///     const Kokkos::DefaultExecutionSpace exec;
///     const Kokkos::View<std::int32_t*> country("country", 1000), city("city", 1000);
///     const auto groups = hashmill::group_rows(exec, hashmill::columns(country, city));
///     const Kokkos::View<std::int32_t*> cities("cities", groups.size());
///     hashmill::gather(exec, city, groups.representatives, cities);  // cities(g): group g
///     const auto group_of = groups.group_of;                         // group_of(i): row i
///
/// keys: a view of n keys, or `columns(...)` of n rows. All nulls are one value. All NaNs are one
/// value too, unless the columns have `nans_unequal()`.
///
///     strategy    chosen by `automatic`           finds groups with          order of the groups
///     dense       keys are a view of integers,    an array over the range    by key
///                 key range <= max(2^16, 2 n)     of the keys
///     hash        all other keys                  LinearProbing (integers)   by representative
///                                                 or TagBucket (other keys)
///
/// Cost. Both write sizeof(Row) per row and per group. `hash` looks every key up in a table that
/// grows with the number of groups. The table takes 8 to 32 bytes per group, and the call 1 to 3
/// sizeof(Row) per row while it runs. `dense` reads the keys three times and makes one random
/// access per row into its array. The array takes sizeof(Row) per number of the range.
///
/// Which row of a group represents it is not specified.
///
/// Throws CapacityError if `Row` cannot number the rows or memory is short. For `dense` that
/// depends on the range of the keys. Throws InvalidArgument for `dense` if the keys are not a view
/// of integers, and for `tag_bucket` always.
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
  const auto groups = detail::dense_or_hashed<Row>(exec, detail::group_keys(keys), options.strategy,
                                                   std::nullopt, hash, workspace);
  exec.fence("hashmill::group_rows: results are handed to the caller");
  return groups;
}

}  // namespace hashmill

#ifdef HASHMILL_INSTANCES
#include <hashmill/group_by/instances.hpp>
#endif
