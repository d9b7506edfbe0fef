#include "algorithms/join/each_strategy.hpp"
#include "fuzz_step.hpp"
#include "mixed_keys.hpp"

namespace hashmill::test {
namespace {

enum class Level : std::int16_t {};

/// Requires that look-ups of the left keys find what they should.
template <class Table, class Sides, class Queries>
void require_rows(const Table& table, const Sides& sides, const Queries& queries) {
  const Kokkos::View<bool*, Memory> contained("hashmill::test::contained", sides.left.size());
  const Kokkos::View<std::uint64_t*, Memory> counts("hashmill::test::counts", sides.left.size());
  table.contains(Exec(), queries, contained);
  table.count(Exec(), queries, counts);
  const auto csr = table.retrieve(Exec(), queries);
  const auto is_there = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, contained);
  const auto counted = to_host(counts), offsets = to_host(csr.offsets);
  const auto rows = to_wide_host(csr.rows);
  for (std::uint64_t l = 0; l < sides.left.size(); ++l) {
    const auto& expected = sides.matches(l);
    require_equal("contains", is_there(l), !expected.empty());
    require_equal("count", counted[l], std::uint64_t{expected.size()});
    std::vector<std::uint64_t> found(rows.data() + offsets[l], rows.data() + offsets[l + 1]);
    std::sort(found.begin(), found.end());
    require_equal("retrieve", found, expected);
  }
}

/// Looks keys of another number type up in a table, and joins both, in every kind.
template <class Table, class Query>
void run_mixed_table(RandomSource& random) {
  const MixedSides<typename Table::key_type, Query> sides(random);
  const StridedColumn<typename Table::key_type> right(random, sides.right);
  const StridedColumn<Query> strided(random, sides.left);
  const auto left = to_device(sides.left);
  const Table table(Exec(), right.view());
  require_rows(table, sides, left);
  require_rows(table, sides, strided.view());
  for (const JoinKind kind : every_kind) {
    JoinOptions options;
    options.ordered = random.chance(2);
    const Pairs expected = sides.expected(kind);
    require_equal("join_size", join_size(Exec(), kind, left, table),
                  std::uint64_t{expected.size()});
    const auto pairs = join(Exec(), kind, strided.view(), table, EveryPair{}, options);
    require_equal("join", options.ordered ? pairs_of(pairs) : sorted_pairs(pairs), expected);
  }
}

/// Joins sides of two number types that are in no table, by every strategy that suits any keys.
template <class Right, class Left>
void run_mixed_hash_join(RandomSource& random) {
  const MixedSides<Right, Left> sides(random);
  const auto right = to_device(sides.right);
  const StridedColumn<Left> left(random, sides.left);
  const JoinKind kind = random.pick(every_kind);
  const Pairs expected = sides.expected(kind);
  HashJoinOptions options;
  options.seed = Seed(random.below(3));
  options.ordered = random.chance(2);
  options.prefilter = random.chance(2) ? Prefilter::always : Prefilter::automatic;
  for_each_strategy<JoinStrategy::automatic, JoinStrategy::look_up, JoinStrategy::partitioned,
                    JoinStrategy::tag_bucket>(options, [&](const auto& chosen) {
    const auto pairs = hash_join(Exec(), kind, left.view(), right, EveryPair{}, chosen);
    require_equal("hash_join, " + strategy_name(chosen),
                  chosen.ordered ? pairs_of(pairs) : sorted_pairs(pairs), expected);
  });
}

/// Groups rows by keys of a number type.
template <class Key>
void run_mixed_groups(RandomSource& random) {
  const std::vector<Key> keys = draw_numbers<Key>(random, 20'000);
  std::map<ExactNumber, std::uint64_t> expected, actual;
  for (const Key key : keys) ++expected[exact_number(key)];
  const StridedColumn<Key> column(random, keys);
  const GroupOptions options{random.chance(2) ? GroupStrategy::hash : GroupStrategy::automatic,
                             Seed(random.below(3))};
  const auto grouped = group_by(Exec(), column.view(), options, agg::count());
  const auto rows = to_host(grouped.representatives);
  const auto counts = to_host(std::get<0>(grouped.results).values);
  for (std::size_t g = 0; g < rows.size(); ++g) actual[exact_number(keys.at(rows[g]))] += counts[g];
  require_equal("groups, of which none twice", rows.size(), actual.size());
  require_equal("group_by", actual, expected);
}

/// Joins keys with a table of entries whose rows are numbers far apart, some of them twice.
void run_sparse_rows(RandomSource& random) {
  using Row = std::uint64_t;
  const Numbers numbers = random.numbers(1000), queries = random.numbers(1000);
  const std::uint64_t most = random.chance(2) ? no_row<Row> - 2 : numbers.size() + 1;
  std::vector<Row> rows;
  for (const std::uint64_t number : numbers)
    rows.push_back(murmur3_fmix64(number + rows.size() / 2) % most);
  LinearProbing<std::uint64_t, Memory, RepeatedKeys, Row> table(Exec(), numbers.size());
  (void)table.insert(Exec(), KeyColumns<std::uint64_t>(numbers).source(), to_device(rows));
  std::multimap<std::uint64_t, std::size_t> entries;
  for (std::size_t e = 0; e < rows.size(); ++e) entries.emplace(numbers[e], e);
  const KeyColumns<std::uint64_t> keys(queries);
  const JoinKind kind = random.pick(every_kind);
  std::vector<bool> matched(rows.size());
  Pairs expected;
  for (std::uint64_t q = 0; q < queries.size(); ++q) {
    const auto [first, last] = entries.equal_range(queries[q]);
    for (auto entry = first; entry != last; ++entry) {
      matched[entry->second] = true;
      expected.emplace_back(q, rows[entry->second]);
    }
    if (first == last && keeps_left(kind)) expected.emplace_back(q, nothing);
  }
  for (std::size_t e = 0; e < rows.size(); ++e) {
    if (!matched[e] && keeps_right(kind)) expected.emplace_back(nothing, rows[e]);
  }
  std::sort(expected.begin(), expected.end());
  require_equal("join_size", join_size(Exec(), kind, keys.source(), table),
                std::uint64_t{expected.size()});
  require_equal("join", sorted_pairs(join(Exec(), kind, keys.source(), table)), expected);
}

template <class Key>
using StridedKeys = typename StridedColumn<Key>::View;
template <class Key>
using Graph = HashGraph<Key, Memory, KeyRow<>, Murmur3Hash, KeyEqual, StridedKeys<Key>>;
template <class Key>
using Buckets = TagBucket<Key, Memory, std::uint32_t, Murmur3Hash, KeyEqual, StridedKeys<Key>>;

}  // namespace

std::vector<FuzzStep> mixed_key_steps() {
  return {{"mixed keys, HashGraph", run_mixed_table<Graph<std::uint32_t>, std::int64_t>},
          {"mixed keys, Chaining", run_mixed_table<Chaining<std::int64_t, Memory>, std::uint64_t>},
          {"mixed keys, LinearProbing",
           run_mixed_table<LinearProbing<Level, Memory, RepeatedKeys>, std::int32_t>},
          {"mixed keys, TagBucket", run_mixed_table<Buckets<double>, float>},
          {"mixed keys, hash_join", run_mixed_hash_join<std::int32_t, std::uint32_t>},
          {"mixed keys, hash_join of double", run_mixed_hash_join<float, double>},
          {"mixed keys, group by double", run_mixed_groups<double>},
          {"mixed keys, group by enumeration", run_mixed_groups<Level>},
          {"sparse rows, LinearProbing", run_sparse_rows}};
}

}  // namespace hashmill::test
