#pragma once

#include <Kokkos_Core.hpp>
#include <hashmill/compression/detail/frame.hpp>
#include <hashmill/detail/handed_over.hpp>

namespace hashmill {

/// The values of a column, compressed. `compress` makes it, `decompress` reads all of its values
/// or some of them.
///
/// It owns one frame: bytes that describe themselves, and that are the same on every machine. They
/// may be written to a file or sent, and read again by `compressed_from_frame`.
///
///     | bytes                          | what                                     |
///     |--------------------------------|------------------------------------------|
///     | 40                             | number of values, scheme, checksum       |
///     | 8 per tile of 2048 values      | where the tile ends                      |
///     | 32 per tile                    | its scheme, least value, bits per value  |
///     | 128 to 16 KiB per tile, or none| packed values, and run lengths if any    |
///
/// Copies share the frame, which none can change. Const members may overlap each other.
template <ScalarKey Value, class MemorySpace>
class CompressedColumn {
 public:
  using value_type = Value;
  using memory_space = MemorySpace;
  /// Its name in labels of regions and fences.
  static constexpr const char* label = "hashmill::CompressedColumn";

  /// A column without values, and without a frame.
  CompressedColumn() = default;

  /// Number of values.
  [[nodiscard]] std::uint64_t size() const { return header_.count; }
  /// Bytes of the frame.
  [[nodiscard]] std::uint64_t bytes() const { return frame_.extent(0); }
  /// How the values are compressed. Single tiles may be raw.
  [[nodiscard]] CompressionScheme scheme() const {
    return static_cast<CompressionScheme>(header_.scheme);
  }
  /// Bytes of the values, uncompressed, for each byte of the frame; 1 where there are none.
  [[nodiscard]] double ratio() const {
    if (size() == 0) return 1;
    return static_cast<double>(size() * sizeof(Value)) / static_cast<double>(bytes());
  }
  /// The frame. It lives as long as a copy of this column or of this view.
  [[nodiscard]] Kokkos::View<const std::byte*, MemorySpace> frame() const { return frame_; }

  /// A column of a frame that is known to be right, whose header is `header`.
  CompressedColumn(const Kokkos::View<const std::byte*, MemorySpace>& frame,
                   const detail::FrameHeader& header)
      : frame_(frame), header_(header) {}

 private:
  Kokkos::View<const std::byte*, MemorySpace> frame_;
  detail::FrameHeader header_{};
};

}  // namespace hashmill
