#include <hashmill/distributed_hash_graph.hpp>
#include <hashmill/distributed_intersect.hpp>

#include "drawn_ranks.hpp"
#include "fuzz_step.hpp"
#include "narrow_hash.hpp"
#include "ranks/hash_graph_answers.hpp"

namespace hashmill::test {
namespace {

using Table = DistributedHashGraph<std::uint64_t, Memory, NarrowHash>;

Table::options_type draw_options(RandomSource& random) {
  constexpr double averages[] = {0.25, 1, 4, 16};
  Table::options_type options;
  options.local.rows_per_bucket = RowsPerBucket(random.pick(averages));
  options.local.algorithm = random.chance(3) ? BuildAlgorithm::v1 : BuildAlgorithm::v2;
  if (random.chance(4)) options.local.bins = BinCount(1 + random.below(5000));
  if (random.chance(4)) options.local.buckets = BucketCount(1 + random.below(5000));
  if (random.chance(2)) options.rounds = 1 + random.below(random.chance(8) ? 300 : 6);
  if (random.chance(2)) options.slices = 1 + random.below(6);
  return options;
}

/// Queries of each rank: some of all ranks' keys, and some that may be in no table.
DrawnShares draw_queries(RandomSource& random, const DrawnRanks& ranks, const Numbers& keys) {
  Numbers queries = random.numbers(300);
  for (std::uint64_t more = random.below(300); more != 0 && !keys.empty(); --more) {
    queries.push_back(random.pick(keys));
  }
  return ranks.divide(random, queries);
}

/// Erases what any rank asks for.
std::uint64_t erase(RowsOfKeys& rows, const DrawnShares& queries) {
  std::uint64_t erased = 0;
  for (const Numbers& of_rank : queries.of_rank) {
    for (const std::uint64_t key : of_rank) {
      const auto found = rows.find(key);
      if (found == rows.end()) continue;
      erased += found->second.size();
      rows.erase(found);
    }
  }
  return erased;
}
std::uint64_t num_pairs(const RowsOfKeys& left, const RowsOfKeys& right) {
  std::uint64_t pairs = 0;
  for (const auto& [key, rows] : left) {
    const auto match = right.find(key);
    if (match != right.end()) pairs += rows.size() * match->second.size();
  }
  return pairs;
}

/// Builds a table, asks it, erases some keys, and asks again; intersects it with another one.
void run_hash_graph(RandomSource& random) {
  const DrawnRanks ranks(random);
  const NarrowHash hash = random_hash(random);
  const auto options = draw_options(random);
  const std::uint64_t most = std::min(20'000U, 200U << std::min(hash.bits, 8U));
  const Numbers keys = random.numbers(most);
  const DrawnShares shares = ranks.divide(random, keys);
  const DrawnShares others = ranks.divide(random, random.numbers(300));
  const DrawnShares queries = draw_queries(random, ranks, keys);
  const DrawnShares erased = draw_queries(random, ranks, keys);
  const bool compacts = random.chance(2);
  const RowsOfKeys rows = all_rows(shares, ranks.size());
  const std::uint64_t pairs = num_pairs(rows, all_rows(others, ranks.size()));
  RowsOfKeys left = rows;
  const std::uint64_t num_erased = erase(left, erased);
  ranks.run([&](const Communicator& communicator) {
    const auto mine = [&](const DrawnShares& of_all) -> const Numbers& {
      return keys_of(of_all, communicator.rank(), communicator.size());
    };
    Table table(rank_exec(), communicator, to_device(mine(shares)), options, hash);
    expect_answers(table, rows, mine(queries));
    const Table other(rank_exec(), communicator, to_device(mine(others)), table.options_like(),
                      hash);
    EXPECT_EQ(intersect_count(rank_exec(), table, other), pairs);
    EXPECT_EQ(table.erase(rank_exec(), to_device(mine(erased))), num_erased);
    EXPECT_EQ(table.size(), keys.size() - num_erased);
    if (compacts) table.compact(rank_exec());
    expect_answers(table, left, mine(queries));
  });
}

}  // namespace

std::vector<FuzzStep> distributed_hash_graph_steps() {
  return {{"distributed HashGraph", run_hash_graph}};
}

}  // namespace hashmill::test
