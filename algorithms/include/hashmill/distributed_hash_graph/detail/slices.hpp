#pragma once

#include <algorithm>
#include <hashmill/communicator.hpp>
#include <hashmill/distributed_hash_graph/detail/bin_rows.hpp>
#include <hashmill/distributed_hash_graph/detail/part_plan.hpp>
#include <hashmill/distributed_hash_graph/options.hpp>
#include <hashmill/partition/detail/known_parts.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <vector>

namespace hashmill::detail {

// How the keys of a DistributedHashGraph are cut into slices, partitioned, and taken as they come.

/// The most slices that can be asked for.
inline constexpr std::uint64_t most_slices = 64;

/// In how many slices keys are partitioned and sent: while one is under way, the next one is
/// partitioned. One of less than 512 MiB of keys and rows is not worth its launches. The partition
/// must write all parts in one pass, since it finds their places by the counts.
template <class Key, class Exec>
[[nodiscard]] std::uint64_t num_slices(const Exec& exec, const Communicator& ranks,
                                       std::uint64_t all_rows,
                                       const DistributedHashGraphOptions& options) {
  using Record = TravellingPair<Key, std::uint32_t>;
  constexpr std::uint64_t least_bytes = std::uint64_t{512} << 20, most = 4;
  const auto size = static_cast<std::uint64_t>(ranks.size());
  const std::uint64_t parts = std::uint64_t{1} << max_level_bits<Exec, Record, true>(exec);
  if (parts < PartPlan::most_of_a_pass(size)) return 1;
  if (options.slices || options.rounds) return options.slices.value_or(1);
  return std::clamp<std::uint64_t>(all_rows / size * sizeof(Record) / least_bytes, 1, most);
}

/// Adds up the rows of bins of all ranks. `usable` stands for the bins and slices that were
/// counted, or is 0. Returns whether it is the same on all ranks and not 0. Numbers are the same if
/// their mean square is their squared mean. Collective.
[[nodiscard]] inline bool add_counts(const Communicator& ranks, std::vector<std::uint64_t>& rows,
                                     std::uint64_t usable) {
  const std::size_t bins = rows.size();
  rows.insert(rows.end(), {usable, usable * usable});
  ranks.all_reduce(rows, Reduction::sum, "add bins");
  const auto size = static_cast<std::uint64_t>(ranks.size());
  const bool are_same = size * rows[bins + 1] == rows[bins] * rows[bins];
  rows.resize(bins);
  return are_same && usable != 0;
}

/// Writes keys of a slice and their numbers to `sink`, each part at its place in `begins`. `parts`
/// are those of bins. Asynchronous; `begins` stays as it is until `exec` is fenced.
template <class Exec, class Slice, class BinOf, class Sink, class MemorySpace>
void partition_slice(const Exec& exec, const Slice& keys, const BinOf& bin_of,
                     const std::uint16_t* parts, const std::vector<std::uint32_t>& begins,
                     const Sink& sink, Workspace<MemorySpace>& workspace) {
  const auto first = static_cast<std::uint32_t>(keys.first);
  partition_to_known_parts<Engine::automatic>(
      exec, keys.size(), begins, PartOfKey<BinOf>{bin_of, parts},
      ColumnSource<Slice, RowsFrom<std::uint32_t>>{keys, {first}}, sink, workspace);
}

/// Builds each round of parts when its keys have come.
template <class Exchange, class Build>
void take_rounds(CollectiveCall& call, const PartPlan& plan, Exchange& exchange, Build& build) {
  for (std::uint64_t round = 0; round < plan.rounds(); ++round) {
    exchange.finish_round(round, [&](auto first_part, auto parts, auto arrived) {
      call.step("build", [&] { build.build(first_part, parts, arrived); });
    });
  }
}
/// Brings each slice of keys to its bins when it has come, then builds all.
template <class Exchange, class Build>
void take_slices(CollectiveCall& call, Exchange& exchange, Build& build) {
  for (std::uint64_t slice = 0; slice < exchange.slices(); ++slice) {
    exchange.finish_slice(slice);
    call.step("build", [&] { build.take(slice); });
  }
  call.step("build", [&] { build.build_all(); });
}

}  // namespace hashmill::detail
