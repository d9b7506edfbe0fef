#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/gather.hpp>
#include <hashmill/group_by/detail/accumulate.hpp>
#include <hashmill/group_by/detail/find_groups.hpp>

namespace hashmill::detail {

/// Groups with their accumulators. These are in memory of a workspace, and valid until its current
/// frame closes.
template <class Row, class MemorySpace, class Group>
struct AccumulatedGroups {
  Kokkos::View<Row*, MemorySpace> representatives;
  typename Workspace<MemorySpace>::template Array<Group> accumulators;
};

/// Adds entry i to its group: the first `num_partial` entries are groups that teams aggregated, the
/// others are rows that teams had no room for.
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

template <class Row, class MemorySpace, class Exec>
[[nodiscard]] auto allocate_representatives(const Exec& exec, std::uint64_t size) {
  return backends::allocate<Kokkos::View<Row*, MemorySpace>>(
      exec, "hashmill::group_by::representatives", size);
}

/// The result if all partial groups are different: they are the groups. Asynchronous.
template <class Row, class MemorySpace, class Exec, class Rows, class Partial>
auto keep_apart(const Exec& exec, const Rows& rows, const Partial& partial, std::uint64_t size) {
  using Group = typename Partial::non_const_value_type;
  const auto found = std::make_pair(std::uint64_t{0}, size);
  AccumulatedGroups<Row, MemorySpace, Group> result{
      allocate_representatives<Row, MemorySpace>(exec, size), Kokkos::subview(partial, found)};
  Kokkos::deep_copy(exec, result.representatives, Kokkos::subview(rows, found));
  return result;
}

/// Groups `count` rows of a list: first the representatives of `num_partial` partial groups, then
/// rows that are in none. `expected` estimates the number of groups; there may be more. Waits for
/// `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds, class Rows,
          class Partial>
auto merge_partial(const Exec& exec, const Keys& keys, const Folds& folds, const Rows& listed,
                   const Partial& partial, std::uint64_t num_partial, std::uint64_t count,
                   std::uint64_t expected, const GroupHash<KeyOf<Keys>>& hash,
                   Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  const KeysOfRows<Keys, Row, MemorySpace> left{keys, listed.data(), count};
  const auto groups = group_hashed(exec, left, expected, hash, workspace);
  AccumulatedGroups<Row, MemorySpace, Group> result;
  result.accumulators = workspace.template take<Group>(exec, groups.size());
  const GroupedRows<Folds, Row> rows{folds, groups.group_of.data(), count,
                                     result.accumulators.data(), groups.size()};
  backends::for_each_index("hashmill::group_by::clear", exec, groups.size(),
                           ClearGroups<Folds, Row>{rows});
  backends::for_each_index(
      "hashmill::group_by::merge", exec, count,
      MergePartial<Folds, Row>{rows, listed.data(), partial.data(), num_partial});
  result.representatives = allocate_representatives<Row, MemorySpace>(exec, groups.size());
  gather(exec, listed, groups.representatives, result.representatives);
  return result;
}

}  // namespace hashmill::detail
