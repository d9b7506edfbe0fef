#pragma once

#include <hashmill/partition/detail/levels.hpp>
#include <hashmill/primitives/detail/on_device.hpp>
#include <vector>

namespace hashmill::detail {

/// Partitions records into `sink` in one pass of a device's teams, in any order within a part.
/// `begins` says where each part begins, and the end. Each record is read once, since nothing is to
/// be counted. Asynchronous: `begins` stays as it is until `exec` is fenced.
template <class Exec, class Offset, class Source, class PartOf, class Sink, class MemorySpace>
void scatter_to_known_parts(const Exec& exec, std::uint64_t records,
                            const std::vector<Offset>& begins, const PartOf& part_of,
                            const Source& source, const Sink& sink,
                            Workspace<MemorySpace>& workspace) {
  using Level = ReservingLevel<Offset, Source, PartOf, Sink>;
  if (records == 0) return;
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const auto bits = static_cast<unsigned>(std::bit_width(begins.size() - 2));
  const std::uint64_t per_tile = ScatterTile<Exec, Level>::records_of_tile(exec);
  const auto next = device_words(exec, begins, workspace);
  const std::uint64_t tiles = tile_bound(records, 1, per_tile);
  const Ranges<Offset> all{nullptr, 1};  // nobody looks where it begins
  scatter_tiles(exec, tiles,
                Level{list_tiles(exec, all, records, per_tile, tiles, workspace),
                      {part_of, 0, bits},
                      next.data(),
                      source,
                      sink});
}

/// As `scatter_to_known_parts`, on any engine and in as many passes as it takes.
template <Engine Choice, class Exec, class Offset, class Source, class PartOf, class Sink,
          class MemorySpace>
void partition_to_known_parts(const Exec& exec, std::uint64_t records,
                              const std::vector<Offset>& begins, const PartOf& part_of,
                              const Source& source, const Sink& sink,
                              Workspace<MemorySpace>& workspace) {
  using Record = typename Source::record_type;
  constexpr bool team = uses_team_engine<Exec, Choice>;
  if (records == 0) return;
  const auto bits = static_cast<unsigned>(std::bit_width(begins.size() - 2));
  const LevelPlan plan(bits, max_level_bits<Exec, Record, team>(exec));
  if constexpr (team) {
    if (plan.levels == 1) {
      scatter_to_known_parts(exec, records, begins, part_of, source, sink, workspace);
      return;
    }
  }
  typename Workspace<MemorySpace>::Frame frame(workspace);
  Offset* const no_offsets = nullptr;
  partition_whole<team, false>(exec, records, part_of, plan, source, sink, no_offsets, workspace);
}

}  // namespace hashmill::detail
