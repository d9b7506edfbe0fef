#pragma once

#include <Kokkos_Core.hpp>
#include <hashmill/backends/execution.hpp>
#include <mutex>

namespace hashmill::test {

/// The execution-space instance of a rank that is a thread, while this lives there. On GPUs it is
/// the thread's own: reductions and scans on one instance share memory, so that Kokkos lets only
/// one thread at a time launch them. On hosts it is the default instance.
class RankExec {
 public:
  using Exec = Kokkos::DefaultExecutionSpace;
  RankExec() : own_(instance()) { current() = &own_; }
  ~RankExec() { current() = nullptr; }
  RankExec(const RankExec&) = delete;
  RankExec& operator=(const RankExec&) = delete;

  /// That of the calling thread; the default instance where the rank is a process.
  [[nodiscard]] static Exec get() { return current() == nullptr ? Exec() : *current(); }

 private:
  [[nodiscard]] static const Exec*& current() {
    thread_local const Exec* exec = nullptr;
    return exec;
  }
  [[nodiscard]] static Exec instance() {
    if constexpr (backends::has_wide_teams<Exec>) {
      static std::mutex one_at_a_time;
      const std::lock_guard lock(one_at_a_time);
      return Kokkos::Experimental::partition_space(Exec(), 1)[0];
    } else {
      return Exec();
    }
  }
  const Exec own_;
};
[[nodiscard]] inline RankExec::Exec rank_exec() { return RankExec::get(); }

}  // namespace hashmill::test
