#include <gtest/gtest.h>

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

/// The words at an address of the default execution space.
using WordsAt = Kokkos::View<std::uint64_t*, ExchangeArrays::Words::memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

WordsAt words_at(const std::uint64_t* words, std::uint64_t count) {
  return WordsAt(const_cast<std::uint64_t*>(words), count);
}

/// One of those words.
std::uint64_t word_at(const std::uint64_t* word) {
  std::uint64_t value = 0;
  Kokkos::deep_copy(Kokkos::View<std::uint64_t, Kokkos::HostSpace>(&value),
                    Kokkos::subview(words_at(word, 1), 0));
  return value;
}

void flip_bit(std::uint64_t* word, unsigned bit) {
  Kokkos::deep_copy(words_at(word, 1), word_at(word) ^ (std::uint64_t{1} << bit));
}

TEST(DistributedArrays, FindPlantedFaults) {
  ExchangeArrays arrays(0, 1, 1000, 1);
  EXPECT_EQ(arrays.piece_words(), 125U);
  EXPECT_EQ(arrays.num_wrong(), 125U);
  Kokkos::deep_copy(arrays.in(), arrays.out());
  EXPECT_EQ(arrays.num_wrong(), 0U);
  flip_bit(arrays.piece_from(0) + 124, 63);
  EXPECT_EQ(arrays.num_wrong(), 1U);
  arrays.clear();
  EXPECT_EQ(arrays.num_wrong(), 125U);
}

TEST(DistributedArrays, DifferBySeedAndRanks) {
  const ExchangeArrays arrays(0, 2, 64, 1), seeded(0, 2, 64, 2), sender(1, 2, 64, 1);
  EXPECT_NE(word_at(arrays.piece_to(0)), word_at(arrays.piece_to(1)));
  EXPECT_NE(word_at(arrays.piece_to(0)), word_at(seeded.piece_to(0)));
  EXPECT_NE(word_at(arrays.piece_to(0)), word_at(sender.piece_to(0)));
  EXPECT_NE(word_at(arrays.piece_to(0)), word_at(arrays.piece_to(0) + 1));
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
      Kokkos::deep_copy(words_at(all.piece_from(from), words),
                        words_at(sender.piece_to(all.rank()), words));
    }
    if (all.rank() == 1) flip_bit(all.piece_from(0), 47);
  }));
  return rows;
}

TEST(DistributedRows, AreTimedAndVerifiedOnAllRanks) {
  test::on_thread_ranks(3, {}, [](const Communicator& world) {
    const Ranks ranks{world, world.split(0, 0)};
    const TimeBudget budget(1e6, 1);
    const auto results =
        time_rows(ranks, {"exchange", RankInput::bytes, faulty_rows}, {240, 1}, {4, budget, 0});
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
    ASSERT_EQ(results.size(), 2U);
    EXPECT_NEAR(results[0].ratio, 1 / results[0].median_seconds(), 1e-9 * results[0].ratio);
    EXPECT_TRUE(results[1].is_link);
    EXPECT_EQ(results[1].seconds, std::vector<double>(3, 1.0));
    EXPECT_EQ(results[1].ratio, 1);
  });
}

RankResult result_of(const char* operation, const char* name, int num_ranks,
                     std::vector<double> seconds) {
  RankResult result;
  result.operation = operation;
  result.name = name;
  result.num_ranks = num_ranks;
  result.seconds = std::move(seconds);
  return result;
}

TEST(DistributedReport, ShowsResultsAndFaults) {
  RankResult ours = result_of("exchange", "ours", 4, {4e-3, 1e-3, 3e-3});
  RankResult own = result_of("exchange", "own", 4, {1.5e-3});
  ours.bytes_per_rank = own.bytes_per_rank = 1 << 20;
  ours.bytes_sent = own.bytes_sent = 750'000;
  ours.ratio = 0.5;
  own.ratio = 1;
  own.num_wrong = 1;
  std::ostringstream out;
  print_results(out, {ours, own});
  EXPECT_EQ(out.str(),
            R"(operation  by    ranks  per rank     ms       sent  GB/s per rank  ratio
exchange   ours      4     1 MiB  3.000  732.4 KiB           0.25   0.50
exchange   own       4     1 MiB  1.500  732.4 KiB           0.50   1.00  1 WRONG value
)");
}

TEST(DistributedReport, ShowsRowsAndScaling) {
  RankResult result = result_of("build", "ours", 2, {2e-3});
  result.keys = "32-bit random";
  result.rows = 1 << 20;
  result.scaling = 0.75;
  std::ostringstream out;
  print_results(out, {result});
  EXPECT_EQ(out.str(),
            "operation  by    keys           ranks   per rank     ms  "
            "Mrows/s per rank  GB/s per rank  ratio  of 1 rank\n"
            "build      ours  32-bit random      2  2^20 rows  2.000  "
            "           524.3              -      -       0.75\n");
}

TEST(DistributedReport, ShowsPhasesThatThereAre) {
  RankResult result = result_of("build", "ours", 2, {1e-3});
  result.phases = PhaseSeconds{};
  (*result.phases)[static_cast<std::size_t>(RunPhase::partition)] = 2e-3;
  std::ostringstream out;
  print_phases(out, {result, result_of("build", "own", 2, {1e-3})});
  EXPECT_NE(out.str().find("operation  by    ranks  partition\n"
                           "build      ours      2      2.000\n"),
            std::string::npos)
      << out.str();
}

TEST(DistributedScaling, IsToTheSameRowOnOneRank) {
  std::vector<RankResult> results;
  for (const int ranks : {1, 2, 4}) results.push_back(result_of("build", "ours", ranks, {0.5}));
  for (RankResult& result : results) result.rows = 100;
  results[1].seconds = {1.0};
  results[2].rows = 50;
  results.push_back(result_of("build", "other", 4, {0.5}));
  results.push_back(results[2]);
  results.back().case_number = 1;
  add_scaling(results);
  EXPECT_EQ(results[0].scaling, 1);
  EXPECT_EQ(results[1].scaling, 0.5);
  EXPECT_EQ(results[2].scaling, 0.5);
  EXPECT_EQ(results[3].scaling, 0);
  EXPECT_EQ(results[4].scaling, 0);
}

TEST(DistributedMedian, IsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

}  // namespace
}  // namespace hashmill::perf
