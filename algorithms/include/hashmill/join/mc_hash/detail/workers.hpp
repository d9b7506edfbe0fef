#pragma once

#include <atomic>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/row.hpp>

namespace hashmill::detail {

/// The rows of one side of a join, in the caller's memory.
template <class Tuple>
struct TupleSpan {
  const Tuple* tuples;
  std::uint64_t count;
};

/// The share of worker `worker` in `count` rows. Shares differ by at most one row.
[[nodiscard]] inline RowRange share_of(std::uint64_t count, std::uint64_t worker,
                                       std::uint64_t workers) {
  const std::uint64_t each = count / workers, more = count % workers;
  return {each * worker + std::min(worker, more), each + (worker < more ? 1 : 0)};
}

/// Tasks 0 to `count` - 1, which threads take one at a time until none is left.
class TaskQueue {
 public:
  explicit TaskQueue(std::uint64_t count) : count_(count) {}

  /// Calls `run(task)` for each task that the calling thread takes.
  template <class Run>
  void drain(const Run& run) {
    for (;;) {
      const std::uint64_t task = next_.fetch_add(1, std::memory_order_relaxed);
      if (task >= count_) return;
      run(task);
    }
  }

 private:
  std::uint64_t count_;
  alignas(64) std::atomic<std::uint64_t> next_{0};
};

template <class Body>
struct RunWorker {
  const Body* body;
  void operator()(std::int64_t worker) const { (*body)(static_cast<std::uint32_t>(worker)); }
};

/// Calls `body(worker)` for each worker and waits. These are the threads of the papers' algorithms
/// between two of their barriers. Each worker has a thread of its own if `exec` has as many;
/// results are correct however many of them run at once. `workers` is at most the number of
/// threads.
template <class Exec, class Body>
void for_each_worker(const char* label, const Exec& exec, std::uint32_t workers, const Body& body) {
  backends::for_each_index(label, exec, workers, RunWorker<Body>{&body});
  exec.fence("hashmill::mc_hash: workers refer to variables of their caller");
}

/// Separate memory for each worker, of one size. Each begins on a page of its own, so that workers
/// share no cache line.
class WorkerMemory {
 public:
  template <class Exec, class MemorySpace>
  WorkerMemory(const Exec& exec, std::uint32_t workers, std::uint64_t bytes,
               Workspace<MemorySpace>& workspace)
      : stride_(checked_add(bytes, page - 1, "mc_hash: a worker's memory") / page * page),
        bytes_(workspace
                   .template take<std::byte>(
                       exec, checked_multiply(stride_, workers, "mc_hash: workers' memory"))
                   .data()) {}
  [[nodiscard]] std::byte* of(std::uint32_t worker) const { return bytes_ + worker * stride_; }

 private:
  static constexpr std::uint64_t page = 4096;
  std::uint64_t stride_;
  std::byte* bytes_;
};

}  // namespace hashmill::detail
