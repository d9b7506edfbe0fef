#pragma once

#include <cstdint>
#include <hashmill/backends/launch.hpp>

namespace hashmill::backends {

// Groups of lanes: threads of a team with neighbouring ranks that run in step and exchange values
// without memory. All lanes of a group must call these functions together. Different groups need
// not.

/// Lanes per group. 1 where the backend has no exchange between threads, so that code for groups
/// becomes code for single threads.
template <ExecutionSpace Exec>
inline constexpr unsigned group_lanes = 1;
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr unsigned group_lanes<Kokkos::Cuda> = 8;
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
inline constexpr unsigned group_lanes<Kokkos::HIP> = 8;
#endif

/// A thread's place in its group, found from its rank in the team. The exchanges involve its whole
/// group.
template <ExecutionSpace Exec>
class LaneGroup {
 public:
  /// Lanes of the group.
  static constexpr unsigned lanes = group_lanes<Exec>;

  /// The group of the thread with that rank in its team.
  KOKKOS_FORCEINLINE_FUNCTION explicit LaneGroup(unsigned team_rank)
      : lane_(team_rank % lanes), shift_(team_rank % 32 / lanes * lanes) {}

  /// The place of the thread in its group, below `lanes`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned lane() const { return lane_; }

  /// The value of another lane.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t broadcast(
      std::uint32_t value, [[maybe_unused]] unsigned from) const {
    if constexpr (lanes > 1) {
#if defined(__CUDA_ARCH__)
      return __shfl_sync(mask(), value, static_cast<int>(from), lanes);
#elif defined(__HIP_DEVICE_COMPILE__)
      return __shfl(value, static_cast<int>(from), lanes);
#endif
    }
    return value;
  }
  /// The sum over the group, in every lane.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t sum(std::uint32_t value) const {
    if constexpr (lanes > 1) {
      for (unsigned distance = lanes / 2; distance != 0; distance /= 2) {
#if defined(__CUDA_ARCH__)
        value += __shfl_xor_sync(mask(), value, static_cast<int>(distance), lanes);
#elif defined(__HIP_DEVICE_COMPILE__)
        value += __shfl_xor(value, static_cast<int>(distance), lanes);
#endif
      }
    }
    return value;
  }
  /// The sum over the lanes before this one; `total` receives the sum over the group.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t sum_before(std::uint32_t value,
                                                                     std::uint32_t& total) const {
    std::uint32_t up_to_here = value;
    if constexpr (lanes > 1) {
      for (unsigned distance = 1; distance < lanes; distance *= 2) {
        std::uint32_t before = 0;
#if defined(__CUDA_ARCH__)
        before = __shfl_up_sync(mask(), up_to_here, distance, lanes);
#elif defined(__HIP_DEVICE_COMPILE__)
        before = __shfl_up(up_to_here, distance, lanes);
#endif
        up_to_here += lane_ >= distance ? before : 0;
      }
    }
    total = broadcast(up_to_here, lanes - 1);
    return up_to_here - value;
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned mask() const {
    return static_cast<unsigned>(((std::uint64_t{1} << lanes) - 1) << shift_);
  }

  unsigned lane_;
  unsigned shift_;  // of the group's first lane in its warp
};

}  // namespace hashmill::backends
