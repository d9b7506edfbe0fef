#include <hashmill/distributed_aggregation.hpp>
#include <map>

#include "ranks/group_results.hpp"
#include "ranks/rank_cases.hpp"
#include "ranks/rank_inputs.hpp"

namespace hashmill::test {
namespace {

// What holds for group-bys of batches over any ranks.

/// Ranks add 0 to 2 batches, have results, add more, have results again, and begin anew.
void adds_batches(const Communicator& ranks) {
  const auto batch = [](int rank, std::uint64_t b) {
    const std::uint64_t seed = 100 * std::uint64_t(rank) + b;
    return NumberBatch(b % 2 == 0 ? zipf_numbers(300 * b, seed) : random_numbers(300 * b, seed),
                       seed);
  };
  for (const PreAggregation choice : every_choice) {
    const NumberBatch none({}, 0);
    auto aggregation = with_summary(none.values, [&](const auto&... asked) {
      return distributed_aggregation(rank_exec(), ranks, none.device_keys,
                                     DistributedGroupOptions{choice}, asked...);
    });
    ExpectedSummaries<std::uint32_t> expected;
    const auto add_all = [&](std::uint64_t first) {
      for (int r = 0; r < ranks.size(); ++r) {
        for (std::uint64_t b = first; b < first + std::uint64_t((r + 1) % 3); ++b) {
          const NumberBatch rows = batch(r, b);
          expected.add(rows.keys, rows.values);
          if (r != ranks.rank()) continue;
          with_summary(rows.values, [&](const auto&... asked) {
            aggregation.add(rank_exec(), rows.device_keys, asked...);
          });
        }
      }
    };
    const auto expect = [&] {
      const auto found = aggregation.results(rank_exec());
      expect_groups(ranks, to_host(std::get<0>(found.keys).values), host_summaries(found.results),
                    expected.groups());
    };
    add_all(5);
    expect();
    expect();
    add_all(9);
    expect();
    aggregation.clear(rank_exec());
    expected = {};
    expect();
    add_all(1);
    expect();
  }
}

/// A batch that is refused leaves its rank's rows as they were; the others need not know.
void keeps_its_rows_where_a_batch_is_refused(const Communicator& ranks) {
  const NumberBatch rows(Numbers(50, 3), 1), fewer(Numbers(49, 3), 1);
  auto aggregation = with_summary(rows.values, [&](const auto&... asked) {
    return distributed_aggregation(rank_exec(), ranks, rows.device_keys, asked...);
  });
  const auto add = [&](const Values& values) {
    with_summary(values, [&](const auto&... asked) {
      aggregation.add(rank_exec(), rows.device_keys, asked...);
    });
  };
  add(rows.values);
  if (ranks.rank() == ranks.size() - 1) {
    EXPECT_THROW(add(fewer.values), InvalidArgument);
  }
  std::uint64_t counts[] = {0};
  const auto found = aggregation.results(rank_exec());
  for (const auto count : to_host(std::get<0>(found.results).values)) counts[0] += count;
  ranks.all_reduce(counts, Reduction::sum);
  EXPECT_EQ(counts[0], 50 * std::uint64_t(ranks.size()));
}

}  // namespace

std::span<const RankCase> distributed_aggregation_cases() {
  static constexpr RankCase all[] = {
      {"adds_batches", adds_batches},
      {"keeps_its_rows_where_a_batch_is_refused", keeps_its_rows_where_a_batch_is_refused},
  };
  return all;
}

}  // namespace hashmill::test
