#pragma once

#include <algorithm>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/numa_placement.hpp>
#include <hashmill/partition/detail/tiles.hpp>
#include <limits>

namespace hashmill::detail {

/// How a level's records are cut: records per tile, and how many tiles to launch.
struct TileCut {
  std::uint64_t records;
  std::uint64_t tiles;
};

/// One tile per thread, each thread beginning with its own. The threads of the k-th node thus begin
/// with the tiles of that node's slice.
[[nodiscard]] inline TileCut cut_by_thread(const backends::NumaPlan& plan, std::uint64_t records) {
  const std::uint64_t threads = plan.num_threads();
  return {std::max<std::uint64_t>(1, (records + threads - 1) / threads), threads};
}

/// Whether a level over all `records` records, in one part, sorts on each NUMA node first. It does
/// with several nodes in mode `local`, if each thread has at least a whole tile.
[[nodiscard]] inline bool sorts_by_node(const backends::NumaPlan& plan, std::uint64_t records) {
  return plan.sorts_by_node() && records / plan.num_threads() >= backends::least_host_tile_records;
}

/// Bytes of workspace that `partition_by_node` takes in addition to its pass; 0 where it does not
/// run.
template <class Record, class Offset>
[[nodiscard]] std::uint64_t node_exchange_bytes(std::uint64_t records, unsigned bits) {
  const backends::NumaPlan& plan = backends::numa_plan();
  if (!sorts_by_node(plan, records)) return 0;
  const std::uint64_t runs = (std::uint64_t{plan.num_nodes()} << bits) + 1;
  constexpr std::uint64_t rounding = 1024;
  return checked_bytes<Record>(records, "records") +
         (2 * runs + plan.num_nodes() + 1) * sizeof(Offset) + rounding;
}

/// Runs: the records of one part that one node sorted. Sorted by node they are ordered by node,
/// then part. In the result they are ordered by part, then node, which keeps the partition stable.
template <class Offset>
struct NodeRuns {
  const Offset* by_node;  // where each run begins, and the end of the last
  Offset* by_part;        // the same in the result
  std::uint64_t nodes;
  std::uint64_t parts;

  /// The index, in the order by node, of run `r` of the result's order.
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t sorted_run(std::uint64_t r) const {
    return r % nodes * parts + r / nodes;
  }
};

/// Writes the length of a run at its place in the result's order; 0 after the last run.
template <class Offset>
struct CountRuns {
  NodeRuns<Offset> runs;
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const auto r = static_cast<std::uint64_t>(i);
    const bool behind = r == runs.nodes * runs.parts;
    const std::uint64_t run = behind ? 0 : runs.sorted_run(r);
    runs.by_part[r] = behind ? Offset{0} : runs.by_node[run + 1] - runs.by_node[run];
  }
};

/// Writes where a part begins and, after the last part, the end.
template <class Offset>
struct PublishRunOffset {
  NodeRuns<Offset> runs;
  Offset* part_offsets;
  KOKKOS_FUNCTION void operator()(const std::int64_t part) const {
    part_offsets[part] = runs.by_part[static_cast<std::uint64_t>(part) * runs.nodes];
  }
};

/// Copies one slice of the result, front to back, from the runs of which it consists. Reads are
/// long and may be from other nodes. Writes go to the thread's own node.
template <class Record, class Offset, class Sink>
struct ExchangeRuns {
  NodeRuns<Offset> runs;
  const Record* sorted;
  Sink sink;
  std::uint64_t records;
  std::uint64_t slice_records;

  void operator()(const std::int64_t slice) const {
    std::uint64_t i = std::min(records, static_cast<std::uint64_t>(slice) * slice_records);
    const std::uint64_t end = std::min(records, i + slice_records);
    const Offset* const first = runs.by_part;
    const Offset* const last = first + runs.nodes * runs.parts + 1;
    const Offset* next = std::upper_bound(first, last, static_cast<Offset>(i));
    for (; i < end; ++next) {
      const auto run = static_cast<std::uint64_t>(next - first) - 1;
      const Record* const from = sorted + runs.by_node[runs.sorted_run(run)];
      const std::uint64_t begin = runs.by_part[run];
      const std::uint64_t stop = std::min<std::uint64_t>(end, *next);
      for (; i < stop; ++i) sink(i, from[i - begin]);
    }
  }
};

/// A level over all records, in one part that begins at 0, on hosts with several NUMA nodes.
/// Asynchronous on `exec`. Writes part offsets unless `part_offsets` is null. It has two steps:
///
/// 1. Each node sorts its slice of the source, by `pass`, into memory of its own.
/// 2. Every thread fetches its slice of the result.
///
/// The result is that of a plain level. All traffic between nodes is sequential reads; no writes
/// cross. Each record is read and written once more than in a plain level, and takes memory once
/// more.
///
/// pass: `(const Ranges<Offset>&, const TileCut&, const RecordSink<Record>&, Offset* offsets)`,
/// which partitions the ranges by the `parts` values of a digit.
///
/// Source of keeping random writes off the links between nodes: Polychroniou and Ross, "A
/// comprehensive study of main-memory partitioning and its application to large-scale comparison-
/// and radix-sort", SIGMOD 2014.
template <class Record, class Exec, class Offset, class Sink, class MemorySpace, class Pass>
void partition_by_node(const Exec& exec, const backends::NumaPlan& plan, std::uint64_t records,
                       std::uint64_t parts, const Sink& sink, Offset* part_offsets,
                       Workspace<MemorySpace>& workspace, const Pass& pass) {
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const std::uint64_t nodes = plan.num_nodes();
  const TileCut cut = cut_by_thread(plan, records);
  const auto sorted = workspace.template take<Record>(exec, records);
  const auto slices = workspace.template take<Offset>(exec, nodes + 1);
  const auto by_node = workspace.template take<Offset>(exec, nodes * parts + 1);
  const auto by_part = workspace.template take<Offset>(exec, nodes * parts + 1);
  for (unsigned k = 0; k <= nodes; ++k) {
    const std::uint64_t begin = std::min(records, plan.first_thread(k) * cut.records);
    Kokkos::deep_copy(exec, Kokkos::subview(slices, k), static_cast<Offset>(begin));
  }
  pass(Ranges<Offset>{slices.data(), nodes}, cut, RecordSink<Record>{sorted.data()},
       by_node.data());

  const NodeRuns<Offset> runs{by_node.data(), by_part.data(), nodes, parts};
  backends::for_each_index("hashmill::partition::count_runs", exec, by_part.extent(0),
                           CountRuns<Offset>{runs});
  backends::exclusive_scan(exec, by_part, workspace);
  backends::for_each_index(
      "hashmill::partition::exchange_runs", exec, plan.num_threads(),
      ExchangeRuns<Record, Offset, Sink>{runs, sorted.data(), sink, records, cut.records});
  if (part_offsets == nullptr) return;
  backends::for_each_index("hashmill::partition::offsets", exec, parts + 1,
                           PublishRunOffset<Offset>{runs, part_offsets});
}

}  // namespace hashmill::detail
