#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/hashmill.hpp>
#include <map>
#include <numeric>
#include <set>

#include "algorithms/join/each_strategy.hpp"
#include "algorithms/support/inputs.hpp"
#include "algorithms/support/views.hpp"

namespace hashmill::test {
namespace {

/// Copies element by element, as a named functor: nvcc takes lambdas only where types are named.
template <class To, class From>
struct CopyEach {
  To to;
  From from;
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const { to(i) = from(i); }
};

/// Column 1 of a View of three, whose other columns hold what nobody may read.
template <class T>
auto strided(const std::vector<T>& values) {
  const Kokkos::View<T* [3], Kokkos::LayoutRight, Memory> table("hashmill::test::table",
                                                                values.size());
  Kokkos::deep_copy(table, static_cast<T>(77));
  const auto column = Kokkos::subview(table, Kokkos::ALL, 1);
  static_assert(std::is_same_v<typename decltype(column)::array_layout, Kokkos::LayoutStride>);
  const auto mirror = to_device(values);
  using Copy = CopyEach<std::decay_t<decltype(column)>, std::decay_t<decltype(mirror)>>;
  Kokkos::parallel_for("hashmill::test::fill", Kokkos::RangePolicy<Exec>(0, values.size()),
                       Copy{column, mirror});
  Kokkos::fence();
  return column;
}

/// Column 1 of a View of three for results, which must not touch the others.
template <class T>
struct Results {
  explicit Results(std::uint64_t size)
      : table("hashmill::test::results", size), column(Kokkos::subview(table, Kokkos::ALL, 1)) {}
  [[nodiscard]] std::vector<T> host() const {
    const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, table);
    std::vector<T> values(mirror.extent(0));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = mirror(i, 1);
      EXPECT_EQ(mirror(i, 0), T{}) << "written beside the column";
      EXPECT_EQ(mirror(i, 2), T{}) << "written beside the column";
    }
    return values;
  }
  Kokkos::View<T* [3], Kokkos::LayoutRight, Memory> table;
  decltype(Kokkos::subview(table, Kokkos::ALL, 1)) column;
};

using Strided = decltype(strided(std::vector<std::uint32_t>()));
using StridedConst = Kokkos::View<const std::uint32_t*, Kokkos::LayoutStride, Memory>;

/// Keys with repetitions, and queries of which half are there.
std::vector<std::uint32_t> some_keys() {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t i = 0; i < 3000; ++i) keys.push_back(i * 7 % 1999);
  return keys;
}
std::vector<std::uint32_t> some_queries() {
  std::vector<std::uint32_t> queries;
  for (std::uint32_t i = 0; i < 1000; ++i) queries.push_back(i * 13 % 4001);
  return queries;
}

/// The look-ups of a table with strided queries and results, against std::multimap.
template <class Table>
void expect_answers(const Table& table, const std::vector<std::uint32_t>& keys) {
  std::multimap<std::uint32_t, std::uint64_t> expected;
  for (std::size_t i = 0; i < keys.size(); ++i) expected.emplace(keys[i], i);
  const std::vector<std::uint32_t> asked = some_queries();
  const auto queries = strided(asked);
  const Results<bool> contains(asked.size());
  const Results<std::uint64_t> counts(asked.size());
  const Results<typename Table::row_type> found(asked.size());
  table.contains(Exec(), queries, contains.column);
  table.count(Exec(), StridedConst(queries), counts.column);
  table.find(Exec(), queries, found.column);
  const auto csr = table.retrieve(Exec(), queries);
  const auto was = contains.host();
  const auto many = counts.host(), offsets = to_host(csr.offsets);
  const auto rows = found.host(), all = to_host(csr.rows);
  for (std::size_t q = 0; q < asked.size(); ++q) {
    ASSERT_EQ(was[q], expected.count(asked[q]) != 0);
    ASSERT_EQ(many[q], expected.count(asked[q]));
    ASSERT_EQ(offsets[q + 1] - offsets[q], expected.count(asked[q]));
    if (was[q]) {
      ASSERT_EQ(keys[rows[q]], asked[q]);
    }
    std::multiset<std::uint64_t> mine(all.begin() + offsets[q], all.begin() + offsets[q + 1]);
    std::multiset<std::uint64_t> theirs;
    const auto [begin, end] = expected.equal_range(asked[q]);
    for (auto i = begin; i != end; ++i) theirs.insert(i->second);
    ASSERT_EQ(mine, theirs);
  }
  const Results<bool> some(asked.size());
  table.contains_if(Exec(), queries, contains.column, some.column);
  EXPECT_EQ(some.host(), was);
}

template <class Table>
void expect_erases(Table table, const std::vector<std::uint32_t>& keys) {
  const auto erased = std::count_if(keys.begin(), keys.end(), [](auto key) { return key < 3; });
  EXPECT_EQ(table.erase(Exec(), strided(std::vector<std::uint32_t>{0, 1, 5000, 2})), erased);
  EXPECT_EQ(table.size(), keys.size() - erased);
}

TEST(StridedViews, AreKeysOfEveryTable) {
  using Key = std::uint32_t;
  const auto keys = some_keys();
  const auto view = strided(keys);
  const StridedConst constant(view);
  expect_answers(HashGraph<Key, Memory>(Exec(), view), keys);
  expect_answers(HashGraph<Key, Memory>(Exec(), constant, {.algorithm = BuildAlgorithm::v1}), keys);
  using Fingerprints =
      HashGraph<Key, Memory, FingerprintRow<>, Murmur3Hash, KeyEqual, StridedConst>;
  expect_answers(Fingerprints(Exec(), view), keys);
  expect_answers(Chaining<Key, Memory>(Exec(), view), keys);
  expect_answers(LinearProbing<Key, Memory, RepeatedKeys>(Exec(), view), keys);
  expect_answers(ArrayTable<Key, Memory>(Exec(), view), keys);
  using Bucket = TagBucket<Key, Memory, std::uint32_t, Murmur3Hash, KeyEqual, StridedConst>;
  expect_answers(Bucket(Exec(), view), keys);
  const auto contiguous = to_device(keys);
  expect_answers(Bucket(Exec(), contiguous), keys);
  expect_erases(HashGraph<Key, Memory>(Exec(), view), keys);
  expect_erases(Chaining<Key, Memory>(Exec(), view), keys);
  expect_erases(LinearProbing<Key, Memory, RepeatedKeys>(Exec(), view), keys);
  expect_erases(ArrayTable<Key, Memory>(Exec(), view), keys);
  expect_erases(Bucket(Exec(), view), keys);
}

TEST(StridedViews, RebuildAndIntersect) {
  const auto keys = some_keys();
  Workspace<Memory> workspace;
  HashGraph<std::uint32_t, Memory> table(Exec(), to_device(std::vector<std::uint32_t>{1, 2, 3}));
  table.rebuild(Exec(), strided(keys), {}, workspace);
  expect_answers(table, keys);
  const auto queries = some_queries();
  EXPECT_EQ(intersect_count(Exec(), strided(queries), table, workspace),
            intersect_count(Exec(), to_device(queries), table, workspace));
}

TEST(StridedViews, AreRowsPredicatesAndOutcomesOfInserts) {
  const auto keys = some_keys();
  std::vector<std::uint32_t> numbers(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
  LinearProbing<std::uint32_t, Memory, RepeatedKeys> table(Exec(), 1);
  EXPECT_EQ(table.insert(Exec(), strided(keys), strided(numbers)).inserted, keys.size());
  expect_answers(table, keys);
  LinearProbing<std::uint32_t, Memory> unique(Exec(), 1);
  const Results<bool> wanted(keys.size());
  const Results<InsertOutcome> outcomes(keys.size());
  Kokkos::deep_copy(Exec(), wanted.column, true);
  EXPECT_EQ(
      unique.insert_if(Exec(), strided(keys), strided(numbers), wanted.column, outcomes.column)
          .inserted,
      1999U);
  const Results<std::uint32_t> there(keys.size());
  EXPECT_EQ(unique.find_or_insert(Exec(), strided(keys), strided(numbers), there.column).existing,
            keys.size());
  const auto found = there.host();
  for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(keys[found[i]], keys[i]);
}

TEST(StridedViews, AreSidesOfJoins) {
  const auto right = some_keys(), left = some_queries();
  std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
  for (std::uint32_t l = 0; l < left.size(); ++l) {
    for (std::uint32_t r = 0; r < right.size(); ++r) {
      if (left[l] == right[r]) expected.emplace(l, r);
    }
  }
  const auto expect_pairs = [&](const auto& options) {
    const auto pairs =
        hash_join(Exec(), JoinKind::inner, strided(left), strided(right), EveryPair{}, options);
    const auto l = to_host(pairs.left), r = to_host(pairs.right);
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;
    for (std::size_t i = 0; i < l.size(); ++i) found.emplace(l[i], r[i]);
    EXPECT_EQ(found, expected);
    EXPECT_EQ(l.size(), expected.size());
  };
  for_each_strategy<JoinStrategy::automatic, JoinStrategy::look_up, JoinStrategy::intersect,
                    JoinStrategy::partitioned, JoinStrategy::tag_bucket, JoinStrategy::array>(
      {}, expect_pairs);
  Workspace<Memory> workspace;
  const auto values = join_values(Exec(), strided(left), strided(left), strided(right),
                                  strided(right), JoinOptions{}, workspace);
  EXPECT_EQ(to_host(values.left), to_host(values.right));
  EXPECT_EQ(values.size(), expected.size());
}

TEST(StridedViews, AreGroupedAndAggregated) {
  const auto keys = some_keys();
  std::map<double, std::pair<std::uint64_t, double>> expected;
  std::vector<double> values(keys.size()), numbers(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    numbers[i] = keys[i] % 17;
    values[i] = static_cast<double>(i);
    expected[numbers[i]].first += 1;
    expected[numbers[i]].second += values[i];
  }
  const auto check = [&](const auto& found, const auto& by, const auto& results) {
    const auto rows = to_host(found);
    const auto counts = to_host(std::get<0>(results).values);
    const auto sums = to_host(std::get<1>(results).values);
    ASSERT_EQ(rows.size(), expected.size());
    for (std::size_t g = 0; g < rows.size(); ++g) {
      const auto [count, sum] = expected.at(by[rows[g]]);
      EXPECT_EQ(counts[g], count);
      EXPECT_EQ(sums[g], sum);
    }
  };
  const auto by_number =
      group_by(Exec(), strided(numbers), agg::count(), agg::sum(strided(values)));
  check(by_number.representatives, numbers, by_number.results);
  std::vector<std::uint64_t> whole(numbers.begin(), numbers.end());
  const auto by_whole = group_by(Exec(), strided(whole), agg::count(), agg::sum(strided(values)));
  check(by_whole.representatives, whole, by_whole.results);
  const auto groups = group_rows(Exec(), strided(whole));
  check(groups.representatives, whole,
        aggregate(Exec(), groups, agg::count(), agg::sum(strided(values))));
  auto batches =
      hash_aggregation(Exec(), to_device(whole), agg::count(), agg::sum(strided(values)));
  batches.add(Exec(), strided(whole), agg::count(), agg::sum(to_device(values)));
  const auto results = batches.results(Exec());
  const auto group_keys = to_host(std::get<0>(results.keys).values);
  const auto sums = to_host(std::get<1>(results.results).values);
  ASSERT_EQ(group_keys.size(), expected.size());
  for (std::size_t g = 0; g < sums.size(); ++g) {
    EXPECT_EQ(sums[g], expected.at(static_cast<double>(group_keys[g])).second);
  }
}

/// Views that begin at one address and have different strides are not one column.
TEST(StridedViews, OfOneMemoryAreAggregatedApart) {
  const std::uint64_t n = 200'000;
  std::vector<std::uint64_t> numbers(3 * n);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  const auto memory = to_device(numbers);
  using Apart = Kokkos::View<const std::uint64_t*, Kokkos::LayoutStride, Memory>;
  const Apart twos(memory.data(), Kokkos::LayoutStride(n, 2));
  const Apart threes(memory.data(), Kokkos::LayoutStride(n, 3));
  const auto groups = group_by(Exec(), threes, agg::sum(twos), agg::sum(threes));
  ASSERT_EQ(groups.size(), n);
  const auto rows = to_host(groups.representatives);
  const auto a = to_host(std::get<0>(groups.results).values);
  const auto b = to_host(std::get<1>(groups.results).values);
  for (std::size_t g = 0; g < n; ++g) {
    ASSERT_EQ(a[g], 2 * std::uint64_t{rows[g]});
    ASSERT_EQ(b[g], 3 * std::uint64_t{rows[g]});
  }
}

struct LowBits {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint32_t key) const { return key % 5; }
};

TEST(StridedViews, ArePartitionedGatheredAndStored) {
  const auto keys = some_keys();
  std::vector<std::uint64_t> payloads(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) payloads[i] = 3 * keys[i] + 1;
  const auto parts = partition(Exec(), strided(keys), strided(payloads), LowBits{}, PartCount(5));
  const auto alone = partition(Exec(), strided(keys), LowBits{}, PartCount(5));
  const auto moved = to_host(parts.keys);
  const auto with = to_host(parts.payloads), offsets = to_host(parts.offsets);
  auto sorted = keys, all = moved, again = to_host(alone.keys);
  std::sort(sorted.begin(), sorted.end());
  std::sort(all.begin(), all.end());
  std::sort(again.begin(), again.end());
  EXPECT_EQ(all, sorted);
  EXPECT_EQ(again, sorted);
  for (std::uint64_t p = 0; p < 5; ++p) {
    for (std::uint64_t i = offsets[p]; i < offsets[p + 1]; ++i) {
      ASSERT_EQ(moved[i] % 5, p);
      ASSERT_EQ(with[i], 3 * std::uint64_t{moved[i]} + 1);
    }
  }
  RowContainer<Memory, std::uint32_t, std::uint64_t> rows;
  rows.append(Exec(), strided(keys), strided(payloads));
  const std::vector<std::uint32_t> which = {2999, 0, no_row<std::uint32_t>, 17};
  const Results<std::uint64_t> taken(4), gathered(4);
  rows.extract<1>(Exec(), strided(which), taken.column);
  gather(Exec(), strided(payloads), strided(which), gathered.column);
  const std::vector<std::uint64_t> expected = {payloads[2999], payloads[0], 0, payloads[17]};
  EXPECT_EQ(taken.host(), expected);
  EXPECT_EQ(gathered.host(), expected);
}

TEST(StridedViews, AreAddedToFiltersAndNormalized) {
  const auto keys = some_keys();
  const BloomFilter<std::uint32_t, Memory> filter(Exec(), strided(keys));
  const Results<bool> passed(keys.size());
  filter.contains(Exec(), strided(keys), passed.column);
  EXPECT_EQ(passed.host(), std::vector<bool>(keys.size(), true));
  Workspace<Memory> workspace;
  const auto side = join_filter(Exec(), strided(keys));
  EXPECT_EQ(side.select(Exec(), strided(keys), workspace).extent(0), keys.size());
  const KeyRange range = key_range(Exec(), strided(keys));
  EXPECT_EQ(range.span, 1998U);
  EXPECT_FALSE(key_range_below(Exec(), strided(std::vector<std::uint32_t>(100'000, 9)), 0));
}

}  // namespace
}  // namespace hashmill::test
