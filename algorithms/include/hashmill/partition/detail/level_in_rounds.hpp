#pragma once

#include <hashmill/partition/detail/reserve.hpp>
#include <hashmill/primitives/detail/on_device.hpp>
#include <list>
#include <span>
#include <vector>

namespace hashmill::detail {

/// One level of the team engine that is not stable, for parents whose records arrive bit by bit.
/// What does not depend on records is made ready for all parents at once. Where the parts were
/// counted before, pieces of parents can be scattered as they arrive, each time by one kernel.
/// Where not, a parent waits for all its pieces.
///
/// The caller's frame of `workspace`, and all that this is given, outlive it. It stays where it is
/// until `exec` is fenced.
template <class Exec, class Offset, class Source, class PartOf, class Sink>
class LevelInRounds {
  using MemorySpace = typename Exec::memory_space;
  using Level = ReservingLevel<Offset, Source, PartOf, Sink>;
  template <class T>
  using Array = typename Workspace<MemorySpace>::template Array<T>;

 public:
  /// Parents of which each has as many pieces: those that are there, then those that arrive
  /// together, as many at a time.
  struct Parents {
    Ranges<Offset> ranges;
    std::span<const Offset> piece_sizes;  // on the host
    std::uint64_t here;                   // pieces of each that are there from the start
    std::uint64_t arrivals;               // how often others arrive
  };
  using DigitOf = Digit<PartOf>;

  /// `known`: the sums of the parts, if they were counted before. Writes where the parts begin, and
  /// the end, to `child_offsets`: now if that is known, else as each round comes. Scatters what is
  /// there already, if all is known. Asynchronous on `exec`.
  LevelInRounds(const Exec& exec, const Parents& parents, const DigitOf& digit,
                const Source& source, const Sink& sink, Offset* child_offsets,
                const PartSums<Offset>& known, Workspace<MemorySpace>& workspace)
      : exec_(exec),
        parents_(parents.ranges),
        level_{{}, digit, nullptr, source, sink},
        child_offsets_(child_offsets),
        workspace_(workspace) {
    next_ = workspace.template take<Offset>(exec, parents_.count << digit.bits);
    const std::uint64_t each = parents_.pieces.each, here = parents.here;
    if (known.sums == nullptr) {
      lists_.push_back(list_pieces(parents, 0, each));
      counts_ = workspace.template take<Offset>(exec, next_.size());
      Kokkos::deep_copy(exec, counts_, Offset{0});
      return;
    }
    place_children(0, parents_.count, known);
    if (here != 0) run(list_pieces(parents, 0, here), 0, parents_.count);
    const std::uint64_t together = (each - here) / parents.arrivals;
    for (std::uint64_t a = 0; a < parents.arrivals; ++a) {
      lists_.push_back(list_pieces(parents, here + a * together, here + (a + 1) * together));
    }
  }

  /// Whether the parts were counted before.
  [[nodiscard]] bool are_counted() const { return counts_.data() == nullptr; }
  /// Scatters what `count` parents from `first` on have got by an arrival; all of their records if
  /// the parts were not counted before. Asynchronous.
  void run(std::uint64_t arrival, std::uint64_t first, std::uint64_t count) {
    run(lists_[are_counted() ? arrival : 0], first, count);
  }

 private:
  /// Tiles of some pieces of all parents, parent by parent.
  struct PieceTiles {
    const ListedTile* tiles;
    std::vector<std::uint64_t> begins;  // of each parent, and the end
  };

  /// Lists the pieces of each parent from number `first` up to `end`. The host counts their tiles:
  /// two kernels would take longer than to send what it finds.
  [[nodiscard]] PieceTiles list_pieces(const Parents& parents, std::uint64_t first,
                                       std::uint64_t end) {
    const std::uint64_t tile_records = ScatterTile<Exec, Level>::records_of_tile(exec_);
    const std::uint64_t each = parents_.pieces.each;
    std::vector<Offset>& first_tiles = first_tiles_.emplace_back();
    PieceTiles listed{nullptr, {0}};
    for (std::uint64_t p = 0; p < parents_.count; ++p) {
      std::uint64_t tiles = listed.begins.back();
      for (const Offset size : parents.piece_sizes.subspan(p * each + first, end - first)) {
        first_tiles.push_back(static_cast<Offset>(tiles));
        tiles += (size + tile_records - 1) / tile_records;
      }
      listed.begins.push_back(tiles);
    }
    first_tiles.push_back(static_cast<Offset>(listed.begins.back()));
    Ranges<Offset> ranges = parents_;
    ranges.pieces = ranges.pieces.some(first, end);
    const auto on_device = device_words(exec_, first_tiles, workspace_);
    listed.tiles = list_tiles(exec_, TileMap<Offset>{ranges, on_device.data(), tile_records},
                              listed.begins.back(), workspace_)
                       .tiles;
    return listed;
  }
  void run(const PieceTiles& listed, std::uint64_t first, std::uint64_t count) {
    const std::uint64_t begin = listed.begins[first], tiles = listed.begins[first + count] - begin;
    Level level = level_;
    level.tiles = {listed.tiles + begin};
    if (!are_counted()) {
      level.parts = counts_.data();
      count_tiles(exec_, tiles, level);
      const std::uint64_t child = first << level.digit.bits;
      const Array<Offset> sums(counts_.data() + child, count << level.digit.bits);
      backends::exclusive_scan(exec_, sums, workspace_);
      place_children(first, count, {sums.data()});
    }
    level.parts = next_.data();
    scatter_tiles(exec_, tiles, level);
  }
  void place_children(std::uint64_t first, std::uint64_t count, const PartSums<Offset>& sums) {
    const unsigned bits = level_.digit.bits;
    const Ranges<Offset> parents{parents_.offsets + first, count};
    backends::for_each_index(
        "hashmill::partition::offsets", exec_, count << bits,
        PlaceChildren<Offset>{parents, sums, bits, Ranges<Offset>::one_group,
                              next_.data() + (first << bits), child_offsets_ + (first << bits)});
  }

  Exec exec_;
  Ranges<Offset> parents_;
  Level level_;
  Offset* child_offsets_;
  Workspace<MemorySpace>& workspace_;
  std::vector<PieceTiles> lists_;  // of each arrival, or one of all pieces
  // Of each list: the tiles before each piece, and of all. A list, since what is copied stays.
  std::list<std::vector<Offset>> first_tiles_;
  Array<Offset> next_;    // the next free place of each part
  Array<Offset> counts_;  // of the records of each part, where they are not known
};

}  // namespace hashmill::detail
