#pragma once

#include <cstdint>
#include <hashmill/backends/launch.hpp>

namespace hashmill::backends {

/// Lanes of a warp: threads of a team with neighbouring ranks that can vote. 1 where the backend
/// has no votes, so that each thread is by itself. A wave of HIP with 64 lanes is two warps.
template <ExecutionSpace Exec>
inline constexpr unsigned warp_lanes = 1;
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr unsigned warp_lanes<Kokkos::Cuda> = 32;
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
inline constexpr unsigned warp_lanes<Kokkos::HIP> = 32;
#endif

/// The lanes of a warp whose records have one digit, as one of them sees the others.
struct Peers {
  std::uint32_t before;  ///< those in lanes before this one
  std::uint32_t count;   ///< all of them, this one included
  bool first;            ///< this lane has a record and is the first of them
};

/// A thread's place in its warp, whose lanes compare the digits of their records. It takes one vote
/// for each bit of a digit, and no memory. All lanes of a warp must call these functions together,
/// those without a record too. Different warps need not.
template <ExecutionSpace Exec>
class WarpPeers {
 public:
  /// Lanes of the warp. Divides `team_threads`.
  static constexpr unsigned lanes = warp_lanes<Exec>;
  static_assert(team_threads<Exec> % lanes == 0);

  /// The warp of the thread with that rank in its team.
  KOKKOS_FORCEINLINE_FUNCTION explicit WarpPeers(unsigned team_rank) : lane_(team_rank % lanes) {}

  /// The place of the thread in its warp, below `lanes`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned lane() const { return lane_; }

  /// The lanes that have the same digit of `bits` bits as this one. `there`: this lane has a
  /// record.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Peers peers(std::uint32_t digit, unsigned bits,
                                                        bool there) const {
    const std::uint32_t mask = lanes_with(digit, bits, there);
    const std::uint32_t before = ones(mask & ((std::uint32_t{1} << lane_) - 1));
    return {before, ones(mask), there && before == 0};
  }
  /// Lanes see what the others have written to scratch before.
  KOKKOS_FORCEINLINE_FUNCTION void sync() const {
#if defined(__CUDA_ARCH__)
    __syncwarp();
#elif defined(__HIP_DEVICE_COMPILE__)
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
#endif
  }

 private:
  /// A bit for each lane that has a record with this lane's digit.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t lanes_with(
      [[maybe_unused]] std::uint32_t digit, [[maybe_unused]] unsigned bits, bool there) {
    if constexpr (lanes == 1) {
      return there ? 1 : 0;
    } else {
      std::uint32_t mask = vote(there);
      for (unsigned b = 0; b < bits; ++b) {
        const bool is_set = (digit >> b & 1) != 0;
        const std::uint32_t set = vote(is_set);
        mask &= is_set ? set : ~set;
      }
      return mask;
    }
  }
  /// A bit for each lane: its `yes`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t vote(bool yes) {
#if defined(__CUDA_ARCH__)
    return __ballot_sync(0xFFFFFFFFU, yes);
#elif defined(__HIP_DEVICE_COMPILE__)
    return static_cast<std::uint32_t>(__ballot(yes) >> (__lane_id() & 32U));
#else
    return yes ? 1 : 0;
#endif
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t ones(std::uint32_t mask) {
    return static_cast<std::uint32_t>(Kokkos::popcount(mask));
  }

  unsigned lane_;
};

}  // namespace hashmill::backends
