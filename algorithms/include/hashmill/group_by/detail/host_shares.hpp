#pragma once

#include <algorithm>
#include <bit>
#include <hashmill/backends/caches.hpp>
#include <hashmill/group_by/detail/carried_rows.hpp>
#include <hashmill/group_by/detail/host_group_table.hpp>
#include <hashmill/group_by/detail/merge_partial.hpp>
#include <hashmill/group_by/detail/partial_groups.hpp>
#include <hashmill/partition/detail/level_bytes.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>

namespace hashmill::detail {

// Partial aggregation on hosts: a thread has its table in memory that fits its caches.

/// Groups and aggregates shares of the rows. One host thread takes a share, in a table of its own.
///
/// A batch of rows goes through a sequence of short loops:
///
///     1. hash all keys (compilers vectorise this)
///     2. read the first slot of each row; list, without a branch, rows whose group is not there
///     3. look the listed rows up
///     4. add all values
///
/// This turns one branch misprediction for many rows into one or two per batch. Source of batches,
/// steps and the list of rows that need another step: Boncz et al., "MonetDB/X100: Hyper-Pipelining
/// Query Execution", CIDR 2005.
template <class Exec, class Keys, class Folds, class Row, class Shares>
struct AggregateOnHost {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Group = typename Folds::Group;
  using Table = HostGroupTable<Keys, Row, Group>;
  static constexpr std::uint32_t batch = 128;

  Keys keys;
  Shares shares;
  Folds folds;
  GroupHash<KeyOf<Keys>> hash;
  PartialResults<Row, Group> results;
  std::byte* tables;    // memory of all tables; nullptr: tables are in a thread's scratch
  std::uint32_t slots;  // per table
  bool is_far;          // whether a table exceeds a thread's own cache

  void operator()(const Member& team) const {
    const auto t = static_cast<std::uint64_t>(team.league_rank());
    const std::size_t bytes = Table::bytes(slots);
    void* const memory =
        tables != nullptr ? tables + t * bytes : team.team_scratch(1).get_shmem_aligned(bytes, 64);
    Table table(memory, slots, folds, hash);
    const std::uint64_t end = shares.begin(t + 1);
    for (std::uint64_t first = shares.begin(t); first < end; first += batch) {
      add_batch(table, first,
                static_cast<std::uint32_t>(std::min<std::uint64_t>(batch, end - first)));
    }
    write(table);
  }

 private:
  void add_batch(Table& table, std::uint64_t first, std::uint32_t count) const {
    const Shares from = shares;  // copies: no store can change them
    const Folds fold = folds;
    const Keys known = keys;
    std::uint32_t slot_of[batch], number_of[batch], misses[batch];
    from.prefetch_ahead(fold, first, count);
    for (std::uint32_t j = 0; j < count; ++j) slot_of[j] = table.slot_of(from.key(first + j));
    for (std::uint32_t j = 0; j < count; ++j) from.prefetch(fold, first + j);
    if (is_far) {
      for (std::uint32_t j = 0; j < count; ++j) table.prefetch_slot(slot_of[j]);
      for (std::uint32_t j = 0; j < count; ++j) table.prefetch_entry(table.number_in(slot_of[j]));
    }
    std::uint32_t num_misses = 0;
    for (std::uint32_t j = 0; j < count; ++j) {
      number_of[j] = table.number_in(slot_of[j]);
      misses[num_misses] = j;
      num_misses += table.is_group(number_of[j], from.key(first + j), known) ? 0 : 1;
    }
    if (num_misses != 0) resolve(table, first, slot_of, misses, num_misses, number_of);
    for (std::uint32_t j = 0; j < count; ++j) {
      from.add(fold, table.accumulators(number_of[j]), first + j);
    }
  }
  /// Looks up the rows whose first slot is not their group's. Rows without room get number 0.
  void resolve(Table& table, std::uint64_t first, const std::uint32_t* slot_of,
               const std::uint32_t* misses, std::uint32_t num_misses,
               std::uint32_t* number_of) const {
    const Folds fold = folds;
    Row spilled[batch];
    std::uint32_t num_spilled = 0;
    for (std::uint32_t m = 0; m < num_misses; ++m) {
      const std::uint32_t j = misses[m];
      const std::uint64_t i = first + j;
      const Row row = shares.row(i);
      number_of[j] =
          table.find_or_add(keys, slot_of[j], shares.key(i), row, Shares::most_probes, fold);
      if (number_of[j] == 0) spilled[num_spilled++] = row;
    }
    if (num_spilled == 0) return;
    Row* const to =
        results.spilled + Kokkos::atomic_fetch_add(results.num_spilled, std::uint64_t{num_spilled});
    std::copy(spilled, spilled + num_spilled, to);
  }
  /// Appends the table's groups to those of other tables.
  void write(const Table& table) const {
    const std::uint64_t count = table.size();
    const std::uint64_t place = Kokkos::atomic_fetch_add(results.num_groups, count);
    for (std::uint64_t g = 0; g < count; ++g) results.rows[place + g] = table[g].row;
    for (std::uint64_t g = 0; g < count; ++g) results.groups[place + g] = table[g].group;
  }
};

/// The slots of a table for an expected number of groups: room for twice as many.
[[nodiscard]] inline std::uint64_t host_slots_for(std::uint64_t groups) {
  return std::max<std::uint64_t>(256, std::bit_ceil(4 * groups));
}

/// Plans parts by hash for about `groups` groups, so that a table fits a thread's own cache.
template <class Exec>
[[nodiscard]] SharePlan plan_host_parts(const Exec& exec, std::uint64_t groups) {
  constexpr std::uint64_t part_groups = 4096;
  SharePlan plan;
  plan.shares = std::bit_ceil(
      std::max<std::uint64_t>({2, backends::concurrent_teams(exec), groups / part_groups + 1}));
  plan.part_bits = static_cast<unsigned>(std::bit_width(plan.shares)) - 1;
  plan.slots = static_cast<std::uint32_t>(host_slots_for(groups / plan.shares));
  return plan;
}

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
///
/// `can_partition`: whether keys are integers. `entry_bytes`: of a HostGroupTable.
template <class Exec>
[[nodiscard]] SharePlan plan_host_shares(const Exec& exec, std::uint64_t rows, std::uint64_t groups,
                                         bool can_partition, std::size_t entry_bytes) {
  const std::uint64_t threads = backends::concurrent_teams(exec);
  const std::size_t near = backends::private_cache_bytes() / 2;
  const std::size_t far = std::max(near, backends::last_level_cache_bytes() / threads);
  const auto used_bytes = [&](std::uint64_t slots, std::uint64_t found) {
    return host_table_bytes(slots, found, entry_bytes);
  };
  SharePlan plan;
  groups = std::min(groups, rows);
  std::uint64_t slots = host_slots_for(groups);
  if (groups <= rows / 2 && used_bytes(slots, groups) <= far) {
    if (used_bytes(2 * slots, groups) <= near) slots *= 2;
    plan.slots = static_cast<std::uint32_t>(slots);
    plan.shares = std::clamp<std::uint64_t>(rows / (2 * slots), 1, threads);
    plan.is_far = used_bytes(slots, groups) > near;
  } else if (can_partition && rows >= least_rows_to_partition) {
    return plan_host_parts(exec, groups);
  }
  return plan;
}

/// Each thread aggregates consecutive rows in its table. The tables lie in the workspace, in huge
/// pages. Asynchronous.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
void aggregate_slices(const Exec& exec, const Keys& keys, const Folds& folds,
                      const GroupHash<KeyOf<Keys>>& hash, const SharePlan& plan,
                      const PartialResults<Row, typename Folds::Group>& results,
                      Workspace<MemorySpace>& workspace) {
  using Shares = EvenShares<Keys, Row>;
  using Kernel = AggregateOnHost<Exec, Keys, Folds, Row, Shares>;
  const std::uint64_t bytes = plan.shares * Kernel::Table::bytes(plan.slots);
  const auto tables = workspace.template take<std::byte>(exec, bytes);
  launch_tiles<false, Kokkos::TeamPolicy<Exec>>(
      "hashmill::group_by::in_tables", exec, plan.shares, 0,
      Kernel{keys, Shares{keys, plan.shares}, folds, hash, results, tables.data(), plan.slots,
             plan.is_far});
}

/// Partitions the records of rows by the hash of their key, then aggregates each part in a table of
/// its own. `Value` is the type of the values in the records, or void. Asynchronous.
template <class Value, class Row, class MemorySpace, class Exec, class Keys, class Folds,
          class Source>
void aggregate_parts_of(const Exec& exec, const Keys& keys, const Folds& folds,
                        const GroupHash<KeyOf<Keys>>& hash, const SharePlan& plan,
                        const PartialResults<Row, typename Folds::Group>& results,
                        const Source& source, Workspace<MemorySpace>& workspace) {
  using Shares = PartShares<typename Source::record_type, Value>;
  using Kernel = AggregateOnHost<Exec, Keys, Folds, Row, Shares>;
  const auto parts = partition_carried(exec, source, hash, plan.part_bits, workspace);
  launch_tiles<false, Kokkos::TeamPolicy<Exec>>(
      "hashmill::group_by::in_parts", exec, plan.shares, Kernel::Table::bytes(plan.slots) + 64,
      Kernel{keys, Shares{parts.records, parts.offsets}, folds, hash, results, nullptr, plan.slots,
             plan.is_far});
}

/// Many groups, by parts. If all aggregations read the same column and it has no nulls, the records
/// carry its values. Otherwise values are read at random places. Asynchronous.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
void aggregate_parts(const Exec& exec, const Keys& keys, const Folds& folds,
                     const GroupHash<KeyOf<Keys>>& hash, const SharePlan& plan,
                     const PartialResults<Row, typename Folds::Group>& results,
                     Workspace<MemorySpace>& workspace) {
  with_carried<Row, false>(keys, folds, [&]<class Value>(const auto& source, CarriedValue<Value>) {
    aggregate_parts_of<Value>(exec, keys, folds, hash, plan, results, source, workspace);
  });
}

/// What tables of host threads hold in the end, in memory of a workspace.
template <class Row, class MemorySpace, class Group>
struct HostPartials {
  PartialRows<Row, MemorySpace> rows;
  typename Workspace<MemorySpace>::template Array<Group> groups;
  PartialCounts counts;
};

/// Groups and accumulates in tables of host threads, as planned. Waits for `exec`.
///
///     few groups    reads each row once
///     many groups   reads each key three times and each value once; writes and reads one record
///                   of 8 to 32 bytes per row
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
[[nodiscard]] auto partial_host_groups(const Exec& exec, const Keys& keys, const Folds& folds,
                                       const GroupHash<KeyOf<Keys>>& hash, const SharePlan& plan,
                                       Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  const std::uint64_t n = keys.size();
  const std::uint64_t room = std::min(checked_multiply(plan.shares, plan.slots / 2, "groups"), n);
  HostPartials<Row, MemorySpace, Group> partials{
      take_partial_rows<Row>(exec, room, n, 2, workspace),
      workspace.template take<Group>(exec, room),
      {}};
  const auto results = partials.rows.results(partials.groups.data());
  if (plan.part_bits == 0) {
    aggregate_slices(exec, keys, folds, hash, plan, results, workspace);
  } else if constexpr (fits_slot<KeyOf<Keys>>) {
    aggregate_parts(exec, keys, folds, hash, plan, results, workspace);
  }
  partials.counts = fetch_counts(exec, partials.rows);
  return partials;
}

/// The bytes of a workspace that `partial_host_groups` takes for so many rows by parts, if records
/// carry no values. It also takes a table for each thread.
template <class Row, class Keys, class Folds, class Exec>
[[nodiscard]] std::uint64_t host_parts_bytes(const Exec& exec, std::uint64_t rows,
                                             const SharePlan& plan) {
  using Record = typename CarriedSource<Keys, Row, void>::record_type;
  const LevelPlan levels(plan.part_bits, max_level_bits<Exec, Record, false>(exec));
  const std::uint64_t copies = levels.levels > 1 ? 2 : 1;
  const std::uint64_t of_row =
      3 * sizeof(Row) + sizeof(typename Folds::Group) + copies * sizeof(Record);
  return rows * of_row + levels_bytes<false, Record, std::uint64_t>(exec, levels, rows) +
         rounding_bytes(rows, 0);
}

/// Groups and accumulates in tables of host threads. Waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
auto accumulate_host_shares(const Exec& exec, const Keys& keys, const Folds& folds,
                            const GroupHash<KeyOf<Keys>>& hash, const SharePlan& plan,
                            std::uint64_t expected, Workspace<MemorySpace>& workspace) {
  const auto [rows, partial, counts] =
      partial_host_groups<Row>(exec, keys, folds, hash, plan, workspace);
  if (counts.num_spilled == 0 && (plan.part_bits != 0 || plan.shares == 1)) {
    return keep_partial(exec, rows, partial, counts.num_groups);
  }
  list_spilled(exec, rows, counts);
  return merge_partial(exec, keys, folds, rows, partial, counts,
                       std::min(counts.num_groups + counts.num_spilled, expected), hash, workspace);
}

}  // namespace hashmill::detail
