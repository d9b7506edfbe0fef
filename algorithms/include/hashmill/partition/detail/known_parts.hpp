#pragma once

#include <hashmill/partition/detail/levels.hpp>
#include <vector>

namespace hashmill::detail {

/// Partitions records into `sink`, in any order within a part. `begins` says where each part
/// begins, and the end. A device's pass then reads each record once, since nothing is to be
/// counted. Asynchronous: `begins` stays as it is until `exec` is fenced.
template <Engine Choice, class Exec, class Offset, class Source, class PartOf, class Sink,
          class MemorySpace>
void partition_to_known_parts(const Exec& exec, std::uint64_t records,
                              const std::vector<Offset>& begins, const PartOf& part_of,
                              const Source& source, const Sink& sink,
                              Workspace<MemorySpace>& workspace) {
  using Record = typename Source::record_type;
  constexpr bool team = uses_team_engine<Exec, Choice>;
  if (records == 0) return;
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const auto bits = static_cast<unsigned>(std::bit_width(begins.size() - 2));
  const LevelPlan plan(bits, max_level_bits<Exec, Record, team>());
  if constexpr (team) {
    using Level = KnownPartsLevel<Offset, Source, PartOf, Sink>;
    using Scatter = ScatterTileTeam<Exec, Level, Record, Offset, false>;
    const std::size_t scratch =
        Scatter::scratch_bytes(backends::team_threads<Exec>, std::uint32_t{1} << bits);
    if (plan.levels == 1 && scratch <= backends::team_shape<Exec>().scratch_bytes) {
      const auto next = workspace.template take<Offset>(exec, begins.size());
      Kokkos::deep_copy(
          exec, next, Kokkos::View<const Offset*, Kokkos::HostSpace>(begins.data(), begins.size()));
      constexpr std::uint64_t per_tile = Scatter::tile_records;
      launch_tiles<team, backends::RegisterBoundTeamPolicy<Exec>>(
          "hashmill::partition::scatter", exec, (records + per_tile - 1) / per_tile, scratch,
          Scatter{{{records, per_tile}, {part_of, 0, bits}, next.data(), source, sink}});
      return;
    }
  }
  Offset* const no_offsets = nullptr;
  partition_whole<team, false>(exec, records, part_of, plan, source, sink, no_offsets, workspace);
}

}  // namespace hashmill::detail
