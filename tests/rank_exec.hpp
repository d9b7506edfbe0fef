#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <hashmill/backends/execution.hpp>
#include <vector>

namespace hashmill::test {

/// Makes `exec` the execution-space instance of the calling thread, a rank, while this lives.
class RankExec {
 public:
  using Exec = Kokkos::DefaultExecutionSpace;
  explicit RankExec(const Exec& exec) : own_(exec) { current() = &own_; }
  ~RankExec() { current() = nullptr; }
  RankExec(const RankExec&) = delete;
  RankExec& operator=(const RankExec&) = delete;

  /// Instances for `ranks` threads. On GPUs each has its own: reductions and scans on one instance
  /// share memory, so that Kokkos lets only one thread at a time launch them. On hosts all have the
  /// default instance.
  [[nodiscard]] static std::vector<Exec> of_threads(int ranks) {
    const auto size = static_cast<std::size_t>(ranks);
    if constexpr (backends::has_wide_teams<Exec>) {
      return Kokkos::Experimental::partition_space(Exec(), std::vector<int>(size, 1));
    } else {
      return std::vector<Exec>(size);
    }
  }

  /// That of the calling thread; the default instance where the rank is a process.
  [[nodiscard]] static Exec get() { return current() == nullptr ? Exec() : *current(); }

 private:
  [[nodiscard]] static const Exec*& current() {
    thread_local const Exec* exec = nullptr;
    return exec;
  }
  const Exec own_;
};
[[nodiscard]] inline RankExec::Exec rank_exec() { return RankExec::get(); }

}  // namespace hashmill::test
