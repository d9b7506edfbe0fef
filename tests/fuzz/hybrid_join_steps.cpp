#include "algorithms/hybrid_hash_join/hybrid_join_results.hpp"
#include "fuzz_step.hpp"

namespace hashmill::test {
namespace {

/// The number of pairs of equal keys.
std::uint64_t count_pairs(const Numbers& left, const Numbers& right) {
  std::unordered_map<std::uint64_t, std::uint64_t> rows_of;
  for (const std::uint64_t key : right) ++rows_of[key];
  std::uint64_t pairs = 0;
  for (const std::uint64_t key : left) {
    const auto found = rows_of.find(key);
    if (found != rows_of.end()) pairs += found->second;
  }
  return pairs;
}

/// A join of any kind within a budget far below or above what it joins, in batches of any length.
void run_hybrid_join(RandomSource& random) {
  const Numbers left = random.numbers(6000), right = random.numbers(6000);
  if (count_pairs(left, right) > 400'000) return;
  const HybridJoinKind kind = random.pick(hybrid_kinds);
  HybridHashJoinOptions options =
      within((40 << 10) + random.below(random.chance(2) ? 40'000 : 600'000));
  options.rounds = 1 + random.below(100);
  options.seed = Seed(random.below(3));
  const auto left_keys = join_keys(left), right_keys = join_keys(right);
  const HybridResult result = join_within<1>(kind, options, left_keys, right_keys,
                                             1 + random.below(3000), with_number_keys);
  require_equal("hybrid hash join", result.rows, expected_rows(kind, left_keys, right_keys));
  if (result.statistics.device_peak > options.budget.device) {
    throw Mismatch("hybrid hash join: it took more than its budget");
  }
}

}  // namespace

std::vector<FuzzStep> hybrid_join_steps() { return {{"hybrid hash join", run_hybrid_join}}; }

}  // namespace hashmill::test
