#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/publish.hpp>

namespace hashmill::detail {

/// The number of a part, as partitions read it: of a rank, where there is one part for each.
using PartNumber = std::uint16_t;
inline constexpr std::uint64_t most_parts = std::uint64_t{1} << 16;

/// Finds and writes the parts of rows. Part 0 stands for one that does not exist, which is
/// reported.
template <class PartOf>
struct PartWriter {
  PartOf part_of;
  PartNumber* out;
  std::uint64_t parts;
  std::uint64_t* wrong;  // a row with a part that does not exist, + 1

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t find(std::uint64_t row) const {
    return static_cast<std::uint64_t>(part_of(row));
  }
  /// Writes what `find` found, and returns the part.
  KOKKOS_FORCEINLINE_FUNCTION PartNumber write(std::uint64_t row, std::uint64_t part) const {
    if (part >= parts) backends::store_relaxed(wrong, row + 1);
    return out[row] = part < parts ? static_cast<PartNumber>(part) : PartNumber{0};
  }
};
/// Does so for each row.
template <class PartOf>
struct WriteParts {
  PartWriter<PartOf> writer;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto row = static_cast<std::uint64_t>(i);
    writer.write(row, writer.find(row));
  }
};

}  // namespace hashmill::detail
