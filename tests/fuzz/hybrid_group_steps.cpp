#include "algorithms/hybrid_hash_aggregation/hybrid_groups.hpp"
#include "fuzz_step.hpp"

namespace hashmill::test {
namespace {

/// A group-by within a budget below or above what its groups take, in batches of any length; on
/// this machine, or on one with a cache below or above the budget.
void run_hybrid_group_by(RandomSource& random) {
  HybridAggregationOptions options = within(2 * MiB + random.below(4 * MiB));
  options.rounds = 1 + random.below(100);
  options.seed = Seed(random.below(3));
  options.strategy = random.pick(
      std::array{BatchStrategy::automatic, BatchStrategy::by_groups, BatchStrategy::by_rows});
  const auto batches = batches_of(random.numbers(60'000), 1 + random.below(20'000));
  ExpectedSummaries<std::uint32_t> expected;
  for (const NumberBatch& batch : batches) expected.add(batch.keys, batch.values);
  std::map<std::uint32_t, GroupSummary> found;
  std::uint64_t groups_found = 0;
  const auto find = [&](const auto& groups) {
    const auto keys = host_keys(groups.keys);
    const auto summaries = host_summaries(groups.results);
    for (std::size_t g = 0; g < keys.size(); ++g) found[keys[g]] = summaries[g];
    groups_found += keys.size();
  };
  const bool chooses_cache = random.chance(2);
  const std::uint64_t cache_bytes = random.below(2 * options.budget.device);
  const auto statistics = chooses_cache
                              ? group_within_cache(options, cache_bytes, batches, find)
                              : group_within(options, batches, with_summaries, number_keys, find);
  require_equal("hybrid group-by", found, expected.groups());
  require_equal("groups, of which none twice", groups_found, found.size());
  if (statistics.device_peak > options.budget.device) {
    throw Mismatch("hybrid group-by: it took more than its budget");
  }
}

}  // namespace

std::vector<FuzzStep> hybrid_group_steps() { return {{"hybrid group-by", run_hybrid_group_by}}; }

}  // namespace hashmill::test
