#pragma once

#include <hashmill/partition/detail/levels.hpp>

namespace hashmill::detail {

/// Records grouped by part, and where each part begins, in memory of a workspace.
template <class Record, class Offset>
struct PartitionedRecords {
  Record* records;
  Offset* offsets;
};

/// Partitions the `num_rows` records of a source that lie in `parents`, each of these by the
/// `part_bits`-bit numbers that `part_of` returns, in no particular order within a part.
/// Asynchronous. Takes memory for the records once, or twice if there is more than one level, and
/// leaves it in the caller's frame of `workspace`.
template <Engine Choice = Engine::automatic, class Exec, class Offset, class Source, class PartOf,
          class MemorySpace>
auto partition_ranges(const Exec& exec, const Ranges<Offset>& parents, const Source& source,
                      std::uint64_t num_rows, const PartOf& part_of, unsigned part_bits,
                      Workspace<MemorySpace>& workspace) {
  using Record = typename Source::record_type;
  constexpr bool team = uses_team_engine<Exec, Choice>;
  const LevelPlan plan(part_bits, max_level_bits<Exec, Record, team>(exec));
  // Levels alternate between two arrays. The last level may write where the level two before it
  // wrote.
  const auto records = workspace.template take<Record>(exec, num_rows);
  std::array<Record*, 2> between{nullptr, records.data()};
  if (plan.levels > 1) between[0] = workspace.template take<Record>(exec, num_rows).data();
  const auto offsets = workspace.template take<Offset>(exec, (parents.count << plan.bits) + 1);
  partition_levels<team, false>(exec, parents, num_rows, part_of, plan, source,
                                RecordSink<Record>{records.data()}, offsets.data(), between,
                                workspace);
  return PartitionedRecords<Record, Offset>{records.data(), offsets.data()};
}

/// Partitions all records of a source so.
template <class Offset, Engine Choice = Engine::automatic, class Exec, class Source, class PartOf,
          class MemorySpace>
auto partition_records(const Exec& exec, const Source& source, std::uint64_t num_rows,
                       const PartOf& part_of, unsigned part_bits,
                       Workspace<MemorySpace>& workspace) {
  return partition_ranges<Choice>(exec, whole_range<Offset>(exec, num_rows, workspace), source,
                                  num_rows, part_of, part_bits, workspace);
}

}  // namespace hashmill::detail
