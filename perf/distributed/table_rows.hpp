#pragma once

#include <memory>
#include <vector>

#include "table_runs.hpp"

namespace hashmill::perf {

/// The rows of an operation on the table of all ranks, and of the same one on a table of one
/// rank's share of rows, on all ranks at once. `Run` is a template of keys and tables.
template <template <class, class> class Run, class Keys>
std::vector<RankRow> rank_and_local_rows(const Ranks& ranks, const RankAndLocalKeys<Keys>& keys) {
  using OfRanks = RankTables<Keys>;
  using OfRank = LocalTables<Keys>;
  std::vector<RankRow> rows;
  rows.push_back({"DistributedHashGraph", false,
                  std::make_unique<Run<Keys, OfRanks>>(keys.all, OfRanks(ranks.timed)),
                  keys.all->num_rows()});
  rows.push_back({"HashGraph of a rank's rows", true,
                  std::make_unique<Run<Keys, OfRank>>(keys.local, OfRank()),
                  keys.local->num_rows()});
  return rows;
}

/// Whether the first rank has memory for keys and table of all ranks. All ranks agree.
template <class Keys>
bool has_room_for_all_rows(const DataAxes& axes, const Communicator& ranks) {
  using Graph = typename LocalTables<Keys>::Table;
  std::uint64_t has_room[] = {1};
  if (ranks.rank() == 0) {
    const std::uint64_t key_bytes = 2 * axes.num_keys * (sizeof(typename Keys::Key) + 8);
    const std::uint64_t table_bytes =
        2 * Graph::predicted_peak_bytes(typename Keys::Exec(), axes.num_keys, HashGraphOptions{});
    const bool has_numbers = axes.num_keys < no_row<std::uint32_t>;
    const std::uint64_t free = backends::free_bytes<typename Keys::memory_space>();
    has_room[0] = has_numbers && key_bytes + table_bytes < free ? 1 : 0;
  }
  ranks.all_reduce(has_room, Reduction::minimum);
  return has_room[0] != 0;
}

/// The build of a table of all ranks' rows on the first rank.
template <class Keys>
RankRow whole_build_row(const DataAxes& axes, const Communicator& ranks) {
  RankRow row{"HashGraph of all rows on a rank", false, std::make_unique<IdleRun>(), axes.num_keys};
  if (ranks.rank() != 0) return row;
  const auto keys = std::make_shared<const Keys>(axes, self_communicator());
  row.run = std::make_unique<BuildRun<Keys, LocalTables<Keys>>>(keys, LocalTables<Keys>());
  return row;
}

/// Builds the table of all ranks, beside tables of one rank.
template <class Exec, class Key>
std::vector<RankRow> build_rows(const Ranks& ranks, const RankCase& input) {
  using Keys = RankKeys<Exec, Key>;
  auto rows =
      rank_and_local_rows<BuildRun, Keys>(ranks, RankAndLocalKeys<Keys>(input.keys, ranks.control));
  if (ranks.control.size() > 1 && has_room_for_all_rows<Keys>(input.keys, ranks.control)) {
    rows.push_back(whole_build_row<Keys>(input.keys, ranks.control));
  }
  return rows;
}

/// A look-up of one kind.
template <class Ask>
struct LookUp {
  template <class Keys, class Tables>
  using Run = LookUpRun<Ask, Keys, Tables>;
};

/// Looks queries up in the table of all ranks, beside tables of one rank.
template <class Ask, class Exec, class Key>
std::vector<RankRow> look_up_rows(const Ranks& ranks, const RankCase& input) {
  using Keys = RankKeys<Exec, Key>;
  return rank_and_local_rows<LookUp<Ask>::template Run, Keys>(
      ranks, RankAndLocalKeys<Keys>(input.keys, ranks.control));
}

/// Intersects two tables of all ranks, beside tables of one rank.
template <class Exec, class Key>
std::vector<RankRow> intersect_rows(const Ranks& ranks, const RankCase& input) {
  using Keys = RankKeys<Exec, Key>;
  return rank_and_local_rows<IntersectRun, Keys>(ranks,
                                                 RankAndLocalKeys<Keys>(input.keys, ranks.control));
}

}  // namespace hashmill::perf
