#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/gather.hpp>
#include <hashmill/group_by/detail/accumulate.hpp>
#include <hashmill/group_by/detail/find_groups.hpp>
#include <hashmill/group_by/detail/partial_groups.hpp>

namespace hashmill::detail {

/// Groups with their accumulators. These are in memory of a workspace, and valid until its current
/// frame closes.
template <class Row, class MemorySpace, class Group>
struct AccumulatedGroups {
  Kokkos::View<Row*, MemorySpace> representatives;
  typename Workspace<MemorySpace>::template Array<Group> accumulators;
};

/// Adds entry i to its group: the first `num_partial` entries are partial groups, the others are
/// spilled rows.
template <class Folds, class Row>
struct MergePartial {
  GroupedRows<Folds, Row> listed;
  const Row* rows;
  const typename Folds::Group* partial;
  std::uint64_t num_partial;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    auto* const group = listed.groups + listed.group_of[i];
    if (i < num_partial) {
      listed.folds.template merge<Shared, false>(group, partial[i]);
    } else {
      listed.folds.template add<Shared, false>(group, group, rows[i]);
    }
  }
};

/// The representatives of partial groups, copied; asynchronous.
template <class Row, class MemorySpace, class Exec>
Kokkos::View<Row*, MemorySpace> copy_representatives(const Exec& exec,
                                                     const PartialRows<Row, MemorySpace>& rows,
                                                     std::uint64_t num_groups) {
  const auto copy = backends::allocate<Kokkos::View<Row*, MemorySpace>>(
      exec, "hashmill::group_by::representatives", num_groups);
  Kokkos::deep_copy(exec, copy,
                    Kokkos::subview(rows.listed, std::make_pair(std::uint64_t{0}, num_groups)));
  return copy;
}

/// The representatives of groups of listed rows, whose own are places in the list. Waits for
/// `exec`.
template <class Row, class MemorySpace, class Exec>
Kokkos::View<Row*, MemorySpace> gather_representatives(const Exec& exec,
                                                       const PartialRows<Row, MemorySpace>& rows,
                                                       const RowGroups<Row, MemorySpace>& groups) {
  const auto gathered = backends::allocate<Kokkos::View<Row*, MemorySpace>>(
      exec, "hashmill::group_by::representatives", groups.size());
  gather(exec, rows.listed, groups.representatives, gathered);
  return gathered;
}

/// The result if all partial groups are different: they are the groups. Asynchronous.
template <class Row, class MemorySpace, class Exec, class Partial>
auto keep_partial(const Exec& exec, const PartialRows<Row, MemorySpace>& rows,
                  const Partial& partial, std::uint64_t num_groups) {
  using Group = typename Partial::non_const_value_type;
  return AccumulatedGroups<Row, MemorySpace, Group>{copy_representatives(exec, rows, num_groups),
                                                    Partial(partial.data(), num_groups)};
}

/// Groups listed rows: first the representatives of partial groups, then the spilled rows.
/// `expected` estimates the number of groups; there may be more. Waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds, class Partial>
auto merge_partial(const Exec& exec, const Keys& keys, const Folds& folds,
                   const PartialRows<Row, MemorySpace>& rows, const Partial& partial,
                   const PartialCounts& counts, std::uint64_t expected,
                   const GroupHash<KeyOf<Keys>>& hash, Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  const std::uint64_t count = counts.num_groups + counts.num_spilled;
  const KeysOfRows<Keys, Row, MemorySpace> to_merge{keys, rows.listed.data(), count};
  const RowGroups<Row, MemorySpace> groups =
      group_hashed(exec, to_merge, expected, hash, workspace);
  AccumulatedGroups<Row, MemorySpace, Group> result;
  result.accumulators = workspace.template take<Group>(exec, groups.size());
  const GroupedRows<Folds, Row> merged{folds, groups.group_of.data(), count,
                                       result.accumulators.data(), groups.size()};
  backends::for_each_index("hashmill::group_by::clear", exec, groups.size(),
                           ClearGroups<Folds, Row>{merged});
  backends::for_each_index(
      "hashmill::group_by::merge", exec, count,
      MergePartial<Folds, Row>{merged, rows.listed.data(), partial.data(), counts.num_groups});
  result.representatives = gather_representatives(exec, rows, groups);
  return result;
}

}  // namespace hashmill::detail
