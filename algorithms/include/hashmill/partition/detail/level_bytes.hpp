#pragma once

#include <hashmill/partition/detail/levels.hpp>

namespace hashmill::detail {

// Bytes that partitioning takes from a workspace, for callers that tell their needs beforehand.

/// Bytes that one level of partitioning takes.
template <bool Team, class Record, class Index, bool Stable = false, class Exec>
[[nodiscard]] std::uint64_t level_bytes(const Exec& exec, const LevelPlan& plan, unsigned level,
                                        std::uint64_t records) {
  const std::uint64_t parents = std::uint64_t{1} << plan.bits_before(level);
  const std::uint64_t tiles =
      tile_bound(records, parents, tile_records<Exec, Record, Team, Stable>(exec, records));
  const std::uint64_t children = parents << plan.bits_of(level);
  if constexpr (Team && !Stable) {
    return tiles * sizeof(ListedTile) + (parents + 1 + 2 * children + 1) * sizeof(Index);
  }
  return (parents + 1 + (tiles << plan.bits_of(level)) + 1) * sizeof(Index);
}

/// Bytes that all levels take beside the records: the offsets of each, which stay until the end,
/// and what the largest level takes while it runs.
template <bool Team, class Record, class Index, bool Stable = false, class Exec>
[[nodiscard]] std::uint64_t levels_bytes(const Exec& exec, const LevelPlan& plan,
                                         std::uint64_t records) {
  std::uint64_t offsets = 0, level = 0;
  for (unsigned l = 0; l < plan.levels; ++l) {
    offsets += ((std::uint64_t{1} << plan.bits_before(l + 1)) + 1) * sizeof(Index);
    level = std::max(level, level_bytes<Team, Record, Index, Stable>(exec, plan, l, records));
  }
  if constexpr (Team && !Stable) offsets += ((std::uint64_t{1} << plan.bits) + 1) * sizeof(Index);
  if constexpr (!Team) level += node_exchange_bytes<Record, Index>(records, plan.bits_of(0));
  return checked_add(offsets, level, "workspace");
}

/// Bytes that rounding of arrays and temporaries of scans take: about one word per 1000 values.
[[nodiscard]] inline std::uint64_t rounding_bytes(std::uint64_t records, std::uint64_t values) {
  return (std::uint64_t{1} << 16) + records / 64 + values / 64;
}

}  // namespace hashmill::detail
