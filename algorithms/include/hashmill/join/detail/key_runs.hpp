#pragma once

#include <algorithm>
#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/team_scan.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/hash_graph/detail/numbered_layout.hpp>
#include <hashmill/hash_graph/numbered_entries.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>
#include <optional>

namespace hashmill::detail {

/// Keys per tile. A run ends at the end of its tile at the latest.
inline constexpr std::uint32_t run_tile_keys = 4096;

/// Runs of equal neighbouring keys.
template <class Keys, class Equal>
struct KeyRuns {
  Keys keys;
  Equal equal;
  std::uint64_t num_keys;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool begins_at(std::uint64_t i) const {
    return i % run_tile_keys == 0 || !equal(keys(i - 1), keys(i));
  }
  [[nodiscard]] std::uint64_t tiles() const {
    return (num_keys + run_tile_keys - 1) / run_tile_keys;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t keys_of_tile(std::uint64_t tile) const {
    const std::uint64_t left = num_keys - tile * run_tile_keys;
    return left < run_tile_keys ? left : run_tile_keys;
  }
};

/// Where runs are listed, in no specified order. All runs are counted; those that find room are
/// written.
template <class Record>
struct RunList {
  Record* records;
  std::uint64_t capacity;
  std::uint64_t* count;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t reserve(std::uint64_t runs) const {
    return Kokkos::atomic_fetch_add(count, runs);
  }
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void write(std::uint64_t place, const Key& key,
                                         std::uint64_t length) const {
    if (place < capacity) records[place] = {key, static_cast<decltype(records->second)>(length)};
  }
};

/// Lists the runs of a tile of keys. Keys are read twice, the second time from cache.
///
/// A team marks in scratch where runs begin. It then numbers the marks, which tells where each run
/// ends.
template <class Exec, class Runs, class Record>
struct ListRunsOfTile {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Mark = std::uint8_t;     // 1 where a run begins
  using Offset = std::uint16_t;  // of a key in its tile
  /// Where a team writes its runs.
  struct Numbered {
    std::uint64_t place;  // of the first in the list
    std::uint64_t count;
  };
  static constexpr std::uint32_t threads = backends::team_threads<Exec>;
  static constexpr std::uint32_t keys_per_thread = run_tile_keys / threads;
  static constexpr std::size_t scratch_bytes =
      backends::has_wide_teams<Exec> ? run_tile_keys * (sizeof(Mark) + sizeof(Offset)) +
                                           sizeof(Numbered) + backends::team_scan_bytes + 64
                                     : 0;
  Runs runs;
  RunList<Record> list;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto tile = static_cast<std::uint64_t>(team.league_rank());
    const std::uint64_t first = tile * run_tile_keys;
    const auto count = static_cast<std::uint32_t>(runs.keys_of_tile(tile));
    if constexpr (backends::has_wide_teams<Exec>) {
      list_together(team, first, count);
    } else {
      list_alone(first, first + count);
    }
  }

 private:
  KOKKOS_FUNCTION void list_together(const Member& team, std::uint64_t first,
                                     std::uint32_t count) const {
    const auto& scratch = team.team_shmem();
    auto* marks = static_cast<Mark*>(scratch.get_shmem_aligned(run_tile_keys * sizeof(Mark), 16));
    auto* begins =
        static_cast<Offset*>(scratch.get_shmem_aligned(run_tile_keys * sizeof(Offset), 16));
    auto* numbered = static_cast<Numbered*>(scratch.get_shmem_aligned(sizeof(Numbered), 16));
    const backends::TeamScan<Exec, Member> scan(team);
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    HASHMILL_UNROLL(8)
    for (std::uint32_t k = rank; k < run_tile_keys; k += threads) {
      marks[k] = k < count && runs.begins_at(first + k) ? 1 : 0;
    }
    team.team_barrier();
    const std::uint32_t* mine =
        reinterpret_cast<const std::uint32_t*>(marks) + std::size_t{rank} * (keys_per_thread / 4);
    std::uint32_t sum = 0;
    HASHMILL_UNROLL(4)
    for (std::uint32_t w = 0; w < keys_per_thread / 4; ++w) {
      sum += static_cast<std::uint32_t>(Kokkos::popcount(mine[w]));
    }
    std::uint32_t number = scan.exclusive_sum(sum);
    if (rank + 1 == threads) *numbered = {list.reserve(number + sum), number + sum};
    for (std::uint32_t k = rank * keys_per_thread; sum != 0; ++k) {
      if (marks[k] == 0) continue;
      begins[number++] = static_cast<Offset>(k);
      --sum;
    }
    team.team_barrier();
    const Numbered all = *numbered;
    for (std::uint32_t r = rank; r < all.count; r += threads) {
      const std::uint32_t end = r + 1 < all.count ? begins[r + 1] : count;
      list.write(all.place + r, runs.keys(first + begins[r]), end - begins[r]);
    }
  }

  KOKKOS_FUNCTION void list_alone(std::uint64_t first, std::uint64_t last) const {
    std::uint64_t count = 0;
    for (std::uint64_t i = first; i < last; ++i) count += runs.begins_at(i) ? 1 : 0;
    std::uint64_t place = list.reserve(count);
    for (std::uint64_t i = first, next = first; i < last; i = next) {
      next = i + 1;
      while (next < last && !runs.begins_at(next)) ++next;
      list.write(place++, runs.keys(i), next - i);
    }
  }
};

/// Counts the runs that begin at keys of a sample. The sample has every `stride`th stretch of 32
/// keys.
template <class Runs>
struct CountSampledRuns {
  static constexpr std::uint64_t stretch = 32;
  Runs runs;
  std::uint64_t stride;
  KOKKOS_FUNCTION void operator()(std::int64_t index, std::uint64_t& count) const {
    const auto i = static_cast<std::uint64_t>(index);
    count += runs.begins_at(i / stretch * stride * stretch + i % stretch) ? 1 : 0;
  }
};

/// Whether a sample of 2^15 keys has at least two keys per run.
template <class Exec, class Runs>
[[nodiscard]] bool has_long_runs(const Exec& exec, const Runs& runs) {
  constexpr std::uint64_t most = std::uint64_t{1} << 15;
  const std::uint64_t sample = std::min(most, runs.num_keys);
  const std::uint64_t stride = std::max<std::uint64_t>(1, runs.num_keys / most);
  std::uint64_t count = 0;
  Kokkos::parallel_reduce("hashmill::key_runs::sample", backends::range(exec, sample),
                          CountSampledRuns<Runs>{runs, stride}, count);
  return count <= sample / 2;
}

/// Lists the runs of keys in memory of `workspace`, each a key and a length. Returns nothing if
/// there is more than one run per two keys. Waits for `exec`. Reads the keys twice, the second time
/// from cache, and writes each run once.
template <class Row, class Exec, class Runs, class MemorySpace>
[[nodiscard]] auto list_runs(const Exec& exec, const Runs& runs,
                             Workspace<MemorySpace>& workspace) {
  using Key = std::decay_t<decltype(runs.keys(0))>;
  using Record = RecordPair<Key, Row>;
  using Listed = std::optional<NumberedEntries<Key, Row>>;
  if (runs.num_keys == 0 || !has_long_runs(exec, runs)) return Listed();
  const std::uint64_t capacity = runs.num_keys / 2;
  const auto records = workspace.template take<Record>(exec, capacity);
  const auto counter = workspace.template take<std::uint64_t>(exec, 1);
  Kokkos::deep_copy(exec, counter, std::uint64_t{0});
  using Kernel = ListRunsOfTile<Exec, Runs, Record>;
  launch_tiles<backends::has_wide_teams<Exec>, Kokkos::TeamPolicy<Exec>>(
      "hashmill::key_runs::list", exec, runs.tiles(), Kernel::scratch_bytes,
      Kernel{runs, {records.data(), capacity, counter.data()}});
  const std::uint64_t count = backends::fetch(
      exec, counter, 0, "hashmill::list_runs: the number of runs sizes their table");
  return count <= capacity ? Listed({records.data(), count, false, 0}) : Listed();
}

}  // namespace hashmill::detail
