#include <hashmill/distributed_aggregation.hpp>
#include <hashmill/distributed_group_by.hpp>

#include "algorithms/group_by/firsts_and_variances.hpp"
#include "drawn_ranks.hpp"
#include "fuzz_step.hpp"
#include "ranks/group_results.hpp"

namespace hashmill::test {
namespace {

/// How each rank groups; the seed is that of all.
std::vector<DistributedGroupOptions> draw_options(RandomSource& random, const DrawnRanks& ranks) {
  const Seed seed(random.chance(2) ? 0 : random.below(1000));
  const ShuffleLevels levels = draw_levels(random);
  return ranks.for_each([&] {
    return DistributedGroupOptions{random.pick(every_choice), seed, draw_compression(random),
                                   levels};
  });
}
std::uint64_t draw_most(RandomSource& random) { return random.chance(4) ? 20'000 : 2'000; }

void group_numbers(RandomSource& random) {
  const DrawnRanks ranks(random);
  const auto options = draw_options(random, ranks);
  const DrawnShares shares = ranks.divide(random, random.numbers(draw_most(random)));
  std::vector<NumberBatch> batches;
  ExpectedSummaries<std::uint32_t> expected;
  for (const Numbers& numbers : shares.of_rank) {
    batches.emplace_back(numbers, random.below(100));
    expected.add(batches.back().keys, batches.back().values);
  }
  ranks.run([&](const Communicator& communicator) {
    Workspace<Memory> workspace;
    const auto rank = static_cast<std::size_t>(communicator.rank());
    const auto found = with_summary(batches[rank].values, [&](const auto&... asked) {
      return distributed_group_by(rank_exec(), communicator, batches[rank].device_keys,
                                  options[rank], workspace, asked...);
    });
    expect_groups(communicator, to_host(std::get<0>(found.keys).values),
                  host_summaries(found.results), expected.groups());
  });
}

/// Keys of several columns with nulls, of which many have one hash.
void count_rows_of_columns(RandomSource& random) {
  const DrawnRanks ranks(random);
  auto options = draw_options(random, ranks);
  for (auto& of_rank : options) of_rank.seed = Seed(0);  // the hash takes none
  const DrawnShares shares = ranks.divide(random, Numbers(random.size(2'000)));
  std::vector<RowBatch> batches;
  std::map<GroupKey, std::uint64_t> expected;
  for (const Numbers& numbers : shares.of_rank) {
    batches.emplace_back(numbers.size(), random.below(100));
    for (const GroupKey& key : group_keys_of(batches.back().rows)) ++expected[key];
  }
  ranks.run([&](const Communicator& communicator) {
    Workspace<Memory> workspace;
    const auto rank = static_cast<std::size_t>(communicator.rank());
    const auto found = distributed_group_by<std::uint32_t, FourBitRowHash>(
        rank_exec(), communicator, batches[rank].columns.keys(), options[rank], workspace,
        agg::count());
    const auto keys = host_row_keys(found.keys);
    const auto counts = to_host(std::get<0>(found.results).values);
    expect_each_once(communicator, keys, expected);
    for (std::size_t g = 0; g < keys.size(); ++g) ASSERT_EQ(counts[g], expected.at(keys[g]));
  });
}

/// Batches that ranks add between the results that they ask for, and what is expected of each.
struct Periods {
  explicit Periods(RandomSource& random, const DrawnRanks& ranks) : begins_anew(random.chance(3)) {
    for (std::uint64_t period = 1 + random.below(3); period != 0; --period) {
      auto& of_ranks = batches.emplace_back();
      for (int rank = 0; rank < ranks.size(); ++rank) {
        auto& of_rank = of_ranks.emplace_back();
        for (std::uint64_t batch = random.below(3); batch != 0; --batch) {
          of_rank.emplace_back(random.numbers(draw_most(random)), random.below(100));
        }
      }
    }
  }
  /// What the rows of the periods up to this one come to, those of rank 0 first.
  [[nodiscard]] ExpectedFirstsAndVariances expected(std::size_t last, int ranks) const {
    ExpectedFirstsAndVariances groups;
    for (int rank = 0; rank < ranks; ++rank) {
      for (std::size_t period = begins_anew ? last : 0; period <= last; ++period) {
        for (const auto& batch : batches[period][static_cast<std::size_t>(rank)]) groups.add(batch);
      }
    }
    return groups;
  }
  std::vector<std::vector<std::vector<NumberBatch>>> batches;  // by period and rank
  bool begins_anew;                                            // after each period
};

/// Adds batches on each rank, and asks for results now and then.
void aggregate_batches(RandomSource& random) {
  const DrawnRanks ranks(random);
  const auto options = draw_options(random, ranks);
  const Periods periods(random, ranks);
  ranks.run([&](const Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    const NumberBatch none({}, 0);
    auto aggregation = with_firsts_and_variances(none.values, [&](const auto&... asked) {
      return distributed_aggregation(rank_exec(), communicator, none.device_keys, options[rank],
                                     asked...);
    });
    for (std::size_t period = 0; period < periods.batches.size(); ++period) {
      if (periods.begins_anew) aggregation.clear(rank_exec());
      for (const NumberBatch& batch : periods.batches[period][rank]) {
        with_firsts_and_variances(batch.values, [&](const auto&... asked) {
          aggregation.add(rank_exec(), batch.device_keys, asked...);
        });
      }
      const auto found = aggregation.results(rank_exec());
      const auto keys = to_host(std::get<0>(found.keys).values);
      const auto expected = periods.expected(period, communicator.size());
      expect_each_once(communicator, keys, expected.groups());
      expected.expect(keys, found.results);
    }
  });
}

}  // namespace

std::vector<FuzzStep> distributed_group_steps() {
  return {{"distributed group by, numbers", group_numbers},
          {"distributed group by, columns", count_rows_of_columns},
          {"distributed aggregation", aggregate_batches}};
}

}  // namespace hashmill::test
