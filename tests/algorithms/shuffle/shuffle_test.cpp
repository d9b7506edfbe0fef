#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

struct CopyPlaces {
  detail::RowPlaces places;
  Kokkos::View<std::uint64_t*, test::Memory> out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    out(i) = places(static_cast<std::uint64_t>(i));
  }
};

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

/// Brings the numbers of rows into order, and finds their places, both as a stable sort does.
template <detail::Engine Choice, class Value>
void expect_order(const std::vector<std::uint16_t>& part_of, std::uint64_t parts) {
  const test::Exec exec;
  Workspace<test::Memory> workspace;
  const auto there = test::to_device(part_of);
  const detail::RoutedRows<test::Exec, Choice> routed(
      exec, part_of.size(), parts, detail::key_access(there), workspace, true,
      detail::RoutedRows<test::Exec, Choice>::template needs_places<Value>);
  std::vector<std::uint64_t> rows(part_of.size()), places(rows.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::stable_sort(rows, {}, [&](std::uint64_t row) { return part_of[row]; });
  for (std::uint64_t k = 0; k < rows.size(); ++k) places[rows[k]] = k;
  for (std::uint64_t r = 0; r <= parts; ++r) {
    const auto before = std::ranges::count_if(part_of, [&](std::uint16_t of) { return of < r; });
    ASSERT_EQ(routed.begins()[r], static_cast<std::uint64_t>(before));
  }
  // Those of the last part are not sent.
  const std::uint64_t size = routed.begins()[parts - 1];
  std::vector<Value> values(rows.size()), expected(rows.size());
  for (std::uint64_t i = 0; i < rows.size(); ++i) values[i] = Value{static_cast<std::uint8_t>(i)};
  for (std::uint64_t k = 0; k < size; ++k) expected[k] = values[rows[k]];
  const auto column = test::to_device(values);
  const Kokkos::View<Value*, test::Memory> out("out", rows.size());
  Kokkos::deep_copy(out, Value{});
  routed.put(exec, detail::key_access(column), size, out.data());
  exec.fence();
  EXPECT_TRUE(test::to_host(out) == expected);
  const detail::RowPlaces found = routed.places(exec, workspace);
  const Kokkos::View<std::uint64_t*, test::Memory> all("places", rows.size());
  Kokkos::parallel_for("hashmill::test::places", backends::range(exec, rows.size()),
                       CopyPlaces{found, all});
  exec.fence();
  EXPECT_EQ(test::to_host(all), places);
}

TEST(RoutedRows, AreInTheOrderOfAStableSort) {
  for (const std::uint64_t parts : {1, 2, 3, 17, 256, 300}) {
    for (const std::uint64_t rows : {0, 1, 2, 999, 6000, 30'011}) {
      std::vector<std::uint16_t> part_of(rows);
      for (std::uint64_t i = 0; i < rows; ++i) {
        part_of[i] = static_cast<std::uint16_t>(murmur3_fmix64(i) % parts);
      }
      SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(parts) + " parts");
      expect_order<detail::Engine::automatic, std::uint32_t>(part_of, parts);
      expect_order<detail::Engine::automatic, std::array<std::uint64_t, 5>>(part_of, parts);
      expect_order<detail::Engine::team, std::uint8_t>(part_of, parts);
      expect_order<detail::Engine::team, std::uint64_t>(part_of, parts);
      expect_order<detail::Engine::team, std::array<std::uint64_t, 2>>(part_of, parts);
      expect_order<detail::Engine::team, std::array<std::uint64_t, 5>>(part_of, parts);
    }
  }
}

}  // namespace
