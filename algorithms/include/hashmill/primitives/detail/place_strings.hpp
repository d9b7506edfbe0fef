#pragma once

#include <cstring>
#include <hashmill/backends/alias_word.hpp>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/owned_column.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>
#include <hashmill/primitives/detail/owner_of.hpp>
#include <hashmill/string_view.hpp>

namespace hashmill::detail {

/// Writes the length of each string of a column, 0 for nulls, and 0 after the last string.
template <class Column>
struct MeasureString {
  Column column;
  std::uint64_t count;
  std::uint64_t* sizes;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    std::uint64_t size = 0;
    if (i < count && !column.is_null(i)) size = StringView(column(i)).size;
    sizes[i] = size;
  }
};

/// Places the strings of a column one after the other: writes where each begins to `offsets`, which
/// has one more element than there are strings. Returns their total length. Waits for `exec`.
template <class Exec, class Column, class Offsets, class MemorySpace>
std::uint64_t place_strings(const Exec& exec, const Column& column, const Offsets& offsets,
                            Workspace<MemorySpace>& workspace) {
  const std::uint64_t count = offsets.extent(0) - 1;
  backends::for_each_index("hashmill::strings::measure", exec, count + 1,
                           MeasureString<Column>{column, count, offsets.data()});
  backends::exclusive_scan(exec, offsets, workspace);
  return backends::fetch(exec, offsets, count,
                         "hashmill::strings: the bytes of strings size their memory");
}

/// Copies strings to where `place_strings` placed them. A team writes a tile of the output,
/// whichever strings it belongs to. So one string of millions of bytes costs no more than many
/// short ones. On GPUs a thread writes 16 bytes and its neighbour the next 16; there `bytes` is
/// aligned to 16.
template <class Exec, bool Wide, class Column>
struct CopyStringTile {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr std::uint64_t tile_bytes = Wide ? 8192 : 65536;
  static constexpr std::uint64_t piece_bytes = Wide ? 16 : tile_bytes;
  Column column;
  const std::uint64_t* offsets;
  std::uint64_t count;
  std::uint64_t total;
  char* bytes;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::uint64_t begin = static_cast<std::uint64_t>(team.league_rank()) * tile_bytes;
    const std::uint64_t end = begin + tile_bytes < total ? begin + tile_bytes : total;
    const std::uint64_t low = owner_of(offsets, begin, 0, count);
    const std::uint64_t high = Wide ? owner_of(offsets, end - 1, low, count) + 1 : count;
    const auto threads = static_cast<std::uint64_t>(team.team_size());
    for (std::uint64_t b = begin + static_cast<std::uint64_t>(team.team_rank()) * piece_bytes;
         b < end; b += threads * piece_bytes) {
      const std::uint64_t e = b + piece_bytes < end ? b + piece_bytes : end;
      if constexpr (Wide) {
        copy_piece(b, e, owner_of(offsets, b, low, high));
      } else {
        copy_runs(b, e, low);
      }
    }
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const char* data(std::uint64_t i) const {
    return StringView(column(i)).data;
  }
  /// Copies bytes b to e - 1, the first of which belongs to string i.
  KOKKOS_FORCEINLINE_FUNCTION void copy_runs(std::uint64_t b, std::uint64_t e,
                                             std::uint64_t i) const {
    for (; b < e; ++i) {
      const std::uint64_t string_end = offsets[i + 1];
      if (string_end <= b) continue;  // an empty string
      const std::uint64_t until = string_end < e ? string_end : e;
      std::memcpy(bytes + b, data(i) + (b - offsets[i]), until - b);
      b = until;
    }
  }
  /// As above, for a piece of the output that is written at once.
  KOKKOS_FORCEINLINE_FUNCTION void copy_piece(std::uint64_t b, std::uint64_t e,
                                              std::uint64_t i) const {
    std::uint64_t words[2] = {0, 0};
    std::uint64_t string_end = offsets[i + 1];
    const char* from = data(i) + (b - offsets[i]);
    backends::unrolled<16>([&](unsigned k) {
      if (b + k >= e) return;
      if (b + k == string_end) {
        while (offsets[++i + 1] == string_end) {  // empty strings
        }
        string_end = offsets[i + 1];
        from = data(i);
      }
      words[k / 8] |= std::uint64_t{static_cast<unsigned char>(*from++)} << (8 * (k % 8));
    });
    if (e - b == piece_bytes) {
      *reinterpret_cast<backends::AliasWordPair*>(bytes + b) = {words[0], words[1]};
    } else {
      for (std::uint64_t k = 0; k < e - b; ++k) {
        bytes[b + k] = static_cast<char>(words[k / 8] >> (8 * (k % 8)));
      }
    }
  }
};

/// Copies all strings, of `total` bytes. Asynchronous.
template <bool Wide, class Exec, class Column>
void copy_strings(const Exec& exec, const Column& column, const std::uint64_t* offsets,
                  std::uint64_t count, std::uint64_t total, char* bytes) {
  using Kernel = CopyStringTile<Exec, Wide, Column>;
  if (total == 0) return;
  const std::uint64_t tiles = (total - 1) / Kernel::tile_bytes + 1;
  launch_tiles<Wide, Kokkos::TeamPolicy<Exec>>("hashmill::strings::copy", exec, tiles, 0,
                                               Kernel{column, offsets, count, total, bytes});
}

/// Strings whose offsets and bits have memory for `count` of them, and whose bytes have none yet.
/// Throws CapacityError when memory does not suffice.
template <class MemorySpace, class Exec>
[[nodiscard]] OwnedStrings<MemorySpace> allocate_strings(const Exec& exec, std::uint64_t count) {
  OwnedStrings<MemorySpace> strings;
  strings.offsets = backends::allocate<decltype(strings.offsets)>(
      exec, "hashmill::strings::offsets", checked_add(count, 1, "offsets of strings"));
  strings.valid_bits = backends::allocate<decltype(strings.valid_bits)>(
      exec, "hashmill::strings::valid_bits", (count + 7) / 8);
  return strings;
}
/// Memory for `total` bytes of strings. Throws as above.
template <class MemorySpace, class Exec>
[[nodiscard]] Kokkos::View<char*, MemorySpace> allocate_bytes(const Exec& exec,
                                                              std::uint64_t total) {
  return backends::allocate<Kokkos::View<char*, MemorySpace>>(exec, "hashmill::strings::bytes",
                                                              total);
}

}  // namespace hashmill::detail
