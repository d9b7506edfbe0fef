#pragma once

#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/lanes.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>

namespace hashmill::detail {

/// Items (table entries) that one team processes together.
inline constexpr std::uint64_t tile_items = 256;

/// The number of tiles for a number of items; 1, an empty tile, when there are no items.
[[nodiscard]] inline std::uint64_t item_tiles(std::uint64_t num_items) {
  return num_items == 0 ? 1 : (num_items + tile_items - 1) / tile_items;
}

/// Sums `work.size(item)` over items.
template <class Work>
struct AddItemSize {
  Work work;
  KOKKOS_FUNCTION void operator()(std::int64_t item, std::uint64_t& sum) const {
    sum += work.size(static_cast<std::uint64_t>(item));
  }
};

/// First of two passes over items whose output size is unknown: the sum of `work.size(item)` per
/// tile.
template <class Exec, class Work>
struct SizeItemTile {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  Work work;
  std::uint64_t num_items;
  std::uint64_t* sizes;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::uint64_t first = static_cast<std::uint64_t>(team.league_rank()) * tile_items;
    const std::uint64_t last = first + tile_items < num_items ? first + tile_items : num_items;
    std::uint64_t sum = 0;
    for (std::uint64_t i = first + team.team_rank(); i < last; i += team.team_size()) {
      sum += work.size(i);
    }
    team.team_reduce(Kokkos::Sum<std::uint64_t>(sum));
    if (team.team_rank() == 0) sizes[team.league_rank()] = sum;
  }
};

/// Work whose items the lanes of a group can write together: `work.fill_together(lanes, item,
/// place)`, which all of them call.
template <class Work, class Lanes>
concept FillsTogether = Lanes::lanes >
1 && requires(const Work& work, const Lanes& lanes) {
  work.fill_together(lanes, std::uint64_t{}, std::uint64_t{});
};

/// Second pass: `work.fill(item, place)` writes each item at its place in the output and returns
/// the place after what it wrote. Where lanes can write together, they share items of more than a
/// few elements, so that their writes are neighbours.
template <class Exec, class Work>
struct FillItemTile {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Lanes = backends::LaneGroup<Exec>;
  /// The most elements that a lane writes alone.
  static constexpr std::uint64_t few = 2;
  Work work;
  std::uint64_t num_items;
  const std::uint64_t* places;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::uint64_t first = static_cast<std::uint64_t>(team.league_rank()) * tile_items;
    const std::uint64_t each = tile_items / static_cast<std::uint64_t>(team.team_size());
    const std::uint64_t from = first + each * static_cast<std::uint64_t>(team.team_rank());
    std::uint64_t place = places[team.league_rank()];
    if constexpr (FillsTogether<Work, Lanes>) {
      static_assert(tile_items == backends::team_threads<Exec>);
      const std::uint64_t size = from < num_items ? work.size(from) : 0;
      fill_together(static_cast<unsigned>(team.team_rank()), from, size,
                    place + team.team_scan(size));
      return;
    }
    if constexpr (backends::has_wide_teams<Exec>) {
      std::uint64_t sum = 0;
      for (std::uint64_t i = from; i < from + each && i < num_items; ++i) sum += work.size(i);
      place += team.team_scan(sum);
    }
    for (std::uint64_t i = from; i < from + each && i < num_items; ++i) {
      place = work.fill(i, place);
    }
  }

 private:
  /// Writes the items of a group of lanes, each of which has one.
  KOKKOS_FORCEINLINE_FUNCTION void fill_together(unsigned rank, std::uint64_t item,
                                                 std::uint64_t size, std::uint64_t place) const {
    const Lanes lanes(rank);
    const std::uint32_t is_long = size > few ? 1 : 0;
    if (size != 0 && is_long == 0) work.fill(item, place);
    if (lanes.sum(is_long) == 0) return;
    const std::uint64_t first = item - lanes.lane();
    for (unsigned owner = 0; owner < Lanes::lanes; ++owner) {
      if (lanes.broadcast(is_long, owner) == 0) continue;
      const std::uint64_t low = lanes.broadcast(static_cast<std::uint32_t>(place), owner);
      const std::uint64_t high = lanes.broadcast(static_cast<std::uint32_t>(place >> 32), owner);
      work.fill_together(lanes, first + owner, high << 32 | low);
    }
  }
};

/// The sum of `work.size(item)` over all items. Waits for `exec`.
template <class Exec, class Work>
std::uint64_t total_of_items(const char* label, const Exec& exec, const Work& work,
                             std::uint64_t num_items) {
  std::uint64_t total = 0;
  Kokkos::parallel_reduce(label, backends::range(exec, num_items), AddItemSize<Work>{work}, total);
  return total;
}

/// Where each tile's output begins (item_tiles + 1 places), and the total size.
template <class MemorySpace>
struct PlacedTiles {
  typename Workspace<MemorySpace>::template Array<std::uint64_t> places;
  std::uint64_t total = 0;
};

/// The first pass: finds the sizes of all tiles and turns them into places, in memory of
/// `workspace`. Waits for `exec`. Throws CapacityError when there are too many tiles for one
/// launch.
template <class Exec, class Work, class MemorySpace>
PlacedTiles<MemorySpace> place_item_tiles(const char* label, const Exec& exec, const Work& work,
                                          std::uint64_t num_items,
                                          Workspace<MemorySpace>& workspace) {
  const std::uint64_t tiles = item_tiles(num_items);
  PlacedTiles<MemorySpace> placed{workspace.template take<std::uint64_t>(exec, tiles + 1)};
  Kokkos::deep_copy(exec, Kokkos::subview(placed.places, tiles), std::uint64_t{0});
  launch_even_tiles(label, exec, tiles,
                    SizeItemTile<Exec, Work>{work, num_items, placed.places.data()});
  backends::exclusive_scan(exec, placed.places, workspace);
  placed.total = backends::fetch(exec, placed.places, tiles,
                                 "hashmill::place_item_tiles: the total sizes the result");
  return placed;
}

/// Runs the second pass; asynchronous.
template <class Exec, class Work, class MemorySpace>
void fill_item_tiles(const char* label, const Exec& exec, const Work& work, std::uint64_t num_items,
                     const PlacedTiles<MemorySpace>& placed) {
  launch_even_tiles(label, exec, item_tiles(num_items),
                    FillItemTile<Exec, Work>{work, num_items, placed.places.data()});
}

}  // namespace hashmill::detail
