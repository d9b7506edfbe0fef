#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/error.hpp>
#include <memory>
#include <sstream>

#include "distributed/distributed_report.hpp"
#include "distributed/exchange_rows.hpp"
#include "distributed/link_option.hpp"
#include "distributed/rank_times.hpp"
#include "thread_ranks.hpp"

namespace hashmill::perf {
namespace {

TEST(DistributedLink, ReadsRateAndLatency) {
  EXPECT_EQ(parse_link("25GB/s,5us").bytes_per_second, 25e9);
  EXPECT_DOUBLE_EQ(parse_link("25GB/s,5us").latency.count(), 5e-6);
  EXPECT_EQ(parse_link("1.5MB/s").bytes_per_second, 1.5e6);
  EXPECT_EQ(parse_link("1.5MB/s").latency.count(), 0);
  EXPECT_EQ(parse_link("7B/s,0s").latency.count(), 0);
}

TEST(DistributedLink, RefusesOtherTexts) {
  for (const char* text :
       {"", "25", "25 GB/s", "GB/s", "0GB/s", "-1GB/s", "infGB/s", "nanGB/s", "25Gb/s", "25GB/s,",
        "25GB/s,5", "25GB/s,-5us", "25GB/s,infs", "25GB/s,5us,", "5us,25GB/s"}) {
    EXPECT_THROW(parse_link(text), InvalidArgument) << text;
  }
}

TEST(DistributedArrays, FindPlantedFaults) {
  ExchangeArrays arrays(0, 1, 1000, 1);
  EXPECT_EQ(arrays.piece_words(), 125U);
  arrays.clear();
  EXPECT_EQ(arrays.num_wrong(), 125U);
  std::copy_n(arrays.piece_to(0), 125, arrays.piece_from(0));
  EXPECT_EQ(arrays.num_wrong(), 0U);
  reinterpret_cast<unsigned char*>(arrays.piece_from(0))[999] ^= 1;
  EXPECT_EQ(arrays.num_wrong(), 1U);
}

TEST(DistributedArrays, DifferBySeedAndRanks) {
  const ExchangeArrays arrays(0, 2, 64, 1), seeded(0, 2, 64, 2), sender(1, 2, 64, 1);
  EXPECT_NE(*arrays.piece_to(0), *arrays.piece_to(1));
  EXPECT_NE(*arrays.piece_to(0), *seeded.piece_to(0));
  EXPECT_NE(*arrays.piece_to(0), *sender.piece_to(0));
  EXPECT_NE(arrays.piece_to(0)[0], arrays.piece_to(0)[1]);
}

TEST(DistributedArrays, ShareWholeWords) {
  EXPECT_EQ(ExchangeArrays(2, 3, 100, 1).piece_bytes(), 32U);
  EXPECT_EQ(ExchangeArrays(2, 3, 100, 1).bytes_sent(), 64U);
  EXPECT_EQ(ExchangeArrays(0, 1, 8, 1).bytes_sent(), 0U);
  EXPECT_THROW(ExchangeArrays(0, 3, 23, 1), InvalidArgument);
}

/// An operation of three rows: ours, one that does nothing, and one that plants a wrong byte.
std::vector<RankRow> faulty_rows(const Ranks& ranks, const RankCase& input) {
  std::vector<RankRow> rows = exchange_rows(ranks, input);
  const auto arrays = std::make_shared<ExchangeArrays>(ranks.timed.rank(), ranks.timed.size(),
                                                       input.bytes_per_rank, input.seed);
  rows.push_back(exchange_row("nothing", true, arrays, [](ExchangeArrays&) {}));
  rows.push_back(exchange_row("one byte", false, arrays, [](ExchangeArrays& all) {
    const std::uint64_t words = all.piece_words();
    for (int from = 0; from < all.num_ranks(); ++from) {
      const ExchangeArrays sender(from, all.num_ranks(), 8 * words * std::uint64_t(all.num_ranks()),
                                  1);
      std::copy_n(sender.piece_to(all.rank()), words, all.piece_from(from));
    }
    if (all.rank() == 1) reinterpret_cast<unsigned char*>(all.piece_from(0))[5] ^= 128;
  }));
  return rows;
}

TEST(DistributedRows, AreTimedAndVerifiedOnAllRanks) {
  test::on_thread_ranks(3, {}, [](const Communicator& world) {
    const Ranks ranks{world, world.split(0, 0)};
    const TimeBudget budget(1e6, 1);
    const auto results = time_rows(ranks, {"exchange", faulty_rows}, {240, 1}, {4, budget, 0});
    ASSERT_EQ(results.size(), 3U);
    for (const RankResult& result : results) {
      EXPECT_EQ(result.seconds.size(), 4U);
      EXPECT_EQ(result.bytes_sent, 160U);
      EXPECT_GT(result.ratio, 0);
      // All ranks know the times of the slowest.
      const auto all = world.all_gather(result.seconds[0]);
      EXPECT_EQ(all, std::vector<double>(3, result.seconds[0]));
    }
    EXPECT_EQ(results[0].num_wrong, 0U);
    EXPECT_EQ(results[1].num_wrong, 5U * 3 * 30);  // of 4 repetitions and a first run
    EXPECT_EQ(results[2].num_wrong, 5U);
  });
}

TEST(DistributedRows, LeaveRepetitionsOutToEndInTime) {
  test::on_thread_ranks(2, {}, [](const Communicator& world) {
    const TimeBudget budget(1e-9, 1);
    const auto results =
        time_rows({world, world}, rank_operations().front(), {64, 1}, {1000, budget, 0});
    EXPECT_EQ(results.front().seconds.size(), 1U);
    EXPECT_EQ(results.front().ratio, 0);
  });
}

TEST(DistributedRows, AreComparedToTheLink) {
  test::on_thread_ranks(2, {}, [](const Communicator& world) {
    const TimeBudget budget(1e6, 1);
    const Ranks ranks{world, world, backends::LinkSpeed{1e3}};  // which slows nothing down here
    const auto results = time_rows(ranks, rank_operations().front(), {2000, 1}, {3, budget, 0});
    ASSERT_EQ(results.size(), 1U);
    EXPECT_NEAR(results[0].ratio, 1 / results[0].median_seconds(), 1e-9 * results[0].ratio);
  });
}

TEST(DistributedReport, ShowsResultsAndFaults) {
  RankResult ours{"exchange", "ours", false, 4, 1 << 20, 750'000, {4e-3, 1e-3, 3e-3}, 0.5, 0};
  RankResult own{"exchange", "own", true, 4, 1 << 20, 750'000, {1.5e-3}, 1, 1};
  std::ostringstream out;
  print_results(out, {ours, own});
  EXPECT_EQ(out.str(),
            R"(operation  by    ranks  bytes per rank     ms  GB/s per rank  ratio
exchange   ours      4           1 MiB  3.000           0.25   0.50
exchange   own       4           1 MiB  1.500           0.50   1.00  1 WRONG value
)");
}

TEST(DistributedReport, AddsThePhasesOfAllRanks) {
  test::on_thread_ranks(2, {}, [](const Communicator& world) {
    CommunicationStatistics statistics;
    statistics.phases["exchange"] = {3, 1000, world.rank() == 0 ? 0.25 : 0.5};
    const auto phases = summarise_phases(world, statistics);
    ASSERT_EQ(phases.size(), 1U);
    EXPECT_EQ(phases[0].calls, 3U);
    EXPECT_EQ(phases[0].bytes_sent, 2000U);
    EXPECT_DOUBLE_EQ(phases[0].seconds, 0.5);
  });
}

TEST(DistributedMedian, IsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

}  // namespace
}  // namespace hashmill::perf
