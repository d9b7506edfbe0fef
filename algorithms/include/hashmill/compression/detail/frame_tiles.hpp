#pragma once

#include <hashmill/backends/workspace.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/compression/detail/host_tile.hpp>
#include <hashmill/compression/detail/team_tile.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>
#include <hashmill/primitives/detail/owner_of.hpp>

namespace hashmill::detail {

/// A tile among those of several frames.
struct TilePlace {
  std::uint64_t frame;
  std::uint64_t tile;       ///< of the frame
  std::uint64_t first_row;  ///< of all frames
  std::uint32_t values;
};

/// The words of values from row `first` up. A copy of its own, which nothing that a thread writes
/// can change, so that loops over it become vectors.
template <class Value, class Source>
struct WordsFrom {
  Source source;
  std::uint64_t first;
  KOKKOS_FORCEINLINE_FUNCTION TileWord<Value> operator()(std::uint32_t i) const {
    return to_word<Value>(source(first + i));
  }
};

/// The bytes of a frame. `Byte`: std::byte, const or not.
template <class Byte>
struct FrameBytes {
  template <class T>
  using Part = std::conditional_t<std::is_const_v<Byte>, const T, T>;
  Byte* begin;
  std::uint64_t tiles;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Part<FrameHeader>& header() const {
    return *reinterpret_cast<Part<FrameHeader>*>(begin);
  }
  /// The directory: where tiles end.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Part<std::uint64_t>* ends() const {
    return reinterpret_cast<Part<std::uint64_t>*>(begin + sizeof(FrameHeader));
  }
  /// Where a tile begins, from the first one on.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t tile_begin(std::uint64_t tile) const {
    return tile == 0 ? 0 : ends()[tile - 1];
  }
  /// The bytes of all tiles.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Byte* first_tile() const {
    return begin + first_tile_byte(tiles);
  }
};

/// The tiles of frames that lie one after the other, as kernels see them. One frame alone, the
/// usual case, needs no arrays, which would take longer to allocate than a small column to decode.
struct FrameMap {
  std::uint64_t frames;
  std::uint64_t one_frame_rows;  ///< if there are no arrays
  const std::uint64_t* rows;     ///< rows before each frame, and of all; or null
  const std::uint64_t* tiles;    ///< tiles before each frame, and of all; or null

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION TilePlace locate(std::uint64_t tile) const {
    const std::uint64_t frame = rows == nullptr ? 0 : owner_of(tiles, tile, 0, frames);
    const std::uint64_t own = tile - first_tile(frame);
    return {frame, own, first_row(frame) + own * compression_tile,
            tile_values(num_rows(frame), own)};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t first_row(std::uint64_t frame) const {
    return rows == nullptr ? 0 : rows[frame];
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t num_rows(std::uint64_t frame) const {
    return rows == nullptr ? one_frame_rows : rows[frame + 1] - rows[frame];
  }
  /// The tiles before a frame; that of `frames` is the number of all.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t first_tile(std::uint64_t frame) const {
    if (rows == nullptr) return frame == 0 ? 0 : tiles_for(one_frame_rows);
    return tiles[frame];
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t num_tiles(std::uint64_t frame) const {
    return first_tile(frame + 1) - first_tile(frame);
  }
  /// The bytes of a frame, of those that begin at `begins`; null: one begins at 0.
  template <class Byte>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION FrameBytes<Byte> bytes(std::uint64_t frame,
                                                                   const std::uint64_t* begins,
                                                                   Byte* all) const {
    return {begins == nullptr ? all : all + begins[frame], num_tiles(frame)};
  }
};

/// Stands for the places of the bytes of one frame, which begin at 0.
inline constexpr const std::uint64_t* one_frame_alone = nullptr;

/// Frames of consecutive rows: frame f has rows `rows[f]` to `rows[f + 1]` - 1. Those that are left
/// out have no bytes and no tiles; their rows stay as they are.
template <class MemorySpace>
class FrameTable {
 public:
  /// One frame, of so many rows.
  explicit FrameTable(std::uint64_t rows)
      : rows_{0, rows}, tiles_{0, tiles_for(rows)}, bytes_{first_tile_byte(tiles_.back())} {}
  /// Frame f is there where `has_frame(f)`. Takes arrays from an open frame of `workspace`. Waits
  /// for `exec`.
  template <class Exec, class HasFrame>
  FrameTable(const Exec& exec, std::vector<std::uint64_t> rows, const HasFrame& has_frame,
             Workspace<MemorySpace>& workspace)
      : rows_(std::move(rows)) {
    tiles_.push_back(0);
    for (std::size_t f = 0; f + 1 < rows_.size(); ++f) {
      const bool is_there = has_frame(f);
      const std::uint64_t tiles = is_there ? tiles_for(rows_[f + 1] - rows_[f]) : 0;
      bytes_.push_back(is_there ? first_tile_byte(tiles) : 0);
      tiles_.push_back(tiles_.back() + tiles);
    }
    std::vector<std::uint64_t> both = rows_;
    both.insert(both.end(), tiles_.begin(), tiles_.end());
    device_ = workspace.template take<std::uint64_t>(exec, both.size());
    Kokkos::deep_copy(
        exec, device_,
        Kokkos::View<const std::uint64_t*, Kokkos::HostSpace>(both.data(), both.size()));
    exec.fence("hashmill::compression: places of frames are copied");
  }

  [[nodiscard]] std::uint64_t frames() const { return rows_.size() - 1; }
  [[nodiscard]] std::uint64_t rows(std::uint64_t frame) const {
    return rows_[frame + 1] - rows_[frame];
  }
  [[nodiscard]] std::uint64_t num_rows() const { return rows_.back(); }
  [[nodiscard]] std::uint64_t tiles(std::uint64_t frame) const {
    return tiles_[frame + 1] - tiles_[frame];
  }
  [[nodiscard]] std::uint64_t num_tiles() const { return tiles_.back(); }
  /// The bytes of a frame before its first tile.
  [[nodiscard]] std::uint64_t first_tile_byte_of(std::uint64_t frame) const {
    return bytes_[frame];
  }
  [[nodiscard]] FrameMap map() const {
    const bool has_arrays = device_.extent(0) != 0;
    return {frames(), num_rows(), device_.data(),
            has_arrays ? device_.data() + rows_.size() : nullptr};
  }

 private:
  std::vector<std::uint64_t> rows_;
  std::vector<std::uint64_t> tiles_;
  std::vector<std::uint64_t> bytes_;
  typename Workspace<MemorySpace>::template Array<std::uint64_t> device_;
};

/// Calls act(tile) with what runs a tile's layers: a team, or on hosts the thread alone.
template <class Exec, bool Team, class Word, class Member, class Act>
KOKKOS_FORCEINLINE_FUNCTION void with_tile([[maybe_unused]] const Member& team, const Act& act) {
  if constexpr (Team) {
    act(TeamTile<Exec, Member, Word, backends::team_threads<Exec>>(team));
  } else {
    typename HostTile<Word>::Arrays arrays;
    act(HostTile<Word>(arrays));
  }
}

/// Launches a kernel with a team, or on hosts a thread, for each of some tiles of words.
template <bool Team, class Word, class Exec, class Kernel>
void launch_compression_tiles(const char* label, const Exec& exec, std::uint64_t tiles,
                              const Kernel& kernel) {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Member = typename Policy::member_type;
  constexpr std::size_t scratch =
      Team ? TeamTile<Exec, Member, Word, backends::team_threads<Exec>>::scratch_bytes() : 0;
  if (tiles != 0) launch_tiles<Team, Policy>(label, exec, tiles, scratch, kernel);
}

}  // namespace hashmill::detail
