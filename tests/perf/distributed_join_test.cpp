#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <numeric>

#include "distributed/join_rows.hpp"
#include "distributed/random_sides.hpp"
#include "distributed/tpch_sides.hpp"
#include "thread_ranks.hpp"

namespace hashmill::perf {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Random = RandomSides<Exec, std::uint64_t>;
using Tpch = TpchSides<Exec>;

DataAxes random_axes(std::uint64_t rows, double hit_rate) {
  DataAxes axes;
  axes.key_bits = 64;
  axes.num_keys = axes.num_queries = rows;
  axes.hit_rate = hit_rate;
  return axes;
}

DataAxes tpch_axes(std::uint64_t orders) {
  DataAxes axes;
  axes.key_bits = 64;
  axes.order = KeyOrder::tpch;
  axes.num_keys = orders;
  return axes;
}

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// What the right pairs are, by std::multimap over the sides of one rank.
Tally pairs_by_map(const Random& sides) {
  const auto right = on_host(std::get<0>(sides.right()));
  const auto left = on_host(std::get<0>(sides.left()));
  std::multimap<std::uint64_t, std::uint64_t> rows;
  for (std::uint64_t row = 0; row < right.extent(0); ++row) rows.emplace(right(row), row);
  Tally pairs;
  for (std::uint64_t query = 0; query < left.extent(0); ++query) {
    const auto [first, last] = rows.equal_range(left(query));
    for (auto at = first; at != last; ++at) {
      pairs.add(query_weight(query) * row_weight(at->second));
    }
  }
  return pairs;
}

/// The sum over ranks of what each expects.
template <class Sides>
Tally expected_on(int size, const DataAxes& axes) {
  Tally all;
  test::on_thread_ranks(size, {}, [&](const Communicator& world) {
    const Tally sum = sum_over(world, Sides(axes, world).expected());
    if (world.rank() == 0) all = sum;
  });
  return all;
}

TEST(RandomSides, KnowThePairsOfAnyRanks) {
  std::vector<DataAxes> inputs = {random_axes(3000, 0.3), random_axes(3000, 1),
                                  random_axes(3000, 0), random_axes(2, 1)};
  inputs.push_back(random_axes(3001, 0.7));
  inputs.back().multiplicity = 4;
  inputs.push_back(random_axes(3000, 0.9));
  inputs.back().skew = 1;
  inputs.push_back(random_axes(3000, 1));
  inputs.back().hot_share = 0.5;
  for (const double share : {0.5, 1.0}) {
    inputs.push_back(random_axes(3000, 0.5));
    inputs.back().right_hot_share = share;
    inputs.push_back(inputs.back());
    inputs.back().multiplicity = 3;
    inputs.back().hot_share = 0.2;
  }
  for (const DataAxes& axes : inputs) {
    const Tally by_map = pairs_by_map(Random(axes, self_communicator()));
    for (const int size : {1, 2, 5}) EXPECT_EQ(expected_on<Random>(size, axes), by_map);
  }
  EXPECT_EQ(expected_on<Random>(2, inputs[0]).count, 900U);  // 30 %, of unique keys
}

/// How often the key occurs that occurs most.
template <class Keys>
int most_of_a_key(const Keys& keys) {
  std::map<std::uint64_t, int> counts;
  const auto host = on_host(keys);
  int most = 0;
  for (std::uint64_t i = 0; i < host.extent(0); ++i) most = std::max(most, ++counts[host(i)]);
  return most;
}

TEST(RandomSides, HaveOneKeyInAShareOfTheirRows) {
  DataAxes axes = random_axes(2000, 1);
  axes.hot_share = 0.5;
  axes.right_hot_share = 0.25;
  const Random sides(axes, self_communicator());
  EXPECT_EQ(most_of_a_key(std::get<0>(sides.left())), 1000);
  EXPECT_EQ(most_of_a_key(std::get<0>(sides.right())), 500);
}

TEST(TpchSides, OfAnyRanksAreThoseOfOne) {
  const Tpch whole(tpch_axes(1000), self_communicator());
  const auto lines = on_host(std::get<0>(whole.left()));
  EXPECT_EQ(whole.expected().count, lines.extent(0));
  for (const int size : {2, 3}) {
    EXPECT_EQ(expected_on<Tpch>(size, tpch_axes(1000)), whole.expected());
    std::vector<std::vector<std::uint64_t>> of_ranks(static_cast<std::size_t>(size));
    test::on_thread_ranks(size, {}, [&](const Communicator& world) {
      const Tpch sides(tpch_axes(1000), world);
      const auto mine = on_host(std::get<0>(sides.left()));
      of_ranks[static_cast<std::size_t>(world.rank())].assign(mine.data(),
                                                              mine.data() + mine.extent(0));
    });
    std::vector<std::uint64_t> all;
    for (const auto& mine : of_ranks) all.insert(all.end(), mine.begin(), mine.end());
    EXPECT_EQ(all, std::vector<std::uint64_t>(lines.data(), lines.data() + lines.extent(0)));
  }
}

TEST(TpchSides, HaveNoOrdersWhereRanksAreMore) {
  EXPECT_EQ(expected_on<Tpch>(3, tpch_axes(1)), Tpch(tpch_axes(1), self_communicator()).expected());
}

/// Wrong rows of a join of one rank that is spoilt before it is checked.
template <class Sides, class Spoil>
std::uint64_t wrong_after(const DataAxes& axes, const Spoil& spoil) {
  const Sides sides(axes, self_communicator());
  const auto rows = hash_join(sides.exec(), JoinKind::inner, std::get<0>(sides.left()),
                              std::get<0>(sides.right()));
  auto left = gather_all(sides.exec(), sides.left(), rows.left);
  auto right = gather_all(sides.exec(), sides.right(), rows.right);
  spoil(left, right);
  return sides.num_wrong(left, right);
}

/// Gives the first row of some columns the values of the second.
template <class... Views>
void repeat_second(const std::tuple<Views...>& columns) {
  const auto repeat = [](const auto& values) {
    Kokkos::deep_copy(Kokkos::subview(values, 0), Kokkos::subview(values, 1));
  };
  std::apply([&](const Views&... values) { (repeat(values), ...); }, columns);
}

TEST(RandomSides, FindPlantedFaults) {
  const auto wrong = [](const auto& spoil) {
    return wrong_after<Random>(random_axes(1000, 0.5), spoil);
  };
  EXPECT_EQ(wrong([](auto&, auto&) {}), 0U);
  EXPECT_GT(wrong([](auto& left, auto&) { repeat_second(left); }), 0U);
  EXPECT_GT(wrong([](auto&, auto& right) { repeat_second(right); }), 0U);
  EXPECT_GT(wrong([](auto& left, auto&) { repeat_second(std::tie(std::get<0>(left))); }), 0U);
  EXPECT_GT(wrong([](auto&, auto& right) { repeat_second(std::tie(std::get<1>(right))); }), 0U);
  EXPECT_GT(wrong([](auto& left, auto& right) {  // a pair twice, another not at all
              repeat_second(left);
              repeat_second(right);
            }),
            0U);
  EXPECT_GT(wrong([](auto& left, auto& right) { left = right = {}; }), 0U);
}

TEST(TpchSides, FindPlantedFaults) {
  const auto wrong = [](const auto& spoil) { return wrong_after<Tpch>(tpch_axes(1000), spoil); };
  const auto set_first = [](const auto& values, std::uint32_t value) {
    Kokkos::deep_copy(Kokkos::subview(values, 0), value);
  };
  EXPECT_EQ(wrong([](auto&, auto&) {}), 0U);
  EXPECT_GT(wrong([&](auto& left, auto&) { set_first(std::get<0>(left), 8); }), 0U);
  EXPECT_GT(wrong([&](auto&, auto& right) { set_first(std::get<0>(right), 1'000'000); }), 0U);
  EXPECT_GT(wrong([&](auto&, auto& right) { set_first(std::get<1>(right), 6); }), 0U);
  EXPECT_GT(wrong([](auto& left, auto& right) {
              left = {};
              right = {};
            }),
            0U);
}

/// Runs a join twice, which is right, and finds that there are no rows when they are cleared.
void expect_right_rows(RankRun& run) {
  for (int repetition = 0; repetition < 2; ++repetition) {
    run.run();
    EXPECT_EQ(run.num_wrong(), 0U);
    run.clear();
    EXPECT_GT(run.num_wrong(), 0U);
  }
}

template <class Sides>
void expect_right_local_rows(const DataAxes& axes) {
  LocalJoinRun<Sides> run(std::make_shared<const Sides>(axes, self_communicator()),
                          make_kept_workspace<Sides>());
  expect_right_rows(run);
}

TEST(LocalJoins, AreRight) {
  expect_right_local_rows<Random>(random_axes(3000, 0.3));
  expect_right_local_rows<RandomSides<Exec, std::uint32_t>>(random_axes(3000, 0.3));
  expect_right_local_rows<Tpch>(tpch_axes(1000));
}

/// Wrong rows of all ranks together, which a rank finds or the first rank tells of.
template <class Sides>
std::uint64_t wrong_rows_on(int size, const DataAxes& axes, const DistributedJoinOptions& options) {
  std::vector<std::uint64_t> wrong(static_cast<std::size_t>(size));
  test::on_thread_ranks(size, {}, [&](const Communicator& world) {
    DistributedJoinRun<Sides> run(std::make_shared<const Sides>(axes, world),
                                  make_kept_workspace<Sides>(), world.split(0, 0), options);
    run.run();
    wrong[static_cast<std::size_t>(world.rank())] = run.num_wrong();
  });
  return std::accumulate(wrong.begin(), wrong.end(), std::uint64_t{0});
}

TEST(DistributedJoins, AreRightHoweverRowsTravel) {
  DataAxes zipf = random_axes(3000, 0.9), hot = random_axes(3000, 1), repeated = hot;
  zipf.skew = 1;
  hot.hot_share = 0.5;
  repeated.multiplicity = 5;
  DistributedJoinOptions broadcast, heavy;
  broadcast.movement = JoinMovement::broadcast_right;
  heavy.movement = JoinMovement::repartition;
  heavy.heavy_keys = HeavyKeys::always;
  heavy.left_filter = Prefilter::always;
  for (const DistributedJoinOptions& options :
       {DistributedJoinOptions(), repartition_alone(), broadcast, heavy}) {
    for (const int size : {1, 3}) {
      for (const DataAxes& axes : {random_axes(3000, 0.3), random_axes(2, 0), zipf, hot, repeated})
        EXPECT_EQ(wrong_rows_on<Random>(size, axes, options), 0U);
      EXPECT_EQ(wrong_rows_on<Tpch>(size, tpch_axes(1000), options), 0U);
    }
  }
}

}  // namespace
}  // namespace hashmill::perf
