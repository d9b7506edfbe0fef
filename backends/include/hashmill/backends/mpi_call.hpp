#pragma once

#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <hashmill/backends/transport.hpp>
#include <hashmill/communication_options.hpp>
#include <hashmill/error.hpp>
#include <string>
#include <thread>

namespace hashmill::backends {

/// The text of an MPI error code.
[[nodiscard]] inline std::string mpi_error_text(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return std::to_string(code);
  return {text, static_cast<std::size_t>(length)};
}

/// Throws `BackendError` where a call of MPI failed.
inline void require_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  throw BackendError(std::string("mpi: ") + call + " failed: " + mpi_error_text(code));
}

/// Waits for a request of a collective call of MPI. Throws CommunicationError where that takes
/// longer than `limit`, after which MPI may still write to its arrays.
inline void wait_for(MPI_Request& request, std::chrono::milliseconds limit, int rank,
                     const char* phase) {
  constexpr std::uint64_t looks_a_yield = 64;  // MPI may take several looks for one step
  const auto began = std::chrono::steady_clock::now();
  int done = 0;
  std::uint64_t looks = 0;
  require_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  while (done == 0) {
    if (std::chrono::steady_clock::now() - began > limit) {
      throw CommunicationError("rank " + std::to_string(rank) + ", " + phase +
                                   ": not all ranks came within " + std::to_string(limit.count()) +
                                   " ms",
                               rank, phase);
    }
    if (++looks % looks_a_yield == 0) std::this_thread::yield();
    require_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  }
}

/// Whether MPI says that it takes addresses of device memory. Open MPI and MPICH tell it; of others
/// it is not known, so they count as not able to.
[[nodiscard]] inline bool mpi_says_gpu_aware() {
  int aware = 0;
#if defined(KOKKOS_ENABLE_CUDA) && defined(MPIX_CUDA_AWARE_SUPPORT)
  aware = MPIX_Query_cuda_support();
#elif defined(KOKKOS_ENABLE_CUDA) && defined(MPIX_GPU_SUPPORT_CUDA)
  MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &aware);
#elif defined(KOKKOS_ENABLE_HIP) && defined(MPIX_ROCM_AWARE_SUPPORT)
  aware = MPIX_Query_rocm_support();
#elif defined(KOKKOS_ENABLE_HIP) && defined(MPIX_GPU_SUPPORT_HIP)
  MPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &aware);
#endif
  return aware != 0;
}

/// Whether this rank gives MPI addresses of device memory: by the option, else by
/// HASHMILL_MPI_GPU_AWARE, else as MPI says. Throws InvalidArgument where that is neither 0 nor 1.
[[nodiscard]] inline bool mpi_is_gpu_aware(GpuAware option) {
  if (option != GpuAware::automatic) return option == GpuAware::yes;
  if (const char* const set = std::getenv("HASHMILL_MPI_GPU_AWARE")) {
    const std::string value = set;
    if (value != "0" && value != "1") {
      throw InvalidArgument("HASHMILL_MPI_GPU_AWARE is '" + value + "', but 0 or 1 is needed");
    }
    return value == "1";
  }
  using Memory = Kokkos::DefaultExecutionSpace::memory_space;
  return memory_kind<Memory> == MemoryKind::host || mpi_says_gpu_aware();
}

}  // namespace hashmill::backends
