#pragma once

#include <algorithm>
#include <hashmill/backends/host_kernel.hpp>
#include <hashmill/backends/slices.hpp>
#include <utility>

namespace hashmill::backends {

/// A host kernel of consecutive indices. Its copy of the kernel is its own, so that the compiler
/// knows that nothing the kernel writes changes it.
template <class Kernel>
struct RunIndices {
  Kernel kernel;
  void operator()(std::int64_t begin, std::int64_t end) const {
    const Kernel own = kernel;
    for (std::int64_t i = begin; i < end; ++i) own(i);
  }
};

/// A thread's share of a loop: as many consecutive indices as the others have, or one more.
struct RunShare {
  HostKernel<std::int64_t, std::int64_t> kernel;
  std::uint64_t count;
  std::uint64_t threads;
  void operator()(std::int64_t thread) const {
    const auto t = static_cast<std::uint64_t>(thread);
    kernel(static_cast<std::int64_t>(slice_begin(t, threads, count)),
           static_cast<std::int64_t>(slice_begin(t + 1, threads, count)));
  }
};

/// Launches shares of a loop; compiled once for all kernels.
template <ExecutionSpace Exec>
void launch_shares(const char* label, const Exec& exec, std::uint64_t count,
                   HostKernel<std::int64_t, std::int64_t> kernel) {
  const std::uint64_t threads =
      std::max<std::uint64_t>(1, std::min<std::uint64_t>(count, exec.concurrency()));
  Kokkos::parallel_for(label, range(exec, threads), RunShare{std::move(kernel), count, threads});
}

/// Calls `kernel(i)` for each i below `count`; asynchronous on `exec`. `kernel`: a trivially
/// copyable functor, `void (std::int64_t) const`.
///
/// As Kokkos::parallel_for over a range. On hosts each thread has a contiguous share, as it has
/// there. A kernel is compiled as one loop over a copy of its own, and what launches it once for
/// all kernels. Measured with 2^22 keys of 8 bytes on one thread: version 1 of a HashGraph's build
/// takes 18 % less time than with Kokkos::parallel_for, `gather` 12 %.
template <ExecutionSpace Exec, class Kernel>
void for_each_index(const char* label, const Exec& exec, std::uint64_t count,
                    const Kernel& kernel) {
  if (count == 0) return;
  if constexpr (has_wide_teams<Exec>) {
    Kokkos::parallel_for(label, range(exec, count), kernel);
  } else {
    launch_shares(label, exec, count, RunIndices<Kernel>{kernel});
  }
}

}  // namespace hashmill::backends
