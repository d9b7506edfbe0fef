#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace hashmill::backends {

/// A GPU of any machine.
struct GpuPlace {
  std::uint64_t machine;      ///< as in `ProcessPlace`
  std::array<char, 32> name;  ///< its address on the PCI bus of that machine, ended by a null

  /// Whether both are the same GPU.
  friend bool operator==(const GpuPlace& a, const GpuPlace& b) {
    return a.machine == b.machine && std::string(a.name.data()) == b.name.data();
  }
};

/// The first two ranks that are on one GPU, if any; `places` has the place of each rank.
[[nodiscard]] inline std::optional<std::pair<int, int>> ranks_of_one_gpu(
    std::span<const GpuPlace> places) {
  for (std::size_t second = 1; second < places.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      if (places[first] == places[second]) {
        return std::pair(static_cast<int>(first), static_cast<int>(second));
      }
    }
  }
  return std::nullopt;
}

}  // namespace hashmill::backends
