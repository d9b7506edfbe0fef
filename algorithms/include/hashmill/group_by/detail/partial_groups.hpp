#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/group_by/detail/fold.hpp>
#include <hashmill/primitives/detail/prefetch_elements.hpp>

namespace hashmill::detail {

// Partial aggregation: rows are divided into shares. A team of a GPU, or a thread of a host, groups
// and aggregates a share in a small table of its own. Only these partial groups, and the rows for
// which a table has no room, go on to the tables in memory. Velox and DuckDB do so with one table
// per thread.

/// How rows are divided into shares, and the table for each of them.
struct SharePlan {
  std::uint64_t shares = 0;  // 0: partial aggregation does not pay off
  std::uint32_t slots = 0;   // per table
  std::uint32_t tables = 1;  // per share; a team's threads then seldom meet in one slot
  unsigned part_bits = 0;    // log2 of the shares if rows are partitioned first, else 0
  bool is_far = false;       // on hosts, whether a table exceeds a thread's own cache

  /// The slots of a share.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t share_slots() const {
    return slots * tables;
  }
};

/// The least number of rows for which a pass of partitioning pays off.
inline constexpr std::uint64_t least_rows_to_partition = std::uint64_t{1} << 18;

/// Where partial groups are written, and the rows for which tables have no room.
template <class Row, class Group>
struct PartialResults {
  Row* rows;                   // a representative of each partial group …
  Group* groups;               // … and its accumulators
  std::uint64_t* num_groups;   // number of partial groups
  Row* spilled;                // rows without room; on GPUs a share's begin where the share begins
  std::uint64_t* num_spilled;  // number of them; on GPUs one number per share
};

/// The rows of partial groups, in memory of a workspace.
template <class Row, class MemorySpace>
struct PartialRows {
  template <class T>
  using Array = typename Workspace<MemorySpace>::template Array<T>;
  Array<Row> listed;              // representatives of partial groups; behind them, spilled rows
  Array<Row> spilled;             // where tables write the rows for which they have no room
  Array<std::uint64_t> counters;  // number of partial groups; then the numbers of spilled rows

  template <class Group>
  [[nodiscard]] PartialResults<Row, Group> results(Group* groups) const {
    return {listed.data(), groups, counters.data(), spilled.data(), counters.data() + 1};
  }
};

/// Takes memory for at most `most_groups` partial groups of `num_rows` rows, with zeroed counters.
template <class Row, class MemorySpace, class Exec>
PartialRows<Row, MemorySpace> take_partial_rows(const Exec& exec, std::uint64_t most_groups,
                                                std::uint64_t num_rows, std::uint64_t num_counters,
                                                Workspace<MemorySpace>& workspace) {
  const std::uint64_t most_rows = checked_add(most_groups, num_rows, "rows to group");
  const PartialRows<Row, MemorySpace> rows{
      workspace.template take<Row>(exec, most_rows), workspace.template take<Row>(exec, num_rows),
      workspace.template take<std::uint64_t>(exec, num_counters)};
  Kokkos::deep_copy(exec, rows.counters, std::uint64_t{0});
  return rows;
}

/// How many partial groups there are, and how many rows were spilled.
struct PartialCounts {
  std::uint64_t num_groups = 0;
  std::uint64_t num_spilled = 0;
};

/// Reads the first counter and the last. Waits for `exec`.
template <class Row, class MemorySpace, class Exec>
PartialCounts fetch_counts(const Exec& exec, const PartialRows<Row, MemorySpace>& rows) {
  PartialCounts counts;
  const auto& counters = rows.counters;
  Kokkos::deep_copy(exec, counts.num_groups, Kokkos::subview(counters, 0));
  Kokkos::deep_copy(exec, counts.num_spilled, Kokkos::subview(counters, counters.extent(0) - 1));
  exec.fence("hashmill::group_by: how many partial groups are to be merged");
  return counts;
}

/// Copies the spilled rows behind the representatives, if they lie without gaps; asynchronous.
template <class Row, class MemorySpace, class Exec>
void list_spilled(const Exec& exec, const PartialRows<Row, MemorySpace>& rows,
                  const PartialCounts& counts) {
  const std::uint64_t end = counts.num_groups + counts.num_spilled;
  Kokkos::deep_copy(
      exec, Kokkos::subview(rows.listed, std::make_pair(counts.num_groups, end)),
      Kokkos::subview(rows.spilled, std::make_pair(std::uint64_t{0}, counts.num_spilled)));
}

/// Where a share begins if rows are divided evenly: a share is consecutive rows.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t begin_of_share(std::uint64_t rows,
                                                                       std::uint64_t shares,
                                                                       std::uint64_t share) {
  const std::uint64_t each = (rows + shares - 1) / shares;
  return share * each < rows ? share * each : rows;
}

/// Divides rows evenly; hosts only.
template <class Keys, class Row>
struct EvenShares {
  static constexpr unsigned most_probes = 8;
  Keys keys;
  std::uint64_t shares;
  [[nodiscard]] std::uint64_t begin(std::uint64_t share) const {
    return begin_of_share(keys.size(), shares, share);
  }
  [[nodiscard]] Row row(std::uint64_t i) const { return static_cast<Row>(i); }
  [[nodiscard]] decltype(auto) key(std::uint64_t i) const { return keys(i); }
  /// Adds row i's values.
  template <class Folds, class Group>
  void add(const Folds& folds, Group* group, std::uint64_t i) const {
    folds.template add<AloneOnHost, false>(group, group, i);
  }
  /// Prefetches nothing: values of consecutive rows are prefetched by `prefetch_ahead`.
  template <class Folds>
  void prefetch(const Folds&, std::uint64_t) const {}
  /// Called by a loop at rows [i, i + count): prefetches rows some batches later.
  template <class Folds>
  void prefetch_ahead(const Folds& folds, std::uint64_t i, std::uint64_t count) const {
    prefetch_elements(keys, i, count);
    folds.prefetch_ahead(i, count);
  }
};

}  // namespace hashmill::detail
