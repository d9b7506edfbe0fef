#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hashmill {

/// How the values of a column are compressed: a cascade of at most two run-length layers and one
/// delta layer. Its last layer subtracts the least value of each tile and keeps as many bits of
/// each value as the greatest needs (frame of reference, bit packing).
///
///     | scheme         | run-length layers | delta layers | for values that                    |
///     |----------------|-------------------|--------------|------------------------------------|
///     | raw            | 0, nothing packed | 0            | differ in all bits, as hashes do   |
///     | pack           | 0                 | 0            | are small, or near each other      |
///     | delta          | 0                 | 1            | grow by little, as sorted keys do  |
///     | runs           | 1                 | 0            | repeat                             |
///     | runs_delta     | 1                 | 1            | repeat, and grow by little         |
///     | runs_delta_runs| 2                 | 1            | repeat, and grow by equal steps    |
///
/// A tile that a scheme would make larger is kept raw, whatever the scheme.
///
/// Source: Gao & Sakharnykh, "Scaling Joins to a Thousand GPUs", section 4; NVIDIA's nvCOMP.
enum class CompressionScheme : std::uint8_t {
  raw,
  pack,
  delta,
  runs,
  runs_delta,
  runs_delta_runs,
  automatic,  ///< the one that makes a sample of the tiles smallest; never that of a frame
};

/// The schemes that a frame may have, simple ones first.
inline constexpr std::array compression_schemes{
    CompressionScheme::raw,  CompressionScheme::pack,       CompressionScheme::delta,
    CompressionScheme::runs, CompressionScheme::runs_delta, CompressionScheme::runs_delta_runs};

/// The name of a scheme, as in the table above.
[[nodiscard]] constexpr std::string_view name(CompressionScheme scheme) {
  constexpr std::array<std::string_view, 7> names{
      "raw", "pack", "delta", "runs", "runs_delta", "runs_delta_runs", "automatic"};
  const auto number = static_cast<std::size_t>(scheme);
  return number < names.size() ? names[number] : "unknown";
}

}  // namespace hashmill
