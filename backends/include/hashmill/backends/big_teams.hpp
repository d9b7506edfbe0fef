#pragma once

#include <algorithm>
#include <hashmill/backends/event.hpp>
#include <hashmill/backends/host_kernel.hpp>
#include <hashmill/backends/launch.hpp>

namespace hashmill::backends {

#ifdef KOKKOS_ENABLE_CUDA
/// The scratch of a CudaTeam, of which it gives away one piece after another.
class CudaTeamScratch {
 public:
  /// Scratch from `begin` on.
  KOKKOS_FORCEINLINE_FUNCTION explicit CudaTeamScratch(std::byte* begin) : next_(begin) {}
  /// The next `bytes` bytes, from a multiple of `alignment` on. The launch has asked for enough.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION void* get_shmem_aligned(std::size_t bytes,
                                                                    std::size_t alignment) const {
    next_ += (alignment - reinterpret_cast<std::uintptr_t>(next_) % alignment) % alignment;
    std::byte* const piece = next_;
    next_ += bytes;
    return piece;
  }

 private:
  mutable std::byte* next_;
};

/// A team of a kernel that BigTeams launches: what is needed here of a member of Kokkos's teams. On
/// the host there is none.
class CudaTeam {
 public:
  /// The team of this thread, whose scratch begins at `scratch`.
  KOKKOS_FORCEINLINE_FUNCTION explicit CudaTeam(std::byte* scratch) : scratch_(scratch) {}
  /// The number of the team.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int league_rank() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(blockIdx.x);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  /// The number of teams.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int league_size() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(gridDim.x);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  /// The number of the thread in its team.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int team_rank() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(threadIdx.x);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  /// The number of threads of the team.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int team_size() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(blockDim.x);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  /// Waits for the other threads of the team, and sees what they have written.
  KOKKOS_FORCEINLINE_FUNCTION void team_barrier() const { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }
  /// The scratch of the team.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const CudaTeamScratch& team_shmem() const {
    return scratch_;
  }

 private:
  CudaTeamScratch scratch_;
};

/// Calls a kernel for this thread's team.
template <class Team, class Kernel, int Threads, int Together>
__global__ void __launch_bounds__(Threads, Together) run_team(const Kernel kernel) {
  extern __shared__ int4 hashmill_team_scratch[];
  kernel(Team(reinterpret_cast<std::byte*>(hashmill_team_scratch)));
}

/// Tells Kokkos's tools of a launch that is not Kokkos's own.
class ToldLaunch {
 public:
  /// A kernel of that name begins.
  ToldLaunch(const char* label, const Kokkos::Cuda& exec) {
    if (!Kokkos::Tools::profileLibraryLoaded()) return;
    told_ = true;
    Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &kernel_);
  }
  ~ToldLaunch() {
    if (told_) Kokkos::Tools::endParallelFor(kernel_);
  }
  ToldLaunch(const ToldLaunch&) = delete;
  ToldLaunch& operator=(const ToldLaunch&) = delete;

 private:
  bool told_ = false;
  std::uint64_t kernel_ = 0;
};
#endif

/// Teams with more threads or scratch than `team_shape` has, for kernels that stage much in
/// scratch. `Together` of them are to run on a multiprocessor side by side, which limits the
/// registers and the scratch of each.
///
///     | backend | threads            | scratch of a team                                        |
///     |---------|--------------------|----------------------------------------------------------|
///     | CUDA    | `Threads`          | its share of a multiprocessor's: 113 KiB of two on an    |
///     |         |                    | H200. Kokkos 5.0 stops at 48 KiB, so the launch is ours  |
///     | other   | `team_threads`     | as much as `team_shape` has                              |
template <ExecutionSpace Exec, int Threads, int Together>
struct BigTeams {
  using execution_space = Exec;  ///< where they run
  /// What a kernel gets: a member of a team.
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  /// Threads of a team.
  static constexpr int threads = team_threads<Exec>;

  /// The most bytes of scratch that a team may have.
  [[nodiscard]] static std::size_t scratch_limit(const Exec&) {
    return team_shape<Exec>().scratch_bytes;
  }
  /// Teams that run at the same time; on hosts, threads.
  [[nodiscard]] static std::uint64_t concurrent(const Exec& exec) { return concurrent_teams(exec); }
  /// Runs `kernel` with `teams` teams, each with that much scratch. Asynchronous.
  template <class Kernel>
  static void launch(const char* label, const Exec& exec, int teams, std::size_t scratch_bytes,
                     const Kernel& kernel) {
    Kokkos::TeamPolicy<Exec> policy(exec, teams, threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes)));
    Kokkos::parallel_for(label, policy, launchable<Exec, const Member&>(kernel));
  }
};

#ifdef KOKKOS_ENABLE_CUDA
template <int Threads, int Together>
struct BigTeams<Kokkos::Cuda, Threads, Together> {
  using execution_space = Kokkos::Cuda;
  using Member = CudaTeam;
  static constexpr int threads = Threads;

  [[nodiscard]] static std::size_t scratch_limit(const Kokkos::Cuda& exec) {
    const std::size_t reserved = attribute(exec, cudaDevAttrReservedSharedMemoryPerBlock);
    const std::size_t share =
        attribute(exec, cudaDevAttrMaxSharedMemoryPerMultiprocessor) / Together - reserved;
    return std::min(share, attribute(exec, cudaDevAttrMaxSharedMemoryPerBlockOptin));
  }
  [[nodiscard]] static std::uint64_t concurrent(const Kokkos::Cuda& exec) {
    return attribute(exec, cudaDevAttrMultiProcessorCount) * Together;
  }
  template <class Kernel>
  static void launch(const char* label, const Kokkos::Cuda& exec, int teams,
                     std::size_t scratch_bytes, const Kernel& kernel) {
    if (teams == 0) return;
    const ToldLaunch told(label, exec);
    require_cuda(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    const auto run = run_team<CudaTeam, Kernel, Threads, Together>;
    // Always as much as there is: several threads may launch the same kernel, which has one limit.
    const auto most = static_cast<int>(attribute(exec, cudaDevAttrMaxSharedMemoryPerBlockOptin));
    require_cuda(cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
                 "cudaFuncSetAttribute");
    // Its own result, since the last error may be another's: an event that was not reached yet.
    void* arguments[] = {const_cast<Kernel*>(&kernel)};
    require_cuda(cudaLaunchKernel(run, dim3(static_cast<unsigned>(teams)), dim3(Threads), arguments,
                                  scratch_bytes, exec.cuda_stream()),
                 label);
  }

 private:
  static std::size_t attribute(const Kokkos::Cuda& exec, cudaDeviceAttr which) {
    int value = 0;
    require_cuda(cudaDeviceGetAttribute(&value, which, exec.cuda_device()),
                 "cudaDeviceGetAttribute");
    return static_cast<std::size_t>(value);
  }
};
#endif

}  // namespace hashmill::backends
