#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <type_traits>

namespace hashmill::backends {

/// True where a team is a block of many threads that share fast scratch memory (GPUs). False where
/// the best team is one thread with its caches (CPUs). It is the only question that algorithms ask
/// about a machine: it chooses between the team engine and the host engine of `partition`.
template <class ExecutionSpace>
inline constexpr bool has_wide_teams = false;

#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr bool has_wide_teams<Kokkos::Cuda> = true;
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
inline constexpr bool has_wide_teams<Kokkos::HIP> = true;
#endif
#ifdef KOKKOS_ENABLE_SYCL
template <>
inline constexpr bool has_wide_teams<Kokkos::SYCL> = true;
#endif

/// A Kokkos execution space instance type.
template <class T>
concept ExecutionSpace = Kokkos::is_execution_space_v<std::remove_cvref_t<T>>;

/// The number of the device that `exec` runs on; 0 where there is only one.
template <ExecutionSpace Exec>
[[nodiscard]] int device_of([[maybe_unused]] const Exec& exec) {
  if constexpr (requires { exec.cuda_device(); }) {
    return exec.cuda_device();
  } else if constexpr (requires { exec.hip_device(); }) {
    return exec.hip_device();
  } else {
    return 0;
  }
}

/// A range from 0 to `count` with 64-bit indices on `exec`, for every flat kernel here.
template <ExecutionSpace Exec>
[[nodiscard]] auto range(const Exec& exec, std::uint64_t count) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  return Policy(exec, 0, static_cast<std::int64_t>(count));
}

/// As `range`, for iterations of unequal length: where the backend can, threads take one at a time.
template <ExecutionSpace Exec>
[[nodiscard]] auto uneven_range(const Exec& exec, std::uint64_t count) {
  using Policy =
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>, Kokkos::Schedule<Kokkos::Dynamic>>;
  return Policy(exec, 0, static_cast<std::int64_t>(count), Kokkos::ChunkSize(1));
}

}  // namespace hashmill::backends
