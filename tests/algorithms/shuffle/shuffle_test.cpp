#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

#include "ranks/rank_inputs.hpp"
#include "thread_cases.hpp"

namespace {

using namespace hashmill;

class ThreadShuffle : public test::ThreadCases {};

TEST_P(ThreadShuffle, Case) { run(); }

INSTANTIATE_TEST_SUITE_P(Shuffle, ThreadShuffle, test::on_few_ranks(test::shuffle_cases()),
                         test::case_and_ranks);
INSTANTIATE_TEST_SUITE_P(ShuffleColumns, ThreadShuffle,
                         test::on_few_ranks(test::shuffle_column_cases()), test::case_and_ranks);
INSTANTIATE_TEST_SUITE_P(ShuffleKeys, ThreadShuffle, test::on_few_ranks(test::shuffle_key_cases()),
                         test::case_and_ranks);

class NodeShuffle : public ::testing::TestWithParam<test::RankCase> {};

TEST_P(NodeShuffle, Case) {
  test::on_thread_ranks(4, {.ranks_per_node = 2}, GetParam().run);
  test::on_thread_ranks(6, {.ranks_per_node = 3}, GetParam().run);
}
INSTANTIATE_TEST_SUITE_P(ShuffleColumns, NodeShuffle,
                         ::testing::ValuesIn(test::shuffle_column_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

/// How often rows were exchanged so far.
std::uint64_t num_exchanges(const Communicator& ranks) {
  const auto& phases = ranks.statistics().phases;
  const auto rows = phases.find("exchange rows");
  return rows == phases.end() ? 0 : rows->second.calls;
}

TEST(LevelsOfShuffles, AreAsManyHops) {
  test::on_thread_ranks(4, {.ranks_per_node = 2}, [](const Communicator& ranks) {
    Workspace<test::Memory> workspace;
    const auto to = test::to_device(std::vector<std::uint16_t>{0, 3, 1, 2, 3});
    const auto calls = [&](ShuffleLevels levels) {
      const auto before = num_exchanges(ranks);
      ShuffleOptions options;
      options.levels = levels;
      const auto received = shuffle_to(test::rank_exec(), ranks, to, options, workspace, to);
      EXPECT_EQ(test::to_host(received.column<0>()),
                std::vector<std::uint16_t>(ranks.rank() == 3 ? 8 : 4, ranks.rank()));
      return num_exchanges(ranks) - before;
    };
    EXPECT_EQ(calls(ShuffleLevels::one), 1U);
    EXPECT_EQ(calls(ShuffleLevels::automatic), 2U);  // few rows: messages are what takes time
    EXPECT_EQ(calls(ShuffleLevels::inside_then_across), 2U);
  });
}

/// Devices bring long pieces to addresses that suit their links.
TEST(LongPieces, ArriveInOrder) {
  test::on_thread_ranks(3, {}, [](const Communicator& ranks) {
    const auto rows_of = [](int rank) { return 150001 + 1000 * std::uint64_t(rank); };
    const auto number = [](int rank, std::uint64_t i) { return std::uint64_t(rank) << 32 | i; };
    const auto rank_of = [&](int rank, std::uint64_t i) {
      return static_cast<std::uint16_t>(murmur3_fmix64(number(rank, i)) % 3);
    };
    std::vector<std::uint16_t> to;
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < rows_of(ranks.rank()); ++i) {
      to.push_back(rank_of(ranks.rank(), i));
      numbers.push_back(number(ranks.rank(), i));
    }
    std::vector<std::uint64_t> expected;
    for (int r = 0; r < ranks.size(); ++r) {
      for (std::uint64_t i = 0; i < rows_of(r); ++i) {
        if (rank_of(r, i) == ranks.rank()) expected.push_back(number(r, i));
      }
    }
    Workspace<test::Memory> workspace;
    const auto there = test::to_device(to);
    const auto received =
        shuffle_to(test::rank_exec(), ranks, there, workspace, test::to_device(numbers), there);
    EXPECT_EQ(test::to_host(received.column<0>()), expected);
    EXPECT_EQ(test::to_host(received.column<1>()),
              std::vector<std::uint16_t>(expected.size(), ranks.rank()));
  });
}

/// The places of rows for `ranks` ranks, and where those of each rank begin, as a stable sort says.
template <detail::Engine Choice, class Place>
void expect_places(const std::vector<std::uint16_t>& rank_of, std::uint64_t ranks) {
  const test::Exec exec;
  Workspace<test::Memory> workspace;
  const auto there = test::to_device(rank_of);
  const Kokkos::View<Place*, test::Memory> places("places", rank_of.size());
  const auto begins = detail::place_rows<Choice>(exec, there.data(), rank_of.size(), ranks,
                                                 places.data(), workspace);
  std::vector<std::uint64_t> rows(rank_of.size());
  std::vector<Place> expected(rank_of.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::stable_sort(rows, {}, [&](std::uint64_t row) { return rank_of[row]; });
  for (std::uint64_t k = 0; k < rows.size(); ++k) expected[rows[k]] = static_cast<Place>(k);
  EXPECT_EQ(test::to_host(places), expected);
  ASSERT_EQ(begins.size(), ranks + 1);
  for (std::uint64_t r = 0; r <= ranks; ++r) {
    const auto before = std::ranges::count_if(rank_of, [&](std::uint16_t of) { return of < r; });
    ASSERT_EQ(begins[r], static_cast<std::uint64_t>(before));
  }
}

TEST(PlaceRows, AreThoseOfAStableSort) {
  for (const std::uint64_t ranks : {1, 2, 3, 17, 300}) {
    for (const std::uint64_t rows : {0, 1, 2, 999, 6000}) {
      for (const std::uint64_t used : {ranks, std::uint64_t{1}}) {
        std::vector<std::uint16_t> rank_of(rows);
        for (std::uint64_t i = 0; i < rows; ++i) {
          rank_of[i] = static_cast<std::uint16_t>(murmur3_fmix64(i) % used + ranks - used);
        }
        SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(ranks) + " ranks");
        expect_places<detail::Engine::automatic, std::uint32_t>(rank_of, ranks);
        expect_places<detail::Engine::automatic, std::uint64_t>(rank_of, ranks);
        expect_places<detail::Engine::team, std::uint32_t>(rank_of, ranks);
        expect_places<detail::Engine::team, std::uint64_t>(rank_of, ranks);
      }
    }
  }
}

}  // namespace
