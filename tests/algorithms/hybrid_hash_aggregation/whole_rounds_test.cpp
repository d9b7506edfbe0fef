// Rounds of stored groups that are grouped at once, which hosts do.

#include <gtest/gtest.h>

#include "algorithms/hybrid_hash_aggregation/hybrid_groups.hpp"
#include "algorithms/support/kokkos_recorder.hpp"

#ifndef KOKKOS_ENABLE_CUDA

namespace hashmill::test {
namespace {

using Keys = Kokkos::View<std::uint32_t*, Memory>;
template <class... Aggregations>
using Batches = detail::AggregatedBatches<std::uint32_t, RowHash,
                                          decltype(detail::as_columns(std::declval<const Keys&>())),
                                          Aggregations...>;

/// Refuses every round when it is about to be grouped.
template <class Exec, class Batches, class GroupRows>
struct RefusingRounds {
  static constexpr bool possible = true;
  static std::uint64_t bytes(const Exec&, std::uint64_t rows) { return 16 * rows; }
  template <class Kept, class Columns, class Use>
  static bool group(const Exec&, const Kept&, Seed, const Columns&, const Use&) {
    return false;
  }
  static void free() {}
};

/// Expects the groups of batches that std::map has, of rounds that find a cache of so many bytes.
template <template <class, class, class> class WholeOf>
HybridAggregationStatistics expect_groups(std::uint64_t budget, std::uint64_t cache_bytes,
                                          const std::vector<NumberBatch>& batches) {
  ExpectedSummaries<std::uint32_t> expected;
  for (const NumberBatch& batch : batches) expected.add(batch.keys, batch.values);
  std::vector<std::uint32_t> keys;
  std::vector<GroupSummary> summaries;
  const KokkosRecorder recorder;
  const auto statistics =
      group_within_cache<WholeOf>(within(budget), cache_bytes, batches, [&](const auto& groups) {
        std::ranges::copy(host_keys(groups.keys), std::back_inserter(keys));
        std::ranges::copy(host_summaries(groups.results), std::back_inserter(summaries));
      });
  expect_summaries(keys, summaries, expected);
  EXPECT_LE(recorder.peak_bytes(), budget);
  return statistics;
}

/// The groups of rounds that are refused are what they are otherwise.
TEST(WholeRounds, AreStoredAgainIfTheyAreRefused) {
  const std::uint64_t n = 1 << 15;
  const std::vector batch{NumberBatch(repeated_numbers(n, n / 2, 3), 5)};
  const auto refused = expect_groups<RefusingRounds>(2 * MiB, 1 << 30, batch);
  EXPECT_GT(refused.rounds, 1U);
  EXPECT_EQ(refused.whole_rounds, 0U);
}

/// Frequent keys among many: the lower rounds stay, and the table gathers the others' rows.
TEST(TableWithinACache, StoresLessThanAllRows) {
  const std::uint64_t n = 1 << 16, budget = n * 64, cache = 1 << 30;
  const auto some = expect_groups<detail::WholeRounds>(
      budget, cache, batches_of(repeated_numbers(n, n, 3), n / 4));
  EXPECT_GT(some.flushes, 0U);
  EXPECT_GT(some.resident_rounds, 0U);
  EXPECT_LT(some.resident_rounds, some.rounds);
  const auto frequent =
      expect_groups<detail::WholeRounds>(budget, cache, batches_of(zipf_numbers(n, 3), n / 4));
  EXPECT_LT(frequent.stored_groups, n / 2);
}

/// Keys that hardly repeat leave a small cache; those that repeat may have a larger table.
TEST(WholeRounds, TakeAllGroupsBeyondACache) {
  const std::uint64_t n = 1 << 16, cache = 1 << 18;
  const auto rare = expect_groups<detail::WholeRounds>(64 * MiB, cache,
                                                       {NumberBatch(repeated_numbers(n, n, 3), 5)});
  EXPECT_EQ(rare.whole_rounds, rare.rounds);
  EXPECT_EQ(rare.file_bytes, 0U);
  Numbers numbers = repeated_numbers(n, n / 8, 3);
  std::ranges::sort(numbers);
  const auto frequent =
      expect_groups<detail::WholeRounds>(64 * MiB, cache, {NumberBatch(numbers, 5)});
  EXPECT_EQ(frequent.rounds, 1U);
}

/// A table was full, and groups of its lowest rounds have stayed. Then it leaves a cache: it may be
/// a little larger than half of that, and slices of different lengths fill it the second time.
TEST(WholeRounds, TakeGroupsThatStayedBeforeATableLeftItsCache) {
  const std::uint64_t budget = 4610280, n = 60000;
  const auto batches = batches_of(sequential_numbers(n, 0), 2161);
  for (std::uint64_t cache = budget / 8 * 7; cache < budget; cache += budget / 64) {
    expect_groups<detail::WholeRounds>(budget, cache, batches);
  }
}

/// Rows that are stored in memory are combined, and combined again.
TEST(WholeRounds, AreCombinedWhereMemoryIsShort) {
  const std::uint64_t n = 1 << 18;
  const std::vector batch{NumberBatch(repeated_numbers(n, 1 << 14, 3), 5)};
  const auto refused = expect_groups<RefusingRounds>(8 * MiB, 1 << 18, batch);
  EXPECT_EQ(refused.combinations, 1U);
  const auto combined = expect_groups<detail::WholeRounds>(8 * MiB, 1 << 18, batch);
  EXPECT_GT(combined.combinations, 1U);
  EXPECT_EQ(combined.file_bytes, 0U);
  // No memory is left for that where rounds are few and large.
  for (const std::uint64_t cache : {1 << 14, 1 << 16, 1 << 18}) {
    expect_groups<detail::WholeRounds>(2 * MiB, cache, batch);
  }
}

/// Groups keys at once.
class CountedGroups {
 public:
  /// The number of groups; none if the round is refused.
  std::optional<std::uint64_t> of(const std::vector<std::uint32_t>& keys) {
    const Kokkos::View<Counts::Group*, Memory> states("hashmill::test::states", keys.size());
    std::optional<std::uint64_t> found;
    const bool grouped =
        rounds_.group(Exec(), counts_.kept, Seed(0), {to_device(keys), states},
                      [&](const auto*, const auto*, std::uint64_t count) { found = count; });
    EXPECT_EQ(grouped, found.has_value());
    return found;
  }

 private:
  using Counts = Batches<std::decay_t<decltype(agg::count())>>;
  using Rows = detail::GroupColumns<true, Exec, Counts, std::integer_sequence<unsigned, 0>>;
  Counts counts_{Exec(), RowHash(), Seed(0), agg::count()};
  detail::WholeRounds<Exec, Counts, Rows> rounds_;
};

/// Keys whose place in a table is the same, for the next hash function that anybody takes.
std::vector<std::uint32_t> keys_of_one_slot(std::size_t count) {
  const detail::SharePlan plan = detail::plan_host_parts(Exec(), count);
  const auto hash =
      hash_at(detail::GroupHashOf<Keys>(Seed(0)), HashLevel::groups, detail::hash_numbers.load());
  const auto place = [&](std::uint32_t key) {
    const std::uint64_t bits = hash(key);
    return std::pair(bits >> (64 - plan.part_bits), (bits >> 32) & (plan.slots - 1));
  };
  std::vector<std::uint32_t> keys;
  for (std::uint32_t key = 0; keys.size() < count; ++key) {
    if (place(key) == place(0)) keys.push_back(key);
  }
  return keys;
}

TEST(WholeRounds, AreRefusedWhereATableIsFull) {
  CountedGroups groups;
  EXPECT_EQ(groups.of({7, 8, 7}), 2U);
  EXPECT_EQ(groups.of({}), 0U);
  const auto colliding = keys_of_one_slot(300);
  EXPECT_EQ(groups.of(colliding), std::nullopt);
  EXPECT_EQ(groups.of(colliding), 300U);  // by another hash function
}

}  // namespace
}  // namespace hashmill::test

#endif
