#include "algorithms/join/each_strategy.hpp"
#include "algorithms/join/join_fixture.hpp"
#include "algorithms/join/row_rules.hpp"
#include "algorithms/support/row_tables.hpp"
#include "fuzz_step.hpp"

namespace hashmill::test {
namespace {

/// Joins rows of an integer, a string and a number, with nulls and NaNs, in every kind, and
/// compares with a nested loop.
template <class Maker, class City>
void run_column_join(RandomSource& random) {
  const auto left = random_rows(random.size(400), random.below(1000));
  const auto right = random_rows(random.size(400), random.below(1000));
  const Rules rules{random.chance(2), random.chance(2)};
  const RowColumns<City> left_columns(left);
  const RowColumns<std::int64_t> right_columns(right);
  const auto table = Maker::make(rules.apply(right_columns.keys()));
  const auto queries = rules.apply(left_columns.keys());
  const auto matches = rules.matches(left, right);
  for (const JoinKind kind : every_kind) {
    const Pairs expected = expected_pairs(kind, left.size(), right.size(), matches, EveryPair{});
    const std::string name = "join of columns, kind " + std::to_string(static_cast<int>(kind));
    require_equal(name + ", size", join_size(Exec(), kind, queries, table),
                  std::uint64_t{expected.size()});
    require_equal(name, sorted_pairs(join(Exec(), kind, queries, table)), expected);
    HashJoinOptions options;
    options.prefilter = random.chance(2) ? Prefilter::always : Prefilter::never;
    options.ordered = true;
    for_each_strategy<JoinStrategy::look_up, JoinStrategy::partitioned>(
        options, [&](const auto& chosen) {
          require_equal("hash_" + name + ", " + strategy_name(chosen),
                        pairs_of(hash_join(Exec(), kind, queries, rules.apply(right_columns.keys()),
                                           EveryPair{}, chosen)),
                        expected);
        });
  }
  std::vector<std::uint64_t> without;
  for (const auto& [l, r] :
       expected_pairs(JoinKind::left, left.size(), right.size(), matches, EveryPair{})) {
    if (r == nothing) without.push_back(l);
  }
  require_equal("anti_join of columns", to_wide_host(anti_join(Exec(), queries, table)), without);
}

}  // namespace

std::vector<FuzzStep> column_join_steps() {
  return {{"join of columns, HashGraph", run_column_join<FingerprintTable, std::int8_t>},
          {"join of columns, HashGraph packed", run_column_join<PackedTable, std::int16_t>},
          {"join of columns, TagBucket", run_column_join<TagTable, std::int32_t>}};
}

}  // namespace hashmill::test
