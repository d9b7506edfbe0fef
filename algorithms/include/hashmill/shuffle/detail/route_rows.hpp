#pragma once

#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/route.hpp>
#include <hashmill/shuffle/detail/row_places.hpp>
#include <hashmill/shuffle/detail/row_tiles.hpp>
#include <optional>
#include <string>
#include <vector>

namespace hashmill::detail {

/// The rank that owns a key.
template <class Keys, class Hash>
struct RankOfKey {
  Keys keys;
  Hash hash;
  std::uint32_t ranks;
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return rank_of_hash(hash(keys(i)), ranks);
  }
};

/// Writes each value of a column to its place, if that is below `size`.
template <class Column, class Places, class Value>
struct PutValue {
  Column column;
  Places places;
  std::uint64_t size;
  Value* to;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    const std::uint64_t place = places(i);
    if (place < size) to[place] = column(i);
  }
};

/// Rows that are brought into the order of their parts. Rows of one part keep their order.
///
///     | where                        | per row, in memory of a workspace            |
///     |------------------------------|----------------------------------------------|
///     | a device, up to 2^8 parts    | its part, 2 bytes; 8 per part of 1024 rows   |
///     | a device, more parts         | its place, 4 bytes (8 beyond 2^32 rows)      |
///     | hosts                        | the same                                     |
///
/// Either is found once for all columns. Places are also found where they are asked for, or a
/// column has values of more than 30 bytes.
template <class Exec, Engine Choice = Engine::automatic>
class RoutedRows {
 public:
  using MemorySpace = typename Exec::memory_space;

  /// No rows: for those that are brought into order together.
  RoutedRows() = default;
  /// `part_of(i)` is the part of row i. Throws InvalidArgument where that is not below `parts`.
  /// What is found lies in a frame of its own or in the one that is open.
  template <class PartOf>
  RoutedRows(const Exec& exec, std::uint64_t rows, std::uint64_t parts, const PartOf& part_of,
             Workspace<MemorySpace>& workspace, bool opens_frame = true, bool needs_places = false)
      : rows_(rows) {
    if (opens_frame) frame_.emplace(workspace);
    if constexpr (uses_team_engine<Exec, Choice>) {
      if (orders_by_tiles(exec, parts)) {
        find_tiles(exec, parts, part_of, workspace);
        if (needs_places) places_ = places(exec, workspace);
        return;
      }
    }
    places_ = take_places(exec, workspace);
    typename Workspace<MemorySpace>::Frame frame(workspace);
    const auto numbers = workspace.template take<PartNumber>(exec, rows);
    const auto wrong = zeroed_word(exec, workspace);
    const PartWriter<PartOf> writer{part_of, numbers.data(), parts, wrong.data()};
    backends::for_each_index("hashmill::shuffle::parts", exec, rows, WriteParts<PartOf>{writer});
    require_parts(exec, wrong, parts);
    const auto place = [&](auto* places) {
      return place_rows<Choice>(exec, numbers.data(), rows, parts, places, workspace);
    };
    begins_ = places_->narrow != nullptr ? place(places_->narrow) : place(places_->wide);
  }

  /// Where the rows of each part begin, and the end.
  [[nodiscard]] const std::vector<std::uint64_t>& begins() const { return begins_; }
  /// The place of each row, as kernels read it; in the caller's frame if it was not there.
  [[nodiscard]] RowPlaces places(const Exec& exec, Workspace<MemorySpace>& workspace) const {
    if (places_) return *places_;
    const RowPlaces places = take_places(exec, workspace);
    const auto place = [&]<class Place>(Place* to) {
      put_tiles("hashmill::shuffle::place_rows", exec, tiles_, RowsFrom<Place>{},
                PlaceSink<Place>{to});
    };
    places.narrow != nullptr ? place(places.narrow) : place(places.wide);
    return places;
  }
  /// Writes the values of a column whose places are below `size` to these, in `to`. Asynchronous.
  template <class Column, class Value>
  void put(const Exec& exec, const Column& column, std::uint64_t size, Value* to) const {
    constexpr const char* label = "hashmill::shuffle::put_in_order";
    if constexpr (uses_team_engine<Exec, Choice> && !needs_places<Value>) {
      if (tiles_.part_of != nullptr) {
        put_tiles(label, exec, tiles_, ColumnValues<Column, Value>{column},
                  ValueSink<Value>{size, to});
        return;
      }
    }
    backends::for_each_index(label, exec, rows_,
                             PutValue<Column, RowPlaces, Value>{column, *places_, size, to});
  }
  /// Whether values are too long to be brought into order by tiles.
  template <class Value>
  static constexpr bool needs_places =
      sizeof(RecordPair<PartNumber, Value>) > RowTiles<Exec>::most_bytes;

 private:
  template <class PartOf>
  void find_tiles(const Exec& exec, std::uint64_t parts, const PartOf& part_of,
                  Workspace<MemorySpace>& workspace) {
    using Kernel = FindParts<Exec, PartOf>;
    const auto bits = static_cast<unsigned>(std::bit_width(parts - 1));
    const std::uint32_t fan_out = std::uint32_t{1} << bits;
    const std::uint64_t tiles = (rows_ + Kernel::tile_rows - 1) / Kernel::tile_rows;
    const auto numbers = workspace.template take<PartNumber>(exec, rows_);
    const auto counts = workspace.template take<std::uint64_t>(exec, tiles * fan_out + 1);
    tiles_ = {numbers.data(), counts.data(), rows_, tiles, bits};
    typename Workspace<MemorySpace>::Frame frame(workspace);
    const auto wrong = zeroed_word(exec, workspace);
    const PartWriter<PartOf> writer{part_of, numbers.data(), parts, wrong.data()};
    if (tiles != 0) {
      launch_tiles<true, Kokkos::TeamPolicy<Exec>>(
          "hashmill::shuffle::parts", exec, tiles, Kernel::scratch_bytes(fan_out),
          Kernel{writer, rows_, tiles, fan_out, counts.data()});
    }
    backends::exclusive_scan(exec, counts, workspace);
    const auto begins = workspace.template take<std::uint64_t>(exec, parts + 1);
    backends::for_each_index("hashmill::shuffle::begins", exec, parts + 1,
                             CopyBegins{counts.data(), tiles, rows_, parts, begins.data()});
    begins_ = host_words(exec, begins);
    require_parts(exec, wrong, parts);
  }
  [[nodiscard]] RowPlaces take_places(const Exec& exec, Workspace<MemorySpace>& workspace) const {
    if (rows_ <= std::uint64_t{1} << 32) {
      return {workspace.template take<std::uint32_t>(exec, rows_).data(), nullptr};
    }
    return {nullptr, workspace.template take<std::uint64_t>(exec, rows_).data()};
  }
  [[nodiscard]] static auto zeroed_word(const Exec& exec, Workspace<MemorySpace>& workspace) {
    const auto word = workspace.template take<std::uint64_t>(exec, 1);
    Kokkos::deep_copy(exec, word, std::uint64_t{0});
    return word;
  }
  template <class Word>
  static void require_parts(const Exec& exec, const Word& wrong, std::uint64_t parts) {
    const std::uint64_t found = backends::fetch(exec, wrong, 0, "hashmill: ranks are checked");
    if (found == 0) return;
    throw InvalidArgument("shuffle: row " + std::to_string(found - 1) +
                          " is for a rank that is not below " + std::to_string(parts));
  }

  std::optional<typename Workspace<MemorySpace>::Frame> frame_;
  std::uint64_t rows_ = 0;
  RowTiles<Exec> tiles_;  // none where there are places only
  std::optional<RowPlaces> places_;
  std::vector<std::uint64_t> begins_;
};

/// The order of rows that lie in the order of their parts already.
struct ReadyOrder {
  /// As `RoutedRows::put`.
  template <class Exec, class Column, class Value>
  void put(const Exec& exec, const Column& column, std::uint64_t size, Value* to) const {
    backends::for_each_index("hashmill::shuffle::put_in_order", exec, size,
                             PutValue<Column, RowsFrom<>, Value>{column, {}, size, to});
  }
};

}  // namespace hashmill::detail
