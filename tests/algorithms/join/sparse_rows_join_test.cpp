#include "join_fixture.hpp"

namespace hashmill::test {
namespace {

/// An entry of a table: its key and its row.
using Entry = std::pair<std::uint64_t, std::uint64_t>;
using Entries = std::vector<Entry>;

/// The pairs that a join of queries with the entries should give, by a nested loop: those with a
/// query sorted, and then the rows without one by number.
template <class Condition>
Pairs expected_of(JoinKind kind, const Numbers& queries, const Entries& entries,
                  const Condition& condition) {
  std::vector<bool> matched(entries.size());
  Pairs pairs, alone;
  for (std::uint64_t q = 0; q < queries.size(); ++q) {
    bool found = false;
    for (std::size_t e = 0; e < entries.size(); ++e) {
      if (entries[e].first != queries[q] || !condition(q, entries[e].second)) continue;
      found = matched[e] = true;
      pairs.emplace_back(q, entries[e].second);
    }
    if (!found && keeps_left(kind)) pairs.emplace_back(q, nothing);
  }
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (!matched[e] && keeps_right(kind)) alone.emplace_back(nothing, entries[e].second);
  }
  std::sort(pairs.begin(), pairs.end());
  std::sort(alone.begin(), alone.end());
  pairs.insert(pairs.end(), alone.begin(), alone.end());
  return pairs;
}

/// The same order of the pairs that a join gave; those without a query stay as they came.
Pairs found_sorted(Pairs pairs) {
  const auto alone = std::find_if(pairs.begin(), pairs.end(),
                                  [](const Pair& pair) { return pair.first == nothing; });
  std::sort(pairs.begin(), alone);
  return pairs;
}

/// Expects every kind of join of the queries with a table of the entries, at once, in order and in
/// chunks, and its size.
template <class Table, class Condition>
void expect_joins(const Table& table, const Numbers& numbers, const Entries& entries,
                  const Condition& condition) {
  using Row = typename Table::row_type;
  const Exec exec;
  const KeyColumns<typename Table::key_type> keys(numbers);
  const auto queries = keys.source();
  for (const JoinKind kind : every_kind) {
    SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
    const Pairs expected = expected_of(kind, numbers, entries, condition);
    EXPECT_EQ(join_size(exec, kind, queries, table, condition), expected.size());
    EXPECT_EQ(found_sorted(pairs_of(join(exec, kind, queries, table, condition))), expected);
    JoinOptions ordered;
    ordered.ordered = true;
    EXPECT_EQ(pairs_of(join(exec, kind, queries, table, condition, ordered)), expected);
    for (const std::uint64_t most : {std::uint64_t{4}, std::uint64_t{1000}}) {
      Pairs chunks;
      ordered.memory_budget = most * 2 * sizeof(Row);
      join_in_chunks(exec, kind, queries, table, condition, ordered, [&](const auto& chunk) {
        EXPECT_LE(chunk.size(), most);
        const Pairs more = pairs_of(chunk);
        chunks.insert(chunks.end(), more.begin(), more.end());
      });
      EXPECT_EQ(chunks, expected);
    }
  }
}
template <class Table>
void expect_joins(const Table& table, const Numbers& queries, const Entries& entries) {
  ASSERT_NO_FATAL_FAILURE(expect_joins(table, queries, entries, EveryPair{}));
  ASSERT_NO_FATAL_FAILURE(expect_joins(table, queries, entries, SumIsEven{}));
}

/// The entries in a LinearProbing that takes several of a key.
template <class Key, class Row>
auto probing_table(const Entries& entries) {
  Numbers numbers;
  std::vector<Row> rows;
  for (const auto& [key, row] : entries) {
    numbers.push_back(key);
    rows.push_back(static_cast<Row>(row));
  }
  LinearProbing<Key, Memory, RepeatedKeys, Row> table(Exec(), entries.size());
  (void)table.insert(Exec(), KeyColumns<Key>(numbers).source(), to_device(rows));
  return table;
}

/// Entries with these rows, of which every third key comes twice.
Entries entries_of(const std::vector<std::uint64_t>& rows) {
  Entries entries;
  for (std::size_t i = 0; i < rows.size(); ++i) entries.emplace_back(i / 3 * 2, rows[i]);
  return entries;
}

template <class Row>
class SparseRowsJoin : public testing::Test {};
using RowTypes = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(SparseRowsJoin, RowTypes);

TYPED_TEST(SparseRowsJoin, TakesTheLeastAndTheGreatestRow) {
  const std::uint64_t greatest = no_row<TypeParam> - 3;
  const Entries entries{{1, 0}, {2, greatest}};
  const auto table = probing_table<std::uint32_t, TypeParam>(entries);
  for (const Numbers& queries : {Numbers{1}, Numbers{2, 2}, Numbers{1, 2}, Numbers{3}, Numbers{}}) {
    expect_joins(table, queries, entries);
  }
}

TYPED_TEST(SparseRowsJoin, TakesRowsFarApart) {
  const std::uint64_t step = (no_row<TypeParam> - 3) / 1000;
  std::vector<std::uint64_t> rows;
  for (std::uint64_t i = 0; i < 1000; ++i) rows.push_back((i * 387 % 1000) * step + i % 7);
  const Entries entries = entries_of(rows);
  const auto narrow = probing_table<std::uint32_t, TypeParam>(entries);
  expect_joins(narrow, repeated_numbers(300, 700, 1), entries);
  const auto wide = probing_table<std::uint64_t, TypeParam>(entries);
  expect_joins(wide, repeated_numbers(300, 700, 2), entries);
}

TYPED_TEST(SparseRowsJoin, TakesRowsThatRepeat) {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t i = 0; i < 100; ++i) rows.push_back(i / 4);
  const Entries entries = entries_of(rows);
  const auto table = probing_table<std::uint32_t, TypeParam>(entries);
  expect_joins(table, {0, 8, 8, 99}, entries);
}

TYPED_TEST(SparseRowsJoin, TakesWhatErasingLeft) {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t i = 0; i < 600; ++i) rows.push_back(i * 3000);
  Entries entries = entries_of(rows);
  auto table = probing_table<std::uint32_t, TypeParam>(entries);
  (void)table.erase(Exec(), KeyColumns<std::uint32_t>(sequential_numbers(200, 4)).source());
  std::erase_if(entries, [](const Entry& entry) { return entry.first >= 4 && entry.first < 204; });
  expect_joins(table, {0, 2, 100, 300, 301}, entries);
}

/// Two HashGraphs merged, whose rows lie far apart, and then thinned out.
TYPED_TEST(SparseRowsJoin, TakesMergedTables) {
  using Table = HashGraph<std::uint32_t, Memory, KeyRow<TypeParam>>;
  const Exec exec;
  const std::uint64_t base = no_row<TypeParam> - 500;
  const KeyColumns<std::uint32_t> first(sequential_numbers(300)),
      second(sequential_numbers(400, 100));
  HashGraphOptions options;
  options.buckets = BucketCount(256);
  const Table low(exec, first.source(), options);
  options.row_base = base;
  const Table high(exec, second.source(), options);
  auto table = merge(exec, low, high);
  Entries entries;
  for (std::uint64_t i = 0; i < 300; ++i) entries.emplace_back(i, i);
  for (std::uint64_t i = 0; i < 400; ++i) entries.emplace_back(100 + i, base + i);
  expect_joins(table, {0, 100, 100, 299, 499, 500}, entries);
  (void)table.erase(exec, KeyColumns<std::uint32_t>(sequential_numbers(200, 50)).source());
  std::erase_if(entries, [](const Entry& entry) { return entry.first >= 50 && entry.first < 250; });
  expect_joins(table, {0, 100, 100, 299, 499, 500}, entries);
}

/// Tables that number their rows themselves, from bases near the largest.
template <class Table, class Options>
void expect_numbered_from(std::uint64_t base) {
  const Exec exec;
  const Numbers numbers = repeated_numbers(50, 30, 3);
  const KeyColumns<typename Table::key_type> keys(numbers);
  Options options;
  options.row_base = base;
  const Table table(exec, keys.source(), options);
  Entries entries;
  for (std::uint64_t i = 0; i < numbers.size(); ++i) entries.emplace_back(numbers[i], base + i);
  expect_joins(table, {1, 2, 2, 40}, entries);
}
TYPED_TEST(SparseRowsJoin, TakesTheLargestRowsOfEveryTable) {
  using Key = std::uint32_t;
  constexpr std::uint64_t base = no_row<TypeParam> - 100;
  expect_numbered_from<HashGraph<Key, Memory, KeyRow<TypeParam>>, HashGraphOptions>(base);
  expect_numbered_from<Chaining<Key, Memory, TypeParam>, ChainingOptions>(base);
  expect_numbered_from<ArrayTable<Key, Memory, TypeParam>, ArrayTableOptions>(base);
  expect_numbered_from<LinearProbing<Key, Memory, RepeatedKeys, TypeParam>, LinearProbingOptions>(
      base);
  constexpr std::uint64_t tagged = std::min(base, (std::uint64_t{1} << 48) - 100);
  expect_numbered_from<TagBucket<Key, Memory, TypeParam>, TagBucketOptions>(tagged);
}

/// Memory that the result does not take is a few bytes for each position of the table, and what a
/// sort counts: 16 KiB for each thread of a host.
TYPED_TEST(SparseRowsJoin, TakesMemoryByTheTableAndNotByItsRows) {
  const std::uint64_t step = (no_row<TypeParam> - 3) / 5000;
  std::vector<std::uint64_t> rows;
  for (std::uint64_t i = 0; i < 5000; ++i) rows.push_back(i * step);
  const auto table = probing_table<std::uint32_t, TypeParam>(entries_of(rows));
  const KeyColumns<std::uint32_t> queries(sequential_numbers(10));
  RowPairs<TypeParam, TypeParam, Memory> pairs;
  Workspace<Memory> workspace;
  join(Exec(), JoinKind::full, queries.source(), table, EveryPair{}, {}, pairs, workspace);
  const auto threads =
      static_cast<std::uint64_t>(Kokkos::DefaultHostExecutionSpace().concurrency());
  EXPECT_LE(workspace.peak_bytes(),
            5 * sizeof(TypeParam) * 5000 + table.num_slots() + (1 << 17) + (threads << 14));
}

/// A table of unique keys has no further rows of a key: nobody must take the others for all.
template <class Table>
void expect_refused(const Table& table) {
  const Exec exec;
  const KeyColumns<typename Table::key_type> keys(Numbers{5, 7});
  const auto queries = keys.source();
  const auto use = [](const auto&) {};
  for (const JoinKind kind : {JoinKind::right, JoinKind::full}) {
    EXPECT_THROW((void)join_size(exec, kind, queries, table), InvalidArgument);
    EXPECT_THROW((void)join_size(exec, kind, queries, table, SumIsEven{}), InvalidArgument);
    EXPECT_THROW((void)join(exec, kind, queries, table), InvalidArgument);
    EXPECT_THROW((void)join(exec, kind, queries, table, SumIsEven{}), InvalidArgument);
    EXPECT_THROW(join_in_chunks(exec, kind, queries, table, EveryPair{}, {}, use), InvalidArgument);
  }
  EXPECT_EQ(join(exec, JoinKind::inner, queries, table).size(), 1U);
  EXPECT_EQ(join(exec, JoinKind::left, queries, table).size(), 2U);
}
TYPED_TEST(SparseRowsJoin, RefusesTablesThatLackRows) {
  const KeyColumns<std::uint32_t> keys(Numbers{5, 5, 6});
  expect_refused(
      LinearProbing<std::uint32_t, Memory, UniqueKeys, TypeParam>(Exec(), keys.source()));
  expect_refused(LinearProbing<std::uint64_t, Memory, UniqueKeys, TypeParam>(
      Exec(), KeyColumns<std::uint64_t>(Numbers{5, 5, 6}).source()));
  expect_refused(LinearProbingSet<std::uint32_t, Memory>(Exec(), keys.source()));
}
TEST(UniqueKeysJoin, KeepsTheRowsThatItKnowsToBeAll) {
  const KeyColumns<std::uint32_t> right(Numbers{5, 7, 9}), left(Numbers{7, 8});
  HashJoinOptions<JoinStrategy::unique_keys> options;
  const auto pairs = sorted_pairs(
      hash_join(Exec(), JoinKind::full, left.source(), right.source(), EveryPair{}, options));
  EXPECT_EQ(pairs, (Pairs{{0, 1}, {1, nothing}, {nothing, 0}, {nothing, 2}}));
}

}  // namespace
}  // namespace hashmill::test
