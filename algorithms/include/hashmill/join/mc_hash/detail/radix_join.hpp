#pragma once

#include <hashmill/join/mc_hash/detail/pairs.hpp>
#include <hashmill/join/mc_hash/detail/prh.hpp>
#include <hashmill/join/mc_hash/detail/pro.hpp>
#include <hashmill/join/mc_hash/detail/radix.hpp>

namespace hashmill::detail {

/// A parallel radix join. Its constructor counts the pairs; `write` then writes them. Source:
/// Balkesen et al., ICDE 2013, section IV.
///
/// Each pair of parts is a task of one worker, which makes a `Table` of the build side's part in
/// its own memory and probes it. Some parts are so large that their worker would keep the others
/// waiting. All workers link such a part into one BucketChains, and probe it in slices.
///
/// The workspace must outlive it.
template <class Exec, class Tuple, class Hash, class Table>
class RadixJoin {
  using Shared = BucketChains<Tuple, Hash>;
  using Partitioner = RadixPartitioner<Exec, Tuple, Hash>;
  using Parts = typename Partitioner::Parts;
  static constexpr std::uint64_t slice_rows = 1 << 15;

 public:
  /// Partitions both sides and counts the pairs. pairs: whether `write` will be called.
  RadixJoin(const Exec& exec, const TupleSpan<Tuple>& build, const TupleSpan<Tuple>& probe,
            const mc_hash::RadixJoinOptions& options, bool pairs, const Hash& hash,
            Workspace<Kokkos::HostSpace>& workspace)
      : exec_(exec),
        workers_(static_cast<std::uint32_t>(backends::concurrent_teams(exec))),
        plan_(radix_plan(options, build.count, Table::row_bytes)),
        hash_(hash),
        workspace_(workspace),
        rows_(checked_add(build.count, probe.count, "mc_hash: rows of both sides")) {
    const Partitioner partitioner(exec, workers_, plan_, hash, workspace);
    build_ = partitioner.partition(build);
    probe_ = partitioner.partition(probe);
    const std::uint64_t tasks = plan_tasks();
    places_ = workspace.template take<std::uint64_t>(exec, tasks + 1);
    if (pairs) {
      kept_ = workspace.template take<KeptPairs>(exec, tasks);
      run(KeepTaskPairs{places_.data(), kept_.data()});
    } else {
      run(CountTaskPairs{places_.data()});
    }
    places_(tasks) = 0;
    backends::exclusive_scan(exec, places_, workspace);
    exec.fence("hashmill::mc_hash: the total sizes the result");
    size_ = places_(tasks);
  }

  /// Bytes of workspace that a join of these sizes takes, unless keys are skewed.
  [[nodiscard]] static std::uint64_t bytes(const Exec& exec, std::uint64_t build_rows,
                                           std::uint64_t probe_rows,
                                           const mc_hash::RadixJoinOptions& options) {
    const RadixPlan plan = radix_plan(options, build_rows, Table::row_bytes);
    const auto workers = static_cast<std::uint32_t>(backends::concurrent_teams(exec));
    const std::uint64_t tables = workers * (2 * Table::bytes((build_rows >> plan.bits()) + 1024));
    return Partitioner::bytes(plan, build_rows, probe_rows, workers) + tables +
           (plan.parts() + 512) * (sizeof(std::uint64_t) + sizeof(KeptPairs));
  }

  /// Number of pairs.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Writes the payloads of `size()` pairs, those of the probe side to `left`.
  template <class Out>
  void write(Out* left, Out* right) const {
    run(WriteTaskPairs<Out>{places_.data(), left, right, kept_.data()});
  }

 private:
  /// Finds the large parts and the most rows of a table. Returns the number of tasks: one per part,
  /// then one per slice of the large parts.
  std::uint64_t plan_tasks() {
    std::uint64_t tasks = plan_.parts();
    for (std::uint64_t part = 0; part < plan_.parts(); ++part) {
      const std::uint64_t rows = build_.range(part).count;
      if (is_large(part)) {
        most_shared_rows_ = std::max(most_shared_rows_, rows);
        tasks += slices(part);
      } else {
        most_rows_ = std::max(most_rows_, rows);
      }
    }
    check_rows<std::uint32_t>(0, std::max(most_rows_, most_shared_rows_));
    return tasks;
  }
  [[nodiscard]] bool is_large(std::uint64_t part) const {
    const std::uint64_t build = build_.range(part).count, probe = probe_.range(part).count;
    return build != 0 && probe != 0 && Partitioner::is_large(build + probe, rows_, workers_);
  }
  [[nodiscard]] std::uint64_t slices(std::uint64_t part) const {
    return (probe_.range(part).count + slice_rows - 1) / slice_rows;
  }

  /// Runs all tasks; `pairs` counts, keeps or writes the pairs of each.
  template <class Pairs>
  void run(const Pairs& pairs) const {
    const typename Workspace<Kokkos::HostSpace>::Frame frame(workspace_);
    const WorkerMemory memory(exec_, workers_, Table::bytes(most_rows_), workspace_);
    TaskQueue tasks(plan_.parts());
    for_each_worker("hashmill::mc_hash::join_parts", exec_, workers_, [&](std::uint32_t worker) {
      tasks.drain([&](std::uint64_t part) {
        if (pairs.wants(part)) join_part(part, memory.of(worker), pairs);
      });
    });
    if (most_shared_rows_ == 0) return;
    std::uint64_t first_task = plan_.parts();
    auto* const shared =
        workspace_.template take<std::byte>(exec_, Shared::bytes(most_shared_rows_)).data();
    for (std::uint64_t part = 0; part < plan_.parts(); ++part) {
      if (!is_large(part)) continue;
      join_large_part(part, first_task, shared, pairs);
      first_task += slices(part);
    }
  }

  template <class Pairs>
  void join_part(std::uint64_t part, std::byte* memory, const Pairs& pairs) const {
    const RowRange build = build_.range(part), probe = probe_.range(part);
    const std::uint64_t rows = build.count == 0 || is_large(part) ? 0 : probe.count;
    pairs.join(part, probe_.tuples + probe.first, rows, [&] {
      Table table(memory, build_.tuples + build.first, build.count, hash_, plan_.bits());
      table.build(build.count);
      return table;
    });
  }

  /// Joins a large part with all workers. Its slices are the tasks from `first_task` on.
  template <class Pairs>
  void join_large_part(std::uint64_t part, std::uint64_t first_task, std::byte* memory,
                       const Pairs& pairs) const {
    const RowRange build = build_.range(part), probe = probe_.range(part);
    Shared table(memory, build_.tuples + build.first, build.count, hash_, plan_.bits());
    for_each_worker("hashmill::mc_hash::clear_large_part", exec_, workers_,
                    [&](std::uint32_t worker) {
                      const RowRange mine = share_of(table.num_slots(), worker, workers_);
                      table.clear(mine.first, mine.count);
                    });
    for_each_worker("hashmill::mc_hash::build_large_part", exec_, workers_,
                    [&](std::uint32_t worker) {
                      const RowRange mine = share_of(build.count, worker, workers_);
                      table.link(mine.first, mine.count);
                    });
    TaskQueue tasks(slices(part));
    for_each_worker("hashmill::mc_hash::probe_large_part", exec_, workers_, [&](std::uint32_t) {
      tasks.drain([&](std::uint64_t slice) {
        const std::uint64_t task = first_task + slice, begin = slice * slice_rows;
        if (!pairs.wants(task)) return;
        pairs.join(task, probe_.tuples + probe.first + begin,
                   std::min(slice_rows, probe.count - begin), [&] { return table; });
      });
    });
  }

  Exec exec_;
  std::uint32_t workers_;
  RadixPlan plan_;
  Hash hash_;
  Workspace<Kokkos::HostSpace>& workspace_;
  std::uint64_t rows_;
  Parts build_{}, probe_{};
  std::uint64_t most_rows_ = 0, most_shared_rows_ = 0;
  typename Workspace<Kokkos::HostSpace>::template Array<std::uint64_t> places_;
  typename Workspace<Kokkos::HostSpace>::template Array<KeptPairs> kept_;
  std::uint64_t size_ = 0;
};

template <class Exec, class Tuple, class Hash>
using ProJoin = RadixJoin<Exec, Tuple, Hash, BucketChains<Tuple, Hash>>;
template <class Exec, class Tuple, class Hash>
using PrhJoin = RadixJoin<Exec, Tuple, Hash, BucketRanges<Tuple, Hash>>;

}  // namespace hashmill::detail
