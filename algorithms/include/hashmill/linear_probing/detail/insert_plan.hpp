#pragma once

#include <algorithm>
#include <bit>
#include <hashmill/backends/big_teams.hpp>
#include <hashmill/backends/caches.hpp>
#include <hashmill/linear_probing/detail/probing_slots.hpp>
#include <hashmill/partition/detail/levels.hpp>

namespace hashmill::detail {

/// How the rows of a bulk insert get into the table.
enum class InsertPath {
  each,    ///< one by one, in the order given
  parts,   ///< grouped by large parts of the table, which stay in a cache
  ranges,  ///< grouped by small ranges of windows, each of which a team builds in its scratch
};

/// How a bulk insert cuts the table into parts of consecutive windows.
struct InsertPlan {
  InsertPath path = InsertPath::each;
  unsigned shift = 0;      ///< log2 of the windows of a part
  unsigned part_bits = 0;  ///< bits of the largest part number
  std::uint64_t parts = 1;

  InsertPlan() = default;
  /// Cuts `num_windows` windows, at least 1, into parts of `part_windows`, rounded down to a power
  /// of two.
  InsertPlan(InsertPath path, std::uint64_t num_windows, std::uint64_t part_windows)
      : path(path),
        shift(static_cast<unsigned>(std::bit_width(part_windows)) - 1),
        parts(((num_windows - 1) >> shift) + 1) {
    part_bits = static_cast<unsigned>(std::bit_width(parts - 1));
  }
};

/// Bytes of the table per part, within which inserts should stay:
///
///     hosts     half of a thread's private cache
///     devices   8 MiB, the share of the last cache that the threads in flight use
template <class Exec>
[[nodiscard]] std::uint64_t insert_part_bytes() {
  constexpr std::uint64_t device_part = std::uint64_t{8} << 20;
  return backends::has_wide_teams<Exec> ? device_part : backends::private_cache_bytes() / 2;
}

/// Whether a slot is one word, so that a team can take it by one compare-and-swap.
template <class Slots>
inline constexpr bool is_word_slot = std::is_same_v<typename Slots::Slot, std::uint64_t>;

/// Bytes of team scratch for a window of a range: itself and, unless slots are words, a claim for
/// each slot.
template <class Slots>
inline constexpr std::size_t range_window_bytes =
    sizeof(ProbingWindow<Slots>) +
    (is_word_slot<Slots> ? 0 : ProbingWindow<Slots>::size * sizeof(std::uint32_t));

/// Bytes of team scratch besides: counters, and what alignment takes.
inline constexpr std::size_t range_slack_bytes = 128;

/// Teams that insert by ranges. Five of those with 32 KiB of slots that are words share a
/// multiprocessor. Larger slots need more threads for ranges of as many slots.
template <class Exec, class Slots>
using RangeTeams =
    backends::BigTeams<Exec, is_word_slot<Slots> ? 256 : 512, is_word_slot<Slots> ? 5 : 2>;

/// The most bytes of windows in a range.
template <class Slots>
inline constexpr std::uint64_t most_range_bytes =
    std::uint64_t{is_word_slot<Slots> ? 32 : 64} << 10;

/// The windows of a range: as many as fit the scratch of a team, up to `most_range_bytes`.
template <class Slots, class Exec>
[[nodiscard]] std::uint64_t range_windows(const Exec& exec) {
  constexpr std::uint64_t most = most_range_bytes<Slots> / sizeof(ProbingWindow<Slots>);
  const std::uint64_t scratch = RangeTeams<Exec, Slots>::scratch_limit(exec);
  const std::uint64_t room = std::max<std::uint64_t>(scratch, range_slack_bytes + 64);
  return std::bit_floor(std::min(most, (room - range_slack_bytes) / range_window_bytes<Slots>));
}

/// Up to this many ranges a device inserts rows one by one: such a table stays in the last cache,
/// and sorting takes longer than the inserts. Tests that force the team engine have small tables.
template <Engine Choice>
inline constexpr std::uint64_t few_ranges = Choice == Engine::team ? 4 : 1024;

/// Chooses how `num_rows` rows are inserted. Fewer rows do not pay for the passes of a path. Ranges
/// are all written, and thus the whole table.
///
///     | path   | where                                      | rows                         |
///     |--------|--------------------------------------------|------------------------------|
///     | ranges | team engine, more than `few_ranges` ranges | at least one per 8 slots     |
///     | parts  | more than 4 parts of `insert_part_bytes`   | more than one per 16 windows |
///     | each   | anywhere                                   | any number                   |
template <class Slots, Engine Choice = Engine::automatic, class Exec>
[[nodiscard]] InsertPlan plan_insert([[maybe_unused]] const Exec& exec, std::uint64_t num_windows,
                                     std::uint64_t num_rows) {
  using Window = ProbingWindow<Slots>;
  if (num_windows == 0) return {};  // moved from and may not grow: all rows fail
  if constexpr (uses_team_engine<Exec, Choice>) {
    const InsertPlan ranges(InsertPath::ranges, num_windows, range_windows<Slots>(exec));
    if (ranges.parts > few_ranges<Choice> && num_rows >= num_windows * Window::size / 8) {
      return ranges;
    }
  }
  const InsertPlan parts(InsertPath::parts, num_windows,
                         insert_part_bytes<Exec>() / sizeof(Window));
  return parts.parts > 4 && num_rows > num_windows / 16 ? parts : InsertPlan();
}

}  // namespace hashmill::detail
