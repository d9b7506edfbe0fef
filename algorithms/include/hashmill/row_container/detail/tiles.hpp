#pragma once

#include <algorithm>
#include <cstddef>
#include <hashmill/backends/alias_word.hpp>
#include <hashmill/backends/caches.hpp>
#include <hashmill/backends/streaming.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>

namespace hashmill::detail {

/// Rows that one team moves together, and their layout in its scratch.
///
/// On GPUs the stride between rows in scratch is an odd number of units (8 or 16 bytes). Threads
/// that access the same byte of their own rows then use different banks. On hosts rows lie as in
/// memory.
template <class Layout, bool Wide>
struct RowTile {
  static constexpr std::size_t unit = Layout::alignment;
  static constexpr std::size_t stride =
      Wide ? (Layout::row_bytes / unit | 1) * unit : Layout::row_bytes;
  /// Scratch for staged rows. On GPUs several teams must fit a multiprocessor; on hosts it is a
  /// part of the private cache.
  static constexpr std::size_t stage_bytes = std::size_t{Wide ? 24 : 32} << 10;
  /// Rows per tile: a multiple of 8, so that their validity is whole bytes of a bitmap.
  static constexpr std::uint32_t rows = static_cast<std::uint32_t>(
      std::min<std::size_t>(Wide ? 256 : 2048, stage_bytes / stride) / 8 * 8);
  static constexpr std::size_t bytes = rows * stride;

  [[nodiscard]] static std::uint64_t tiles(std::uint64_t num_rows) {
    return num_rows / rows + (num_rows % rows != 0 ? 1 : 0);
  }
};

/// The rows of one tile out of `num_rows`.
template <class Tile>
struct TileRows {
  std::uint64_t begin;
  std::uint32_t count;

  KOKKOS_FORCEINLINE_FUNCTION TileRows(std::uint64_t tile, std::uint64_t num_rows)
      : begin(tile * Tile::rows),
        count(static_cast<std::uint32_t>(num_rows - begin < Tile::rows ? num_rows - begin
                                                                       : Tile::rows)) {}
};

/// Copies `count` rows between the scratch of a team and memory, in the direction that `ToMemory`
/// tells. Adjacent threads access adjacent 16 bytes of memory. Rows in memory are aligned to 8
/// bytes.
template <class Layout, class Tile, bool ToMemory, class Member>
KOKKOS_FUNCTION void move_staged_rows(const Member& team, std::byte* stage, std::byte* memory,
                                      std::uint32_t count) {
  using backends::AliasWord;
  using backends::AliasWordPair;
  constexpr std::uint32_t row_words = Layout::row_bytes / 8;
  constexpr std::uint32_t stage_words = Tile::stride / 8;
  const auto rank = static_cast<std::uint32_t>(team.team_rank());
  const auto threads = static_cast<std::uint32_t>(team.team_size());
  const std::uint32_t words = count * row_words;
  auto* const staged = reinterpret_cast<AliasWord*>(stage);
  auto* const there = reinterpret_cast<AliasWord*>(memory);
  const auto place = [](std::uint32_t w) { return w / row_words * stage_words + w % row_words; };
  const auto head = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(memory) / 8 % 2);
  const std::uint32_t pairs = (words - head) / 2;
  for (std::uint32_t p = rank; p < pairs; p += threads) {
    const std::uint32_t w = head + 2 * p;
    auto* const pair = reinterpret_cast<AliasWordPair*>(there + w);
    if constexpr (ToMemory) {
      *pair = {staged[place(w)], staged[place(w + 1)]};
    } else {
      const AliasWordPair both = *pair;
      staged[place(w)] = both.first;
      staged[place(w + 1)] = both.second;
    }
  }
  const auto move_one = [&](std::uint32_t w) {
    if constexpr (ToMemory) {
      there[w] = staged[place(w)];
    } else {
      staged[place(w)] = there[w];
    }
  };
  if (rank != 0) return;
  if (head != 0) move_one(0);
  if (head + 2 * pairs < words) move_one(words - 1);
}

/// Copies bytes to memory on a host, whole cache lines past the caches. `from` and `to` must have
/// the same offset within a cache line.
inline void stream_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t line = backends::cache_line_bytes;
  const std::size_t behind = reinterpret_cast<std::uintptr_t>(to) % line;
  const std::size_t head = std::min(bytes, behind == 0 ? 0 : line - behind);
  std::memcpy(to, from, head);
  std::size_t done = head;
  for (; done + line <= bytes; done += line) backends::stream_line(to + done, from + done);
  std::memcpy(to + done, from + done, bytes - done);
}

}  // namespace hashmill::detail
