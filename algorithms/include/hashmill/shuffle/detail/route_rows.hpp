#pragma once

#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/publish.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/backends/slices.hpp>
#include <hashmill/backends/thread_loop.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/partition/detail/columns.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/primitives/detail/keys_at.hpp>
#include <hashmill/route.hpp>
#include <hashmill/row.hpp>
#include <hashmill/shuffle/detail/host_words.hpp>
#include <optional>
#include <string>
#include <vector>

namespace hashmill::detail {

/// The number of a part, as partitions read it: of a rank, where there is one part for each.
using PartNumber = std::uint16_t;
inline constexpr std::uint64_t most_parts = std::uint64_t{1} << 16;

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

/// Writes the part of each row. Part 0 stands for one that does not exist, which is reported.
///
/// A thread of a device takes several rows, `threads` apart, and reads all of them before it writes
/// one. With one read of 4 bytes per thread, too few bytes are in flight for the memory's rate.
template <class Exec, class PartOf>
struct WriteParts {
  static constexpr int rows_per_thread = backends::has_wide_teams<Exec> ? 4 : 1;
  PartOf part_of;
  PartNumber* out;
  std::uint64_t rows;
  std::uint64_t parts;
  std::uint64_t* wrong;  // a row with a part that does not exist, + 1
  std::uint64_t threads = (rows + rows_per_thread - 1) / rows_per_thread;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto first = static_cast<std::uint64_t>(i);
    std::uint64_t found[rows_per_thread];
    HASHMILL_UNROLL(4)
    for (int k = 0; k < rows_per_thread; ++k) {
      if (first + k * threads < rows) {
        found[k] = static_cast<std::uint64_t>(part_of(first + k * threads));
      }
    }
    HASHMILL_UNROLL(4)
    for (int k = 0; k < rows_per_thread; ++k) {
      if (first + k * threads < rows) write(first + k * threads, found[k]);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void write(std::uint64_t i, std::uint64_t part) const {
    if (part >= parts) backends::store_relaxed(wrong, i + 1);
    out[i] = part < parts ? static_cast<PartNumber>(part) : PartNumber{0};
  }
};

/// Where rows are brought: a number of 32 bits for each row where that suffices, else of 64.
struct RowPlaces {
  std::uint32_t* narrow = nullptr;
  std::uint64_t* wide = nullptr;  // if there are no narrow ones

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return narrow != nullptr ? narrow[i] : wide[i];
  }
};

/// Rows that the threads of a host place, each thread a share of them.
template <class Place>
struct HostPlacing {
  const PartNumber* part_of;
  std::uint64_t rows, threads, parts;
  std::uint64_t* counts;  // of a part and a thread: element part * threads + thread
  Place* places;

  [[nodiscard]] std::uint64_t begin(std::uint64_t thread) const {
    return backends::slice_begin(thread, threads, rows);
  }
};
/// Counts the rows of a thread's share that are of each part.
template <class Place>
struct CountRowsOfParts {
  HostPlacing<Place> placing;
  void operator()(std::uint64_t thread, std::byte* scratch) const {
    const HostPlacing<Place> p = placing;  // its own, which nothing written here changes
    auto* const mine = reinterpret_cast<std::uint64_t*>(scratch);
    for (std::uint64_t r = 0; r < p.parts; ++r) mine[r] = 0;
    for (std::uint64_t i = p.begin(thread); i < p.begin(thread + 1); ++i) ++mine[p.part_of[i]];
    for (std::uint64_t r = 0; r < p.parts; ++r) p.counts[r * p.threads + thread] = mine[r];
  }
};
/// Gives each row of a thread's share the next place among those of its part. Counts are prefix
/// sums by now.
template <class Place>
struct PlaceRowsOfParts {
  HostPlacing<Place> placing;
  void operator()(std::uint64_t thread, std::byte* scratch) const {
    const HostPlacing<Place> p = placing;  // its own, which nothing written here changes
    auto* const next = reinterpret_cast<std::uint64_t*>(scratch);
    for (std::uint64_t r = 0; r < p.parts; ++r) next[r] = p.counts[r * p.threads + thread];
    for (std::uint64_t i = p.begin(thread); i < p.begin(thread + 1); ++i) {
      p.places[i] = static_cast<Place>(next[p.part_of[i]]++);
    }
  }
};

/// Writes where a partition brings each row, of records of a part and a row.
template <class Place>
struct PlaceSink {
  Place* places;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i,
                                              const RecordPair<PartNumber, Place>& record) const {
    places[record.second] = static_cast<Place>(i);
  }
};
struct SamePart {
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(PartNumber part) const { return part; }
};

/// Numbers rows so that those of each part lie side by side, in their order: `places[i]` becomes
/// the number of row i. Returns the first number of each part, and the end. Waits for `exec`.
///
/// A device partitions the numbers of the rows. On hosts counting is enough: for 2^24 rows and 4
/// parts it takes a fifth of the CPU time of the partition of one column of 8 bytes.
template <Engine Choice, class Exec, class Place, class MemorySpace>
[[nodiscard]] std::vector<std::uint64_t> place_rows(const Exec& exec, const PartNumber* part_of,
                                                    std::uint64_t rows, std::uint64_t parts,
                                                    Place* places,
                                                    Workspace<MemorySpace>& workspace) {
  if constexpr (uses_team_engine<Exec, Choice>) {
    using Parts = KeyPointer<PartNumber, false>;
    return host_words(
        exec,
        partition_checked<Choice, FirstOfPair>(
            exec, rows, ColumnSource<Parts, RowsFrom<Place>>{Parts{part_of, rows, 1}, {}},
            PlaceSink<Place>{places}, SamePart{}, PartCount(parts), {.stable = true}, workspace));
  } else {
    typename Workspace<MemorySpace>::Frame frame(workspace);
    const auto threads = static_cast<std::uint64_t>(exec.concurrency());
    const auto counts = workspace.template take<std::uint64_t>(exec, parts * threads + 1);
    const HostPlacing<Place> placing{part_of, rows, threads, parts, counts.data(), places};
    const std::size_t scratch = parts * sizeof(std::uint64_t);
    backends::for_each_thread("hashmill::shuffle::count_rows", exec, scratch,
                              CountRowsOfParts<Place>{placing});
    backends::exclusive_scan(exec, counts, workspace);
    backends::for_each_thread("hashmill::shuffle::place_rows", exec, scratch,
                              PlaceRowsOfParts<Place>{placing});
    exec.fence("hashmill::shuffle: numbers of rows are sent");
    std::vector<std::uint64_t> begins(parts, 0);
    for (std::uint64_t r = 0; r < parts; ++r) begins[r] = counts(r * threads);
    begins.push_back(rows);
    return begins;
  }
}

/// Rows that are brought into the order of their parts. Rows of one part keep their order. Each has
/// a place, 4 bytes in memory of a workspace (8 beyond 2^32 rows), which is found once for all
/// columns.
template <class Exec>
class RoutedRows {
 public:
  using MemorySpace = typename Exec::memory_space;

  /// `part_of(i)` is the part of row i. Throws InvalidArgument where that is not below `parts`.
  /// Places lie in a frame of their own or in the one that is open.
  template <class PartOf>
  RoutedRows(const Exec& exec, std::uint64_t rows, std::uint64_t parts, const PartOf& part_of,
             Workspace<MemorySpace>& workspace, bool opens_frame = true) {
    if (opens_frame) frame_.emplace(workspace);
    if (rows <= std::uint64_t{1} << 32) {
      places_.narrow = workspace.template take<std::uint32_t>(exec, rows).data();
    } else {
      places_.wide = workspace.template take<std::uint64_t>(exec, rows).data();
    }
    typename Workspace<MemorySpace>::Frame frame(workspace);
    const auto numbers = workspace.template take<PartNumber>(exec, rows);
    const auto wrong = workspace.template take<std::uint64_t>(exec, 1);
    Kokkos::deep_copy(exec, wrong, std::uint64_t{0});
    const WriteParts<Exec, PartOf> write{part_of, numbers.data(), rows, parts, wrong.data()};
    backends::for_each_index("hashmill::shuffle::parts", exec, write.threads, write);
    const std::uint64_t found = backends::fetch(exec, wrong, 0, "hashmill: ranks are checked");
    if (found != 0) {
      throw InvalidArgument("shuffle: row " + std::to_string(found - 1) +
                            " is for a rank that is not below " + std::to_string(parts));
    }
    const auto place = [&](auto* places) {
      return place_rows<Engine::automatic>(exec, numbers.data(), rows, parts, places, workspace);
    };
    begins_ = places_.narrow != nullptr ? place(places_.narrow) : place(places_.wide);
  }

  /// Where the rows of each part begin, and the end.
  [[nodiscard]] const std::vector<std::uint64_t>& begins() const { return begins_; }
  /// The place of each row, as kernels read it.
  [[nodiscard]] const RowPlaces& places() const { return places_; }

 private:
  std::optional<typename Workspace<MemorySpace>::Frame> frame_;
  RowPlaces places_;
  std::vector<std::uint64_t> begins_;
};

}  // namespace hashmill::detail
