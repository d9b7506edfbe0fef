#pragma once

#include <Kokkos_Core.hpp>
#include <cstring>
#include <hashmill/compression/scheme.hpp>
#include <hashmill/key.hpp>
#include <hashmill/murmur.hpp>
#include <type_traits>

/// The bytes of compressed values. They are the same on every machine, whichever wrote them.
///
///     frame     header | directory | tiles
///     header    40 bytes (FrameHeader)
///     directory u64 x tiles: where each tile ends, in bytes behind the directory
///     tile      header, 32 bytes (TileHeader) | values or deltas | run lengths | delta run lengths
///
/// A tile has 2048 values, the last one what remains. The directory makes each tile readable alone.
/// Frames and tiles begin at multiples of 8 bytes. All numbers are little-endian.

namespace hashmill::detail {

/// Values per tile: 16 KiB of 64-bit values, which fit a team's scratch and a thread's first cache.
inline constexpr std::uint32_t compression_tile = 2048;

/// The first bytes of a frame.
struct FrameHeader {
  static constexpr std::uint32_t magic_number = 0x317a6d68;  // "hmz1"
  static constexpr std::uint8_t current_version = 1;

  std::uint32_t magic;
  std::uint8_t version;
  std::uint8_t value_bytes;  ///< 1, 2, 4 or 8
  std::uint8_t scheme;
  std::uint8_t reserved;  ///< 0
  std::uint64_t count;    ///< of values
  std::uint64_t bytes;    ///< of the frame
  std::uint64_t tiles;
  std::uint64_t checksum;  ///< of the header before it and of the directory
};
static_assert(sizeof(FrameHeader) == 40 && std::is_trivially_copyable_v<FrameHeader>);

/// The first bytes of a tile.
struct TileHeader {
  std::uint32_t checksum;  ///< of the tile behind it
  std::uint8_t scheme;     ///< that of the frame, or raw
  std::uint8_t width;      ///< bits of each entry of the first stream
  std::uint8_t run_width;
  std::uint8_t delta_run_width;
  std::uint16_t stored;  ///< entries of the first stream, and of the third if there is one
  std::uint16_t runs;    ///< entries of the second stream; without one, values
  std::uint16_t run_reference;
  std::uint16_t delta_run_reference;
  std::uint64_t reference;  ///< what is added to each entry of the first stream
  std::uint64_t first;      ///< with a delta layer, the first value
};
static_assert(sizeof(TileHeader) == 32 && std::is_trivially_copyable_v<TileHeader>);

/// Whether a scheme has a layer of run lengths over its values, of differences, and of run lengths
/// over these.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr bool has_runs(std::uint8_t scheme) {
  return scheme >= static_cast<std::uint8_t>(CompressionScheme::runs);
}
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr bool has_delta(std::uint8_t scheme) {
  return scheme == static_cast<std::uint8_t>(CompressionScheme::delta) ||
         scheme >= static_cast<std::uint8_t>(CompressionScheme::runs_delta);
}
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr bool has_delta_runs(std::uint8_t scheme) {
  return scheme == static_cast<std::uint8_t>(CompressionScheme::runs_delta_runs);
}
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_raw(std::uint8_t scheme) {
  return scheme == static_cast<std::uint8_t>(CompressionScheme::raw);
}

/// Values are compressed as unsigned words of 32 or 64 bits, in which sums and differences wrap.
template <ScalarKey Value>
using TileWord = std::conditional_t<sizeof(Value) <= 4, std::uint32_t, std::uint64_t>;

/// The unsigned integer of a value's size.
template <ScalarKey Value>
using ValueBits =
    std::conditional_t<sizeof(Value) == 1, std::uint8_t,
                       std::conditional_t<sizeof(Value) == 2, std::uint16_t, TileWord<Value>>>;

/// Whether the least value of a tile is the least as a signed number.
template <ScalarKey Value>
[[nodiscard]] consteval bool has_sign() {
  if constexpr (!std::is_floating_point_v<Value>) return std::is_signed_v<NumberOf<Value>>;
  return false;
}

/// A value as a word, and back. Signed integers keep their sign.
template <ScalarKey Value>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION TileWord<Value> to_word(Value value) {
  if constexpr (std::is_floating_point_v<Value>) {
    return Kokkos::bit_cast<TileWord<Value>>(value);
  } else {
    return static_cast<TileWord<Value>>(static_cast<NumberOf<Value>>(value));
  }
}
template <ScalarKey Value>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value from_word(TileWord<Value> word) {
  if constexpr (std::is_floating_point_v<Value>) {
    return Kokkos::bit_cast<Value>(word);
  } else {
    return static_cast<Value>(static_cast<NumberOf<Value>>(word));
  }
}

/// Tiles that hold `count` values.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t tiles_for(std::uint64_t count) {
  return count / compression_tile + (count % compression_tile != 0);
}

/// Values of tile `tile` of a frame of `count`.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t tile_values(std::uint64_t count,
                                                                              std::uint64_t tile) {
  const std::uint64_t left = count - tile * compression_tile;
  return left < compression_tile ? static_cast<std::uint32_t>(left) : compression_tile;
}

/// Where the first tile of a frame begins.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t first_tile_byte(
    std::uint64_t tiles) {
  return sizeof(FrameHeader) + tiles * sizeof(std::uint64_t);
}

/// What one word adds to a checksum, which is their sum, in any order. As mixing is a bijection, a
/// change of one word is always seen.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t mixed_word(std::uint32_t word,
                                                                             std::uint32_t place) {
  return murmur3_fmix32(word + (place + 1) * 0x9e3779b9U);
}
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t mixed_word(std::uint64_t word,
                                                                             std::uint64_t place) {
  return murmur3_fmix64(word + (place + 1) * 0x9e3779b97f4a7c15U);
}

/// What the four words of a frame's header before its checksum add to that.
[[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint64_t mixed_header(const FrameHeader& header) {
  std::uint64_t words[4];
  std::memcpy(words, &header, sizeof(words));
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 4; ++i) sum += mixed_word(words[i], i);
  return sum;
}

/// What entry `tile` of the directory adds to the checksum of the header.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t mixed_entry(std::uint64_t end,
                                                                    std::uint64_t tile) {
  return mixed_word(end, tile + 4);
}

}  // namespace hashmill::detail
