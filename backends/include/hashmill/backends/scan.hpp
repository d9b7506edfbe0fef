#pragma once

#include <cstdint>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/workspace.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cub/device/device_scan.cuh>
#endif

namespace hashmill::backends {

/// One step of `exclusive_scan` on backends without a scan of their own.
template <class View>
struct ScanStep {
  using T = typename View::non_const_value_type;
  View values;

  KOKKOS_FUNCTION void operator()(const std::int64_t i, T& sum, const bool last) const {
    const T value = values(i);
    if (last) values(i) = sum;
    sum += value;
  }
};

/// All steps, by one thread.
template <class View>
struct ScanAlone {
  ScanStep<View> step;
  void operator()(std::int64_t) const {
    typename ScanStep<View>::T sum{};
    const auto count = static_cast<std::int64_t>(step.values.extent(0));
    for (std::int64_t i = 0; i < count; ++i) step(i, sum, true);
  }
};

/// Replaces `values` by its exclusive prefix sum, in place. Asynchronous on `exec`. On hosts one
/// thread sums up few values: threads of a scan wait for each other actively, which takes
/// milliseconds where others want their cores.
///
/// Writes each element once. Reads it once where the backend has a single-pass scan (CUB), else
/// twice. The sum must fit `T`: callers choose `T` from their checked sizes.
template <ExecutionSpace Exec, class T, class MemorySpace, class... Properties>
void exclusive_scan(const Exec& exec, const Kokkos::View<T*, Properties...>& values,
                    Workspace<MemorySpace>&) {
  using Step = ScanStep<Kokkos::View<T*, Properties...>>;
  if constexpr (!has_wide_teams<Exec>) {
    constexpr std::uint64_t few = 1 << 13;
    if (values.extent(0) <= few) {
      using Alone = ScanAlone<Kokkos::View<T*, Properties...>>;
      return for_each_index("hashmill::exclusive_scan", exec, 1, Alone{Step{values}});
    }
  }
  Kokkos::parallel_scan("hashmill::exclusive_scan", range(exec, values.extent(0)), Step{values});
}

#ifdef KOKKOS_ENABLE_CUDA
/// CUDA: CUB's single-pass scan, five times as fast as `parallel_scan` on an H200. Its temporary
/// memory comes from `workspace`. Throws BackendError where CUB fails.
template <class T, class MemorySpace, class... Properties>
void exclusive_scan(const Kokkos::Cuda& exec, const Kokkos::View<T*, Properties...>& values,
                    Workspace<MemorySpace>& workspace) {
  const auto scan = [&](void* temporary, std::size_t& bytes) {
    const cudaError_t status = cub::DeviceScan::ExclusiveSum(
        temporary, bytes, values.data(), values.data(), static_cast<std::int64_t>(values.extent(0)),
        exec.cuda_stream());
    if (status != cudaSuccess) {
      throw BackendError(std::string("cub::DeviceScan::ExclusiveSum: ") +
                         cudaGetErrorString(status));
    }
  };
  if (values.extent(0) == 0) return;
  Kokkos::Profiling::ScopedRegion region("hashmill::exclusive_scan");
  typename Workspace<MemorySpace>::Frame frame(workspace);
  std::size_t bytes = 0;
  scan(nullptr, bytes);
  scan(workspace.template take<std::byte>(exec, bytes).data(), bytes);
}
#endif

}  // namespace hashmill::backends
