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

/// Copies partial group i, or behind these a group of spilled rows.
template <class Row, class Group>
struct AppendGroups {
  const Row* rows;
  const Group* groups;
  std::uint64_t num_partial;
  const Row* more_rows;
  const Group* more_groups;
  Row* all_rows;
  Group* all_groups;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    const bool is_partial = i < num_partial;
    all_rows[i] = is_partial ? rows[i] : more_rows[i - num_partial];
    all_groups[i] = is_partial ? groups[i] : more_groups[i - num_partial];
  }
};

/// The result if all partial groups are different and no spilled row is of one of them: groups the
/// spilled rows, which are listed, and appends their groups. Waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds, class Partial>
auto append_spilled(const Exec& exec, const Keys& keys, const Folds& folds,
                    const PartialRows<Row, MemorySpace>& rows, const Partial& partial,
                    const PartialCounts& counts, const GroupHash<KeyOf<Keys>>& hash,
                    Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  using Rows = PartialRows<Row, MemorySpace>;
  const Rows spilled{typename Rows::template Array<Row>(rows.listed.data() + counts.num_groups,
                                                        counts.num_spilled),
                     rows.spilled, rows.counters};
  const KeysOfRows<Keys, Row, MemorySpace> to_group{keys, spilled.listed.data(),
                                                    counts.num_spilled};
  const std::uint64_t expected = estimate_groups(exec, to_group, hash, workspace);
  const auto more = merge_partial(exec, keys, folds, spilled, partial, {0, counts.num_spilled},
                                  expected, hash, workspace);
  const std::uint64_t num_groups = counts.num_groups + more.representatives.extent(0);
  const AccumulatedGroups<Row, MemorySpace, Group> all{
      backends::allocate<Kokkos::View<Row*, MemorySpace>>(
          exec, "hashmill::group_by::representatives", num_groups),
      workspace.template take<Group>(exec, num_groups)};
  backends::for_each_index(
      "hashmill::group_by::append", exec, num_groups,
      AppendGroups<Row, Group>{rows.listed.data(), partial.data(), counts.num_groups,
                               more.representatives.data(), more.accumulators.data(),
                               all.representatives.data(), all.accumulators.data()});
  exec.fence("hashmill::group_by: representatives of spilled rows are about to be freed");
  return all;
}

}  // namespace hashmill::detail
