#pragma once

#include <bit>
#include <hashmill/group_by/detail/aggregate_host.hpp>
#include <hashmill/group_by/detail/merge_partial.hpp>
#include <hashmill/group_by/detail/partial_groups.hpp>
#include <hashmill/partition/detail/partition_records.hpp>

namespace hashmill::detail {

/// How rows are divided among the tables of host threads.
struct HostPlan {
  std::uint64_t tables = 0;  // 0: tables of threads do not pay off
  std::uint32_t slots = 0;   // per table
  unsigned part_bits = 0;    // log2 of the tables if rows are partitioned first, else 0
  bool is_far = false;       // whether a table exceeds a thread's own cache
};

/// Plans for `rows` rows of about `groups` groups. The first line that holds decides:
///
///     groups <= rows / 2, and the used bytes of all     each thread takes consecutive rows
///       tables fit the last-level cache
///     integer keys, at least 2^18 rows                  rows are partitioned by hash, so that a
///                                                       table fits a thread's own cache
///     otherwise                                         no tables
///
/// Measured on two threads of an EPYC 9004 with 2^25 rows and 2^18 groups, 10 MB per thread:
/// consecutive rows take three quarters of the time of partitioning.
///
/// Tables have room for twice the expected groups: 4 slots per expected group, or 8 if the table
/// then still fits half of a thread's own cache.
template <class Keys, class Row, class Group, class Exec>
[[nodiscard]] HostPlan plan_on_host(const Exec& exec, std::uint64_t rows, std::uint64_t groups) {
  using Table = HostGroupTable<Keys, Row, Group>;
  constexpr std::uint64_t part_groups = 4096;
  const std::uint64_t threads = backends::concurrent_teams(exec);
  const std::size_t near = backends::private_cache_bytes() / 2;
  const std::size_t far = std::max(near, backends::last_level_cache_bytes() / threads);
  const auto slots_for = [](std::uint64_t expected) {
    return std::max<std::uint64_t>(256, std::bit_ceil(4 * expected));
  };
  HostPlan plan;
  groups = std::min(groups, rows);
  std::uint64_t slots = slots_for(groups);
  if (groups <= rows / 2 && Table::used_bytes(slots, groups) <= far) {
    if (Table::used_bytes(2 * slots, groups) <= near) slots *= 2;
    plan.slots = static_cast<std::uint32_t>(slots);
    plan.tables = std::clamp<std::uint64_t>(rows / (2 * slots), 1, threads);
    plan.is_far = Table::used_bytes(slots, groups) > near;
  } else if (fits_slot<KeyOf<Keys>> && rows >= least_rows_to_partition) {
    plan.tables = std::bit_ceil(std::max(threads, groups / part_groups + 1));
    plan.part_bits = static_cast<unsigned>(std::bit_width(plan.tables)) - 1;
    plan.slots = static_cast<std::uint32_t>(slots_for(groups / plan.tables));
  }
  return plan;
}

/// The groups that host threads have found, before those that several threads found are merged.
template <class Row, class MemorySpace, class Group>
struct FoundOnHost {
  template <class T>
  using Array = typename Workspace<MemorySpace>::template Array<T>;
  Array<Row> rows;
  Array<Group> groups;
  Array<Row> left;
  Array<std::uint64_t> counts;

  template <class Exec>
  FoundOnHost(const Exec& exec, std::uint64_t room, std::uint64_t num_rows,
              Workspace<MemorySpace>& workspace)
      : rows(workspace.template take<Row>(exec, checked_add(room, num_rows, "rows to group"))),
        groups(workspace.template take<Group>(exec, room)),
        left(workspace.template take<Row>(exec, num_rows)),
        counts(workspace.template take<std::uint64_t>(exec, 2)) {
    Kokkos::deep_copy(exec, counts, std::uint64_t{0});
  }
  [[nodiscard]] HostResults<Row, Group> results() const {
    return {rows.data(), groups.data(), left.data(), counts.data(), counts.data() + 1};
  }
};

/// Each thread aggregates consecutive rows in its table. The tables lie in the workspace, in huge
/// pages. Asynchronous.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds, class Found>
void aggregate_few_on_host(const Exec& exec, const Keys& keys, const Folds& folds,
                           const GroupHash<KeyOf<Keys>>& hash, const HostPlan& plan,
                           const Found& found, Workspace<MemorySpace>& workspace) {
  using Shares = EvenShares<Keys, Row>;
  using Kernel = AggregateOnHost<Exec, Keys, Folds, Row, Shares>;
  const std::uint64_t bytes = plan.tables * Kernel::Table::bytes(plan.slots);
  const auto tables = workspace.template take<std::byte>(exec, bytes);
  launch_tiles<false, Kokkos::TeamPolicy<Exec>>(
      "hashmill::group_by::in_tables", exec, plan.tables, 0,
      Kernel{keys, Shares{keys, plan.tables}, folds, hash, found.results(), tables.data(),
             plan.slots, plan.is_far});
}

/// Partitions the records of rows by the hash of their key, then aggregates each part in a table of
/// its own. Asynchronous.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds, class Found,
          class Source>
void aggregate_parts_on_host(const Exec& exec, const Keys& keys, const Folds& folds,
                             const GroupHash<KeyOf<Keys>>& hash, const HostPlan& plan,
                             const Found& found, const Source& source,
                             Workspace<MemorySpace>& workspace) {
  using Record = typename Source::record_type;
  using Shares = CarriedShares<Record>;
  using Kernel = AggregateOnHost<Exec, Keys, Folds, Row, Shares>;
  const auto parts = partition_records<std::uint64_t>(
      exec, source, keys.size(),
      HighestHashBits<&Record::key, GroupHash<KeyOf<Keys>>>{hash, 64 - plan.part_bits},
      plan.part_bits, workspace);
  launch_tiles<false, Kokkos::TeamPolicy<Exec>>(
      "hashmill::group_by::in_parts", exec, plan.tables, Kernel::Table::bytes(plan.slots) + 64,
      Kernel{keys, Shares{parts.records, parts.offsets}, folds, hash, found.results(), nullptr,
             plan.slots, plan.is_far});
}

/// Many groups, by parts. If all aggregations read the same column and it has no nulls, the records
/// carry its values. Otherwise values are read at random places. Asynchronous.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds, class Found>
void aggregate_many_on_host(const Exec& exec, const Keys& keys, const Folds& folds,
                            const GroupHash<KeyOf<Keys>>& hash, const HostPlan& plan,
                            const Found& found, Workspace<MemorySpace>& workspace) {
  using Column = typename Folds::Column;
  if constexpr (!std::is_same_v<Column, EveryRow> && Folds::template reads_only<Column>) {
    if (folds.reads(folds.column().address(0))) {
      const CarriedSource<Keys, Row, Column> source{keys, folds.column()};
      return aggregate_parts_on_host<Row>(exec, keys, folds, hash, plan, found, source, workspace);
    }
  }
  const CarriedSource<Keys, Row, void> source{keys};
  aggregate_parts_on_host<Row>(exec, keys, folds, hash, plan, found, source, workspace);
}

/// Groups and accumulates in tables of host threads. Waits for `exec`.
///
///     few groups    reads each row once
///     many groups   reads each key three times and each value once; writes and reads one record
///                   of 8 to 32 bytes per row
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
auto accumulate_on_host(const Exec& exec, const Keys& keys, const Folds& folds,
                        const GroupHash<KeyOf<Keys>>& hash, const HostPlan& plan,
                        std::uint64_t expected, Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  const std::uint64_t n = keys.size();
  const std::uint64_t room = std::min(checked_multiply(plan.tables, plan.slots / 2, "groups"), n);
  const FoundOnHost<Row, MemorySpace, Group> found(exec, room, n, workspace);
  const bool is_partitioned = plan.part_bits != 0;
  if (!is_partitioned) {
    aggregate_few_on_host<Row>(exec, keys, folds, hash, plan, found, workspace);
  } else if constexpr (fits_slot<KeyOf<Keys>>) {
    aggregate_many_on_host<Row>(exec, keys, folds, hash, plan, found, workspace);
  }
  std::uint64_t num_groups = 0, num_left = 0;
  Kokkos::deep_copy(exec, num_groups, Kokkos::subview(found.counts, 0));
  Kokkos::deep_copy(exec, num_left, Kokkos::subview(found.counts, 1));
  exec.fence("hashmill::group_by: how many groups are left to merge");
  if (num_left == 0 && (is_partitioned || plan.tables == 1)) {
    return keep_apart<Row, MemorySpace>(exec, found.rows, found.groups, num_groups);
  }
  const std::uint64_t count = num_groups + num_left;
  Kokkos::deep_copy(exec, Kokkos::subview(found.rows, std::make_pair(num_groups, count)),
                    Kokkos::subview(found.left, std::make_pair(std::uint64_t{0}, num_left)));
  return merge_partial<Row>(exec, keys, folds, found.rows, found.groups, num_groups, count,
                            std::min(count, expected), hash, workspace);
}

}  // namespace hashmill::detail
