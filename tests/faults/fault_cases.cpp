#include "faults/fault_cases.hpp"

#include <gtest/gtest.h>

#include <hashmill/distributed_aggregation.hpp>
#include <hashmill/distributed_group_by.hpp>
#include <hashmill/distributed_intersect.hpp>
#include <hashmill/distributed_join.hpp>
#include <hashmill/distributed_join_operator.hpp>
#include <hashmill/distributed_semi_join.hpp>
#include <optional>
#include <vector>

#include "faults/fault_inputs.hpp"

namespace hashmill::test {
namespace {

void check_nothing(bool) {}

void try_barrier(const Communicator& ranks, Trial& trial) {
  trial.run([&] { ranks.barrier(); }, check_nothing);
}
void try_all_reduce(const Communicator& ranks, Trial& trial) {
  std::vector<std::uint64_t> words(100, 1);
  trial.run([&] { ranks.all_reduce(words, Reduction::sum); },
            [&](bool done) {
              const std::uint64_t sum = done ? std::uint64_t(ranks.size()) : 1;
              EXPECT_EQ(words, std::vector<std::uint64_t>(100, sum));
            });
}
void try_split(const Communicator& ranks, Trial& trial) {
  trial.run([&] { EXPECT_EQ(ranks.split(0, ranks.rank()).size(), ranks.size()); }, check_nothing);
}

void try_shuffle(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  Workspace<Memory> workspace;
  std::uint64_t rows = 0;
  trial.run(
      [&] {
        const auto mine = shuffle(rank_exec(), ranks, keys, workspace, keys,
                                  GlobalRows(ranks.rank(), keys.extent(0)));
        rows = mine.size();
      },
      [&](bool done) {
        std::uint64_t here = keys.extent(0), all[] = {rows};
        if (!done) return;
        ranks.all_reduce({&here, 1}, Reduction::sum);
        ranks.all_reduce(all, Reduction::sum);
        EXPECT_EQ(all[0], here);
      });
}
void try_collect(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  trial.run([&] { static_cast<void>(collect(rank_exec(), ranks, 0, keys, keys)); }, check_nothing);
}
void try_distribute(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  trial.run([&] { static_cast<void>(distribute(rank_exec(), ranks, 0, keys)); }, check_nothing);
}

/// The rows of all ranks' groups are all rows, or no rank has any.
void check_counts(const Communicator& ranks, bool done,
                  const Kokkos::View<std::uint64_t*, Memory>& counts) {
  if (!done) {
    EXPECT_EQ(counts.extent(0), 0U);
    return;
  }
  std::uint64_t rows = 0, expected = fault_keys(ranks).size();
  for (const std::uint64_t count : to_host(counts)) rows += count;
  ranks.all_reduce({&rows, 1}, Reduction::sum);
  ranks.all_reduce({&expected, 1}, Reduction::sum);
  EXPECT_EQ(rows, expected);
}
void try_group_by(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  Workspace<Memory> workspace;
  Kokkos::View<std::uint64_t*, Memory> counts;
  trial.run(
      [&] {
        const auto found = distributed_group_by(
            rank_exec(), ranks, keys, {PreAggregation::frequent_keys}, workspace, agg::count());
        counts = std::get<0>(found.results).values;
      },
      [&](bool done) { check_counts(ranks, done, counts); });
}
/// A rank whose results fail keeps its groups.
void try_group_results(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  auto groups =
      distributed_aggregation(rank_exec(), ranks, column(keys),
                              DistributedGroupOptions{PreAggregation::frequent_keys}, agg::count());
  groups.add(rank_exec(), column(keys), agg::count());
  Kokkos::View<std::uint64_t*, Memory> counts;
  trial.run([&] { counts = std::get<0>(groups.results(rank_exec()).results).values; },
            [&](bool done) { check_counts(ranks, done, counts); });
}

void try_build(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  FaultTable::options_type options;
  options.rounds = 2;
  std::optional<FaultTable> table;
  trial.run([&] { table.emplace(rank_exec(), ranks, keys, options); },
            [&](bool done) {
              ASSERT_EQ(table.has_value(), done);
              if (!done) return;
              std::uint64_t rows = keys.extent(0);
              ranks.all_reduce({&rows, 1}, Reduction::sum);
              EXPECT_EQ(table->size(), rows);
            });
}

/// Tries a query, whose results must be as before or complete.
template <class Value, class Query>
void try_query(const Communicator& ranks, Trial& trial, const Query& query) {
  const auto keys = to_device(fault_keys(ranks));
  const FaultTable table(rank_exec(), ranks, keys);
  std::vector<std::uint64_t> asked = fault_keys(ranks);
  for (std::size_t i = 0; i < asked.size(); i += 3) asked[i] = i;  // in no table
  const auto queries = to_device(asked);
  const Kokkos::View<Value*, Memory> expected("expected", asked.size());
  const Kokkos::View<Value*, Memory> out("out", asked.size());
  query(table, queries, expected);
  const auto before = static_cast<Value>(77);
  Kokkos::deep_copy(out, before);
  trial.run([&] { query(table, queries, out); },
            [&](bool done) {
              const auto results = to_host(out);
              const bool unchanged = results == std::vector<Value>(asked.size(), before);
              EXPECT_TRUE((!done && unchanged) || results == to_host(expected));
            });
}
void try_contains(const Communicator& ranks, Trial& trial) {
  try_query<std::uint8_t>(ranks, trial,
                          [](const auto& table, const auto& queries, const auto& out) {
                            table.contains(rank_exec(), queries, out);
                          });
}
void try_count(const Communicator& ranks, Trial& trial) {
  try_query<std::uint32_t>(ranks, trial,
                           [](const auto& table, const auto& queries, const auto& out) {
                             table.count(rank_exec(), queries, out);
                           });
}
void try_find(const Communicator& ranks, Trial& trial) {
  try_query<GlobalRow>(ranks, trial, [](const auto& table, const auto& queries, const auto& out) {
    table.find(rank_exec(), queries, out);
  });
}
void try_retrieve(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  const FaultTable table(rank_exec(), ranks, keys);
  std::uint64_t found = 0;
  trial.run([&] { found = table.retrieve(rank_exec(), keys).size(); },
            [&](bool done) { EXPECT_EQ(found > keys.extent(0), done); });
}

/// Some ranks may have erased their share; another call erases the others.
void try_erase(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  FaultTable table(rank_exec(), ranks, keys);
  const std::uint64_t rows = table.local().size();
  trial.run([&] { static_cast<void>(table.erase(rank_exec(), keys)); },
            [&](bool done) {
              const std::uint64_t left = table.local().size();
              EXPECT_TRUE(left == 0 || (!done && left == rows));
            });
}
void try_compact(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  FaultTable table(rank_exec(), ranks, keys);
  static_cast<void>(table.erase(rank_exec(), to_device(std::vector(1, murmur3_fmix64(3)))));
  const std::uint64_t rows = table.local().size();
  trial.run([&] { table.compact(rank_exec()); },
            [&](bool) { EXPECT_EQ(table.local().size(), rows); });
}
void try_intersect(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  const FaultTable left(rank_exec(), ranks, keys);
  const FaultTable right(rank_exec(), ranks, keys, left.options_like());
  trial.run([&] { static_cast<void>(intersect(rank_exec(), left, right)); }, check_nothing);
}
void try_intersect_count(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  const FaultTable left(rank_exec(), ranks, keys);
  const FaultTable right(rank_exec(), ranks, keys, left.options_like());
  trial.run([&] { EXPECT_GT(intersect_count(rank_exec(), left, right), 0U); }, check_nothing);
}

/// Joins in several rounds, with heavy keys and a filter.
void try_join(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  const auto side = join_side<0>(keys, GlobalRows(ranks.rank(), keys.extent(0)));
  DistributedJoinOptions options;
  options.movement = JoinMovement::repartition;
  options.rounds = 2;
  options.heavy_keys = HeavyKeys::always;
  options.left_filter = Prefilter::always;
  Workspace<Memory> workspace;
  std::uint64_t rows = 0;
  trial.run(
      [&] {
        rows = distributed_join(rank_exec(), ranks, JoinKind::left, side, side, options, workspace)
                   .size();
      },
      [&](bool done) { EXPECT_TRUE(!done || rows > 0); });
}
void try_broadcast_join(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  const auto side = join_side<0>(keys);
  DistributedJoinOptions options;
  options.movement = JoinMovement::broadcast_right;
  Workspace<Memory> workspace;
  trial.run(
      [&] {
        static_cast<void>(
            distributed_join(rank_exec(), ranks, JoinKind::inner, side, side, options, workspace));
      },
      check_nothing);
}
void try_semi_join(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  const auto side = join_side<0>(keys);
  DistributedJoinOptions options;
  options.movement = JoinMovement::repartition;
  Workspace<Memory> workspace;
  std::uint64_t rows = 0;
  trial.run(
      [&] {
        rows = distributed_semi_join(rank_exec(), ranks, side, side, options, workspace).extent(0);
      },
      [&](bool done) { EXPECT_EQ(rows, done ? keys.extent(0) : 0); });
}

/// A join in batches: the last call, which joins. It ends a join also where it fails.
void try_finish_join(const Communicator& ranks, Trial& trial) {
  const auto keys = to_device(fault_keys(ranks));
  const auto side = join_side<0>(keys);
  const auto make = [&] {
    return distributed_join_operator(rank_exec(), ranks, JoinKind::inner, side, side, {});
  };
  std::vector<decltype(make())> joins;
  for (int k = 0; k < 2; ++k) {
    auto& join = joins.emplace_back(make());
    join.add_right(rank_exec(), side);
    join.finish_right(rank_exec());
    join.add_left(rank_exec(), side);
  }
  std::uint64_t rows = 0;
  std::size_t calls = 0;
  const auto count = [&](const auto& joined) { rows += joined.size(); };
  trial.run([&] { joins[calls++].finish_left(rank_exec(), count); },
            [&](bool done) {
              EXPECT_TRUE(!done || rows > 0);
              EXPECT_THROW(joins[0].finish_left(rank_exec(), count), InvalidArgument);
            });
}

}  // namespace

std::span<const FaultCase> fault_cases() {
  static constexpr FaultCase all[] = {
      {"barrier", try_barrier},
      {"all_reduce", try_all_reduce},
      {"split", try_split},
      {"shuffle", try_shuffle},
      {"collect", try_collect},
      {"distribute", try_distribute},
      {"group_by", try_group_by},
      {"group_results", try_group_results},
      {"build", try_build},
      {"contains", try_contains},
      {"count", try_count},
      {"find", try_find},
      {"retrieve", try_retrieve},
      {"erase", try_erase},
      {"compact", try_compact},
      {"intersect", try_intersect},
      {"intersect_count", try_intersect_count},
      {"join", try_join},
      {"broadcast_join", try_broadcast_join},
      {"semi_join", try_semi_join},
      {"finish_join", try_finish_join},
  };
  return all;
}

}  // namespace hashmill::test
