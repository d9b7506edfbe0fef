#include <gtest/gtest.h>

#include "algorithms/hybrid_hash_aggregation/hybrid_groups.hpp"
#include "algorithms/support/failing_allocations.hpp"
#include "algorithms/support/kokkos_recorder.hpp"

namespace hashmill::test {
namespace {

/// Expects what std::map has for the same rows.
HybridAggregationStatistics expect_groups(const HybridAggregationOptions& options,
                                          const Numbers& numbers, std::uint64_t batch_rows) {
  const auto batches = batches_of(numbers, batch_rows);
  ExpectedSummaries<std::uint32_t> expected;
  for (const NumberBatch& batch : batches) expected.add(batch.keys, batch.values);
  std::vector<std::uint32_t> keys;
  std::vector<GroupSummary> summaries;
  const auto statistics =
      group_within(options, batches, with_summaries, number_keys, [&](const auto& groups) {
        EXPECT_GT(groups.size(), 0U);
        std::ranges::copy(host_keys(groups.keys), std::back_inserter(keys));
        std::ranges::copy(host_summaries(groups.results), std::back_inserter(summaries));
      });
  expect_summaries(keys, summaries, expected);
  EXPECT_LE(statistics.device_peak, options.budget.device);
  return statistics;
}

TEST(HybridHashAggregation, GroupsWithinAnyBudget) {
  const std::uint64_t n = sampling() ? 1 << 12 : 1 << 15;
  for (const auto& [name, numbers] : every_shape(n, 5)) {
    SCOPED_TRACE(name);
    for (const std::uint64_t device : {2 * MiB, 8 * MiB, 32 * MiB}) {
      expect_groups(within(device), numbers, 3000);
    }
  }
  // Hosts store groups of keys that do not repeat, once they are more than half a cache holds.
  Numbers pairs = sequential_numbers(n, 0);
  for (auto& number : pairs) number /= 2;
  EXPECT_EQ(expect_groups(within(32 * MiB), pairs, n).flushes, 0U);
}

/// An array over a small range of keys takes much of a small budget, and must leave room for groups
/// that leave the table while stored ones are read.
TEST(HybridHashAggregation, GroupsWithinTheLeastBudgets) {
  for (const std::uint64_t kib :
       sampled(std::vector<std::uint64_t>{2048, 2304, 2560, 2688, 3072})) {
    for (const std::uint64_t rounds : {1, 4, 8}) {
      HybridAggregationOptions options = within(kib << 10);
      options.rounds = rounds;
      expect_groups(options, random_numbers(sampling() ? 6'000 : 60'000, kib), 700);
    }
  }
}

/// Hosts group stored rounds at once where they fit, and part others until they do.
TEST(HybridHashAggregation, GroupsRoundsAtOnce) {
  if (backends::has_wide_teams<Exec>) GTEST_SKIP() << "hosts only";
  const std::uint64_t n = 1 << 16;
  HybridAggregationOptions options = within(4 * MiB);
  const auto fitting = expect_groups(options, sequential_numbers(n), n / 4);
  EXPECT_GE(fitting.whole_rounds, fitting.rounds - fitting.resident_rounds);
  options.rounds = 2;
  const auto parted = expect_groups(options, sequential_numbers(n), n / 4);
  EXPECT_GT(parted.split_rounds, 0U);
  EXPECT_GT(parted.whole_rounds, 2U);
}

/// With few rounds that are parted again, and again.
TEST(HybridHashAggregation, GroupsFarMoreThanItsBudget) {
  const std::uint64_t n = 1 << 16;
  HybridAggregationOptions options = within(2 * MiB);
  options.rounds = 2;
  const auto statistics = expect_groups(options, sequential_numbers(n), n / 3);
  EXPECT_GT(statistics.split_rounds, 4U);
  EXPECT_GT(statistics.file_bytes, n * sizeof(std::uint32_t));
}

/// What it allocates, and not only what it accounts for.
TEST(HybridHashAggregation, TakesNoMoreMemoryThanItsBudget) {
  const std::uint64_t n = 1 << 16;
  for (const std::uint64_t device :
       sampled(std::vector<std::uint64_t>{2 * MiB, 4 * MiB, 16 * MiB})) {
    for (const std::uint64_t distinct : {n, n / 16}) {
      const auto batches = batches_of(repeated_numbers(n, distinct, 7), n / 8);
      const KokkosRecorder recorder;
      group_within(within(device), batches, with_summaries, number_keys, [](const auto&) {});
      EXPECT_LE(recorder.peak_bytes(), device) << distinct;
    }
  }
}

TEST(HybridHashAggregation, KeepsFirstValuesAndVariances) {
  const std::uint64_t n = 1 << 16;
  const auto batches = batches_of(repeated_numbers(n, n / 3, 9), n / 5);
  ExpectedFirstsAndVariances expected;
  for (const NumberBatch& batch : batches) expected.add(batch);
  std::uint64_t groups_found = 0;
  const auto statistics =
      group_within(within(2 * MiB), batches, with_firsts, number_keys, [&](const auto& groups) {
        groups_found += groups.size();
        expected.expect(host_keys(groups.keys), groups.results);
      });
  EXPECT_EQ(groups_found, expected.size());
  EXPECT_GT(statistics.flushes, 1U);
}

TEST(HybridHashAggregation, HasStringsNullsAndNansAsKeys) {
  const std::uint64_t n = sampling() ? 1000 : 5000;
  std::vector<RowBatch> batches;
  for (const std::uint64_t size : {std::uint64_t{0}, n, std::uint64_t{1}, n / 2}) {
    batches.emplace_back(size, 30 + batches.size());
  }
  for (const std::uint64_t device : {2 * MiB, 64 * MiB}) {
    ExpectedSummaries<GroupKey> expected;
    for (const RowBatch& batch : batches) expected.add(group_keys_of(batch.rows), batch.values);
    std::vector<GroupKey> keys;
    std::vector<GroupSummary> summaries;
    group_within(
        within(device), batches, with_summaries,
        [](const RowBatch& batch) { return batch.columns.keys(); },
        [&](const auto& groups) {
          std::ranges::copy(host_row_keys(groups.keys), std::back_inserter(keys));
          std::ranges::copy(host_summaries(groups.results), std::back_inserter(summaries));
        });
    expect_summaries(keys, summaries, expected);
  }
}

/// The system has no memory although the budget has.
TEST(HybridHashAggregation, SurvivesFailingAllocations) {
  const std::uint64_t n = sampling() ? 500 : 9'000;
  const auto batches = batches_of(sequential_numbers(n), n);
  HybridAggregationOptions options = within(2 * MiB);
  options.rounds = 2;
  const std::uint64_t failures = count_failures([&] {
    std::uint64_t found = 0;
    group_within(options, batches, with_summaries, number_keys,
                 [&](const auto& groups) { found += groups.size(); });
    EXPECT_EQ(found, n);
  });
  EXPECT_GT(failures, 20U);
}

TEST(HybridHashAggregation, RefusesWhatItCannotDo) {
  const NumberBatch batch(sequential_numbers(1 << 15), 1), other(sequential_numbers(10), 1);
  with_summary(batch.values, [&](const auto&... aggregations) {
    const auto make = [&](const HybridAggregationOptions& options) {
      return hybrid_hash_aggregation(Exec(), batch.device_keys, options, aggregations...);
    };
    HybridAggregationOptions options = within(2 * MiB);
    options.rounds = 0;
    EXPECT_THROW(static_cast<void>(make(options)), InvalidArgument);
    options.rounds = 5000;
    EXPECT_THROW(static_cast<void>(make(options)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(make(within(2 * MiB - 1))), CapacityError);
    auto after_fault = make(within(2 * MiB));
    EXPECT_THROW(after_fault.add(Exec(), other.device_keys, aggregations...), InvalidArgument);
    EXPECT_THROW(after_fault.finish(Exec(), [](const auto&) {}), InvalidArgument);
    auto finished = make(within(2 * MiB));
    finished.finish(Exec(), [](const auto&) { FAIL() << "there are no groups"; });
    EXPECT_THROW(finished.finish(Exec(), [](const auto&) {}), InvalidArgument);
    auto source = make(within(2 * MiB));
    const auto target = std::move(source);
    EXPECT_THROW(source.finish(Exec(), [](const auto&) {}), InvalidArgument);
    EXPECT_EQ(source.statistics().device_peak, 0U);
    EXPECT_GT(target.statistics().device_peak, 0U);
    // A file that is too small, and results that nobody wants.
    options = within(2 * MiB);
    options.budget.file = 64 << 10;
    auto small = make(options);
    EXPECT_THROW(small.add(Exec(), batch.device_keys, aggregations...), CapacityError);
    EXPECT_THROW(small.add(Exec(), batch.device_keys, aggregations...), InvalidArgument);
    auto unwanted = make(within(2 * MiB));
    unwanted.add(Exec(), batch.device_keys, aggregations...);
    const auto refuse = [](const auto&) { throw std::runtime_error("no more"); };
    EXPECT_THROW(unwanted.finish(Exec(), refuse), std::runtime_error);
  });
}

}  // namespace
}  // namespace hashmill::test
