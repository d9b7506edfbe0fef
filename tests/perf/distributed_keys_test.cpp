#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/error.hpp>
#include <memory>
#include <set>

#include "distributed/distributed_options.hpp"
#include "distributed/group_rows.hpp"
#include "distributed/rank_checks.hpp"
#include "distributed/rank_times.hpp"
#include "distributed/run_phases.hpp"
#include "distributed/shuffle_rows.hpp"
#include "thread_ranks.hpp"

namespace hashmill::perf {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Keys = RankKeys<Exec, std::uint32_t>;

DataAxes axes_of(std::uint64_t rows, KeyOrder order, double multiplicity = 1) {
  DataAxes axes;
  axes.num_keys = axes.num_queries = rows;
  axes.order = order;
  axes.multiplicity = multiplicity;
  return axes;
}

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

TEST(DistributedKeys, AreSlicesOfThoseOfOneRank) {
  for (const KeyOrder order :
       {KeyOrder::sequential, KeyOrder::random, KeyOrder::drawn, KeyOrder::zipf}) {
    const Keys whole(axes_of(1000, order, 4), self_communicator());
    const auto all = on_host(whole.keys());
    const auto all_queries = on_host(whole.queries());
    test::on_thread_ranks(3, {}, [&](const Communicator& world) {
      const Keys mine(axes_of(1000, order, 4), world);
      const auto keys = on_host(mine.keys());
      const auto queries = on_host(mine.queries());
      ASSERT_EQ(keys.extent(0), mine.num_rows());
      for (std::uint64_t i = 0; i < keys.extent(0); ++i) {
        ASSERT_EQ(keys(i), all(mine.first_row(world.rank()) + i));
        ASSERT_EQ(queries(i), all_queries(mine.first_query() + i));
      }
      EXPECT_EQ(mine.first_row(3), 1000U);
    });
  }
}

TEST(DistributedKeys, KnowTheRowsOfEachIdentity) {
  const Keys keys(axes_of(10, KeyOrder::random, 3), self_communicator());
  const auto counts = on_host(keys.counts());
  ASSERT_EQ(counts.extent(0), 4U);
  EXPECT_EQ(counts(0), 3U);
  EXPECT_EQ(counts(3), 1U);
}

/// A shuffle whose result is spoilt before it is checked.
template <class Spoil>
std::uint64_t wrong_after(const Spoil& spoil) {
  std::vector<std::uint64_t> wrong(2);
  test::on_thread_ranks(2, {}, [&](const Communicator& world) {
    const Keys keys(axes_of(1000, KeyOrder::random, 2), world);
    Workspace<Keys::memory_space> workspace;
    auto received =
        shuffle(keys.exec(), world, keys.keys(), workspace, keys.keys(), keys.row_numbers());
    if (world.rank() == 1) spoil(received);
    wrong[static_cast<std::size_t>(world.rank())] = num_wrong_rows(keys, received);
  });
  return wrong[0] + wrong[1];
}

TEST(DistributedKeys, FindPlantedFaultsOfShuffles) {
  EXPECT_EQ(wrong_after([](auto&) {}), 0U);
  EXPECT_GT(wrong_after([](auto& received) {  // a key that the row does not have
              const auto key = Kokkos::subview(received.template column<0>(), 0);
              Kokkos::deep_copy(key, on_host(key)() + 1);
            }),
            0U);
  EXPECT_GT(wrong_after([](auto& received) {  // a row twice, another not at all
              const auto& keys = received.template column<0>();
              const auto& rows = received.template column<1>();
              Kokkos::deep_copy(Kokkos::subview(keys, 0), Kokkos::subview(keys, 1));
              Kokkos::deep_copy(Kokkos::subview(rows, 0), Kokkos::subview(rows, 1));
            }),
            0U);
  EXPECT_GT(wrong_after([](auto& received) { received.offsets.back() -= 1; }), 0U);
}

/// Groups that are spoilt before they are checked.
template <class Spoil>
std::uint64_t wrong_groups_after(const Spoil& spoil) {
  std::vector<std::uint64_t> wrong(2);
  test::on_thread_ranks(2, {}, [&](const Communicator& world) {
    const Keys keys(axes_of(1000, KeyOrder::random, 4), world);
    auto found = DistributedGroups<Keys>(world)(keys, keys.row_numbers());
    if (world.rank() == 1) spoil(found);
    wrong[static_cast<std::size_t>(world.rank())] = num_wrong_groups(keys, found);
  });
  return wrong[0] + wrong[1];
}
TEST(DistributedGroupBys, AreRightOnlyWithAllRows) {
  using Found = FoundGroups<Keys>;
  EXPECT_EQ(wrong_groups_after([](Found&) {}), 0U);
  EXPECT_GT(wrong_groups_after([](Found& found) { found = {}; }), 0U);
  EXPECT_GT(wrong_groups_after([](Found& found) { Kokkos::deep_copy(found.counts, 3); }), 0U);
  EXPECT_GT(wrong_groups_after([](Found& found) { Kokkos::deep_copy(found.sums, 3); }), 0U);
  EXPECT_GT(wrong_groups_after([](Found& found) {
              Kokkos::deep_copy(Kokkos::subview(found.keys, 0), Kokkos::subview(found.keys, 1));
            }),
            0U);
}

TEST(DistributedOperations, AreRightOnAllRanks) {
  for (const int size : {1, 3}) {
    test::on_thread_ranks(size, {}, [](const Communicator& world) {
      const TimeBudget budget(1e6, 1);
      for (const RankOperation& operation : rank_operations()) {
        RankCase input{240, 1, axes_of(2000, KeyOrder::random, 2)};
        input.keys.hit_rate = 0.5;
        for (const RankResult& result :
             time_rows({world, world.split(0, 0)}, operation, input, {1, budget, 0})) {
          EXPECT_EQ(result.num_wrong, 0U) << result.operation << " by " << result.name;
        }
      }
    });
  }
}

TEST(DistributedCases, AreAsManyForAnyRanks) {
  DistributedOptions options;
  options.num_rows = {100, 1000};
  options.key_bits = {32, 64};
  options.orders = {KeyOrder::sequential, KeyOrder::random};
  options.zipf_exponents = {0, 1};
  const RankOperation& shuffle = rank_operations()[1];
  const auto weak = rank_cases(shuffle, options, 4);
  ASSERT_EQ(weak.size(), 12U);
  EXPECT_EQ(weak.front().keys.num_keys, 400U);
  EXPECT_EQ(rank_cases(shuffle, options, 1).size(), 12U);
  options.is_strong = true;
  EXPECT_EQ(rank_cases(shuffle, options, 4).front().keys.num_keys, 100U);
  std::set<std::string> names;
  for (const RankCase& input : weak) names.insert(describe_keys(shuffle, input.keys));
  EXPECT_EQ(names, (std::set<std::string>{"32-bit random", "32-bit sequential", "32-bit zipf 1",
                                          "64-bit random", "64-bit sequential", "64-bit zipf 1"}));
}

const RankOperation& operation_called(const std::string& name) {
  return *std::ranges::find(rank_operations(), name, &RankOperation::name);
}

std::set<std::string> names_of(const std::string& operation, const DistributedOptions& options) {
  std::set<std::string> names;
  for (const RankCase& input : rank_cases(operation_called(operation), options, 2)) {
    names.insert(describe_keys(operation_called(operation), input.keys));
  }
  return names;
}

TEST(DistributedCases, OfJoinsAreThoseOfThePaperUnlessOthersAreAskedFor) {
  using Names = std::set<std::string>;
  DistributedOptions options;
  options.num_rows = {1000};
  EXPECT_EQ(names_of("join", options), (Names{"64-bit random, hit rate 0.3"}));
  options.zipf_exponents = {0, 1};
  options.hot_shares = {0, 0.5};
  options.hit_rate = 1;
  options.key_bits = {32};
  EXPECT_EQ(names_of("join", options),
            (Names{"32-bit random", "32-bit random, left zipf 1", "32-bit random, left hot 0.5",
                   "32-bit random, left zipf 1, left hot 0.5"}));
  options.zipf_exponents = {0};
  options.right_hot_shares = {0, 0.2};
  EXPECT_EQ(names_of("join", options),
            (Names{"32-bit random", "32-bit random, left hot 0.5", "32-bit random, right hot 0.2",
                   "32-bit random, left hot 0.5, right hot 0.2"}));
  options.orders = {KeyOrder::drawn};
  EXPECT_TRUE(names_of("join", options).empty());
}

TEST(DistributedCases, OfTpchHaveAScaleFactorOfARankOrOfAll) {
  const RankOperation& tpch = operation_called("tpch");
  DistributedOptions options;
  options.scale_factors = {1, 0.01};
  EXPECT_EQ(names_of("tpch", options), (std::set<std::string>{"TPC-H"}));
  EXPECT_EQ(rank_cases(tpch, options, 4).front().keys.num_keys, 6'000'000U);
  EXPECT_EQ(rank_cases(tpch, options, 4).back().keys.num_keys, 60'000U);
  options.is_strong = true;
  EXPECT_EQ(rank_cases(tpch, options, 4).front().keys.num_keys, 1'500'000U);
  options.scale_factors = {1000};  // on each rank more lines than have 32-bit numbers
  EXPECT_EQ(rank_cases(tpch, options, 4).size(), 1U);
  EXPECT_THROW(rank_cases(tpch, options, 1), InvalidArgument);
}

TEST(DistributedCases, RefuseWhatCannotBeMade) {
  DistributedOptions options;
  const RankOperation& build = rank_operations()[2];
  options.num_rows = {std::uint64_t{1} << 31};
  EXPECT_THROW(rank_cases(build, options, 2), InvalidArgument);  // of 32-bit keys
  options.key_bits = {64};
  EXPECT_EQ(rank_cases(build, options, 2).size(), 1U);
  options.num_rows = {std::uint64_t{1} << 63};
  EXPECT_THROW(rank_cases(build, options, 2), InvalidArgument);
  options.num_rows = {100};
  options.multiplicities = {1.5};
  EXPECT_THROW(rank_cases(build, options, 2), InvalidArgument);
}

TEST(DistributedPhases, FollowFromLabelsAndRegions) {
  const std::string scatter = "hashmill::partition::scatter";
  EXPECT_EQ(phase_of_kernel(scatter, ""), RunPhase::partition);
  EXPECT_EQ(phase_of_kernel(scatter, "hashmill::HashGraph::build"), RunPhase::build);
  EXPECT_EQ(phase_of_kernel("hashmill::find", "hashmill::HashGraph::find"), RunPhase::look_up);
  EXPECT_EQ(phase_of_kernel(scatter, "hashmill::hash_join"), RunPhase::join);
  EXPECT_EQ(phase_of_kernel("hashmill::gather", "hashmill::gather"), RunPhase::gather);
  EXPECT_EQ(phase_of_kernel("hashmill::find", "hashmill::JoinFilter::may_contain"),
            RunPhase::filter);
  EXPECT_EQ(phase_of_kernel("hashmill::or_over_ranks", ""), RunPhase::filter);
  EXPECT_EQ(phase_of_kernel("hashmill::pick::write_values", ""), RunPhase::gather);
  EXPECT_EQ(phase_of_kernel(scatter, "hashmill::group_by"), RunPhase::group);
  EXPECT_EQ(phase_of_kernel(scatter, "hashmill::hash_aggregation"), RunPhase::group);
  EXPECT_EQ(phase_of_kernel("hashmill::distributed_hash_graph::count_bins", ""),
            RunPhase::count_bins);
  EXPECT_EQ(phase_of_kernel("hashmill::hash_graph::v2_finish", ""), RunPhase::build);
  EXPECT_EQ(phase_of_kernel("mine", ""), RunPhase::other);
  EXPECT_EQ(phase_of_wait("exchange rows"), RunPhase::exchange);
  EXPECT_EQ(phase_of_wait("add bins"), RunPhase::add_bins);
  EXPECT_EQ(phase_of_wait("agree on memory"), RunPhase::sizes);
}

struct Nothing {
  KOKKOS_FUNCTION void operator()(std::int64_t) const {}
};

TEST(DistributedPhases, AddUpToTheRun) {
  PhaseClock clock(self_communicator());
  Kokkos::parallel_for("hashmill::partition::scatter", Kokkos::RangePolicy<Exec>(0, 1000),
                       Nothing{});
  Exec().fence("hashmill::perf: the run ends");
  const PhaseSeconds phases = clock.finish(10);
  double sum = 0;
  for (const double seconds : phases) sum += seconds;
  EXPECT_NEAR(sum, 10, 1e-9);
  EXPECT_GT(phases[static_cast<std::size_t>(RunPhase::partition)], 0);
}

}  // namespace
}  // namespace hashmill::perf
