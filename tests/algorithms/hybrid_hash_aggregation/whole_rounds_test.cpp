// Rounds of stored groups that are grouped at once, which hosts do.

#include <gtest/gtest.h>

#include "algorithms/hybrid_hash_aggregation/hybrid_groups.hpp"

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

/// The groups of rounds that are refused are what they are otherwise.
TEST(WholeRounds, AreStoredAgainIfTheyAreRefused) {
  const std::uint64_t n = 1 << 15;
  const NumberBatch batch(repeated_numbers(n, n / 2, 3), 5);
  ExpectedSummaries<std::uint32_t> expected;
  expected.add(batch.keys, batch.values);
  with_summary(batch.values, [&](const auto&... aggregations) {
    using Of = Batches<std::decay_t<decltype(aggregations)>...>;
    detail::GroupedRounds<true, Exec, Of, RefusingRounds> rounds(Exec(), RowHash(), within(2 * MiB),
                                                                 aggregations...);
    detail::GroupLevel level;
    for (std::uint64_t first = 0; first < n; first += rounds.slice_rows()) {
      const std::uint64_t rows = std::min(rounds.slice_rows(), n - first);
      rounds.add(Exec(), level, rows, [&] {
        rounds.batches.add(Exec(), rounds.workspace, BatchStrategy::automatic,
                           detail::slice_of(batch.device_keys, first, rows),
                           detail::slice_of(aggregations, first, rows)...);
      });
    }
    std::vector<std::uint32_t> keys;
    std::vector<GroupSummary> summaries;
    rounds.finish(Exec(), level, [&](const auto& groups) {
      std::ranges::copy(host_keys(groups.keys), std::back_inserter(keys));
      std::ranges::copy(host_summaries(groups.results), std::back_inserter(summaries));
    });
    expect_summaries(keys, summaries, expected);
    EXPECT_GT(rounds.statistics(level).rounds, 1U);
    EXPECT_EQ(rounds.statistics(level).whole_rounds, 0U);
  });
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
