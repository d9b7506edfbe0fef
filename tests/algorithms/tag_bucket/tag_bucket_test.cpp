#include <gtest/gtest.h>

#include "algorithms/support/hashes.hpp"
#include "sampled_types.hpp"
#include "tag_bucket_table.hpp"

namespace hashmill::test {
namespace {

/// Rows of keys as they were inserted and erased one after another.
using Oracle = std::unordered_multimap<std::uint64_t, std::uint64_t>;

template <class Table>
class TagBucketOf : public testing::Test {
 protected:
  static Reference reference_of(const Numbers& keys, std::uint64_t row_base = 0) {
    return Reference(Table::table_case(), keys, row_base);
  }
  static void expect_entries(const Table& table, const Reference& reference) {
    expect_table(Table::table_case(), table, reference);
  }
  static std::uint64_t normal(std::uint64_t number) { return Table::table_case().normal(number); }

  /// Expects the rows of the oracle for these keys, and its size.
  static void expect_rows(const Table& table, const Oracle& oracle, const Numbers& queries) {
    ASSERT_EQ(table.size(), oracle.size());
    RowLists found = table.retrieve(queries);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      std::vector<std::uint64_t> expected;
      const auto [begin, end] = oracle.equal_range(normal(queries[q]));
      for (auto i = begin; i != end; ++i) expected.push_back(i->second);
      std::sort(expected.begin(), expected.end());
      std::vector<std::uint64_t> rows(found.rows.begin() + found.offsets[q],
                                      found.rows.begin() + found.offsets[q + 1]);
      std::sort(rows.begin(), rows.end());
      ASSERT_EQ(rows, expected) << "key " << queries[q];
    }
  }

  /// Expects what must hold of any table, and returns its statistics.
  static TagBucketStatistics expect_statistics(const Table& table, const Reference& reference) {
    const TagBucketStatistics found = table.statistics();
    EXPECT_EQ(found.num_rows, reference.size());
    EXPECT_EQ(found.num_keys, reference.distinct().size());
    EXPECT_EQ(found.num_buckets, table.owner().num_buckets());
    EXPECT_EQ(found.bytes, table.bytes());
    EXPECT_LE(found.num_keys + found.tombstones, 14 * found.num_buckets);
    EXPECT_LE(found.longest_probe, found.num_buckets);
    EXPECT_GE(found.longest_probe, found.num_keys == 0 ? 0U : 1U);
    EXPECT_DOUBLE_EQ(found.fill, static_cast<double>(found.num_keys) /
                                     static_cast<double>(16 * found.num_buckets));
    return found;
  }
};

using Tables = SampledTypes<TagBucketTable<std::uint32_t, std::uint32_t, Murmur3Hash>,
                            TagBucketTable<std::uint64_t, std::uint64_t, FourBitHash>,
                            TagBucketTable<WideKey, std::uint32_t, WideHash, WideEqual>>;

class TableName {
 public:
  template <class Table>
  static std::string GetName(int) {
    using Key = typename Table::Owner::key_type;
    if (std::is_same_v<Key, WideKey>) return "Wide_WideHash";
    return sizeof(Key) == 4 ? "u32_Murmur3" : "u64_FourBit";
  }
};

TYPED_TEST_SUITE(TagBucketOf, Tables, TableName);

TYPED_TEST(TagBucketOf, InsertsBatchAfterBatchAndGrows) {
  for (const auto& [name, keys] : every_shape(1500, 3)) {
    SCOPED_TRACE(name);
    TypeParam table(keys, {.buckets = BucketCount(1), .initial_rows = 20, .row_base = 17});
    std::uint64_t rows = 20;
    for (const std::uint64_t size : {1, 500, 0, 64, 65, 850}) {
      EXPECT_EQ(table.insert(rows, size), (InsertResult{.inserted = size}));
      rows += size;
      const Numbers some(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(rows));
      const Reference reference = this->reference_of(some, 17);
      ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
      this->expect_statistics(table, reference);
    }
  }
}

TYPED_TEST(TagBucketOf, InsertsAndErasesWithoutWaiting) {
  const Exec exec;
  Workspace<Memory> workspace;
  for (const auto& [name, keys] : every_shape(1500, 4)) {
    SCOPED_TRACE(name);
    TypeParam table(keys, {.buckets = BucketCount(3), .initial_rows = 0, .row_base = 9});
    const Kokkos::View<InsertResult, Memory> inserted("hashmill::test::inserted");
    const Kokkos::View<std::uint64_t, Memory> erased("hashmill::test::erased");
    table.owner().insert_async(exec, 0, 700, inserted, workspace);
    table.owner().insert_async(exec, 500, 1000, inserted, workspace);
    InsertResult result;
    Kokkos::deep_copy(exec, result, inserted);
    exec.fence();
    EXPECT_EQ(result, (InsertResult{1500, 200, 0}));
    table.owner().recount(exec);
    Reference reference = this->reference_of(keys, 9);
    ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
    this->expect_statistics(table, reference);
    const Numbers some(keys.begin(), keys.begin() + 40);
    table.owner().erase_async(exec, KeyColumns<typename TypeParam::Owner::key_type>(some).source(),
                              erased, workspace);
    std::uint64_t number = 0;
    Kokkos::deep_copy(exec, number, erased);
    exec.fence();
    EXPECT_EQ(number, reference.erase(some));
    // What waits takes account of what did not.
    EXPECT_EQ(table.insert(0, 1500), (InsertResult{number, 1500 - number, 0}));
    ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, this->reference_of(keys, 9)));
  }
}

TYPED_TEST(TagBucketOf, TakesMoreRowsOfAKeyThanAThreadTakesAtOnce) {
  Numbers keys = sequential_numbers(30'000);
  for (std::uint64_t& key : keys) key = key % 1000 == 0 ? key : key % 3;
  const Reference reference = this->reference_of(keys);
  const std::uint64_t distinct = reference.distinct().size();
  for (const std::uint64_t buckets : {16, 4096}) {  // room for few rows, or for all
    TypeParam table(keys, {.buckets = BucketCount(buckets), .initial_rows = 0});
    EXPECT_EQ(table.insert(0, 30'000), (InsertResult{30'000, 0, 0}));
    ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
    this->expect_statistics(table, reference);
    TypeParam unique(keys, {.buckets = BucketCount(buckets), .initial_rows = 0});
    EXPECT_EQ(unique.owner().insert_unique(Exec(), 0, 30'000),
              (InsertResult{distinct, 30'000 - distinct, 0}));
  }
}

/// Inserts every row twice.
template <class Inserter>
struct InsertTwice {
  Inserter inserter;
  std::uint64_t rows;
  Kokkos::View<InsertResult, Memory> result;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const InsertOutcome outcome = inserter.insert(static_cast<std::uint64_t>(i) % rows);
    detail::OutcomeCounters{result.data()}.add({outcome == InsertOutcome::inserted ? 1U : 0U,
                                                outcome == InsertOutcome::existing ? 1U : 0U,
                                                outcome == InsertOutcome::full ? 1U : 0U});
  }
};

template <class Owner>
InsertResult insert_twice(Owner& owner, std::uint64_t rows) {
  const auto inserter = owner.inserter(Exec(), rows);
  const Kokkos::View<InsertResult, Memory> counts("hashmill::test::counts");
  Kokkos::parallel_for("hashmill::test::insert_twice", backends::range(Exec(), 2 * rows),
                       InsertTwice<std::decay_t<decltype(inserter)>>{inserter, rows, counts});
  owner.recount(Exec());
  InsertResult result;
  Kokkos::deep_copy(result, counts);
  return result;
}

TYPED_TEST(TagBucketOf, TakesRowsFromManyThreadsAtOnce) {
  for (const auto& [name, keys] : every_shape(4000, 5)) {
    SCOPED_TRACE(name);
    TypeParam table(keys, {.buckets = BucketCount(2), .initial_rows = 0});
    EXPECT_EQ(insert_twice(table.owner(), keys.size()), (InsertResult{4000, 4000, 0}));
    const Reference reference = this->reference_of(keys);
    ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
    this->expect_statistics(table, reference);
  }
}

TYPED_TEST(TagBucketOf, FillsUpWithoutWaitingWhereItMayNotGrow) {
  TypeParam table(sequential_numbers(200),
                  {.buckets = BucketCount(3), .initial_rows = 0, .growth = false});
  const Exec exec;
  Workspace<Memory> workspace;
  const Kokkos::View<InsertResult, Memory> counts("hashmill::test::counts");
  table.owner().insert_async(exec, 0, 20, counts, workspace);
  table.owner().insert_async(exec, 10, 190, counts, workspace);
  InsertResult result;
  Kokkos::deep_copy(result, counts);
  EXPECT_EQ(result, (InsertResult{42, 10, 158}));  // 7/8 of the slots
  EXPECT_EQ(table.size(), 42U);
}

TYPED_TEST(TagBucketOf, GivesKernelsItsLastSlotWhereItMayNotGrow) {
  const Numbers keys = sequential_numbers(200);
  TypeParam table(keys, {.buckets = BucketCount(3), .initial_rows = 0, .growth = false});
  const Exec exec;
  const Kokkos::View<InsertResult, Memory> counts("hashmill::test::counts");
  const auto inserter = table.owner().inserter(exec, 200);
  detail::tally_items("hashmill::test::insert", exec, 200,
                      detail::InsertEachRow<std::decay_t<decltype(inserter)>>{inserter, 0},
                      {counts.data()});
  table.owner().recount(exec);
  InsertResult result;
  Kokkos::deep_copy(result, counts);
  EXPECT_EQ(result, (InsertResult{48, 0, 152}));
  EXPECT_EQ(table.size(), 48U);
  EXPECT_EQ(table.owner().num_keys(), 48U);
  EXPECT_EQ(table.retrieve(keys).rows.size(), 48U);
  EXPECT_EQ(table.insert(0, 200), (InsertResult{0, 48, 152}));
  EXPECT_EQ(table.erase(keys), 48U);
  EXPECT_EQ(table.insert(0, 30), (InsertResult{30, 0, 0}));
}

TYPED_TEST(TagBucketOf, DoublesOnlyWhenSevenOfEightSlotsAreTaken) {
  TypeParam table(sequential_numbers(1000), {.buckets = BucketCount(8), .initial_rows = 112});
  EXPECT_EQ(table.owner().num_buckets(), 8U);
  table.insert(112, 1);
  EXPECT_EQ(table.owner().num_buckets(), 16U);
  table.insert(113, 887);
  EXPECT_EQ(table.owner().num_buckets(), 128U);
  this->expect_entries(table, this->reference_of(sequential_numbers(1000)));
}

TYPED_TEST(TagBucketOf, DoesNotGrowForFurtherRowsOfPresentKeys) {
  const Numbers keys = repeated_numbers(20000, 100, 3);
  TypeParam table(keys, {.buckets = BucketCount(16), .initial_rows = 0});
  const std::uint64_t batch = sampling() ? 1000 : 100;
  for (std::uint64_t first = 0; first < keys.size(); first += batch) table.insert(first, batch);
  EXPECT_EQ(table.owner().num_buckets(), 16U);
  EXPECT_EQ(table.owner().num_keys(), 100U);
  this->expect_entries(table, this->reference_of(keys));
}

TYPED_TEST(TagBucketOf, TakesRowsOfLongerColumns) {
  const Numbers keys = repeated_numbers(1500, 700, 4);
  TypeParam table(Numbers(keys.begin(), keys.begin() + 100));
  table.set_keys(keys);
  EXPECT_EQ(table.insert(400, 600), (InsertResult{.inserted = 600}));
  EXPECT_EQ(table.insert(50, 400), (InsertResult{.inserted = 300, .existing = 100}));
  EXPECT_EQ(table.insert(0, 1500), (InsertResult{.inserted = 500, .existing = 1000}));
  EXPECT_EQ(table.insert(0, 1500), (InsertResult{.existing = 1500}));
  this->expect_entries(table, this->reference_of(keys));
  EXPECT_THROW(table.set_keys({1, 2, 3}), InvalidArgument);
}

TYPED_TEST(TagBucketOf, FailsWithFurtherKeysOnlyWhereItMustNotGrow) {
  Numbers keys = sequential_numbers(100);
  for (int i = 0; i < 100; ++i) keys.push_back(5);
  for (int i = 0; i < 300; ++i) keys.push_back(1000 + i % 150);
  TypeParam table(keys, {.buckets = BucketCount(8), .initial_rows = 100, .growth = false});
  const InsertResult result = table.insert(100, 400);
  EXPECT_EQ(result.inserted + result.failed, 400U);
  EXPECT_EQ(table.owner().num_buckets(), 8U);
  EXPECT_EQ(table.owner().num_keys(), 112U);  // 7/8 of the slots
  EXPECT_EQ(table.count({5})[0], 101U);
  EXPECT_EQ(table.size(), 100 + result.inserted);
  EXPECT_EQ(result.failed, (150U - 12) * 2);  // both rows of a key, or neither
  EXPECT_EQ(table.insert(0, 500).failed, result.failed);
  EXPECT_EQ(table.erase(sequential_numbers(100)), 200U);
  EXPECT_EQ(table.insert(200, 300).failed, result.failed - 2 * 100U);
}

TYPED_TEST(TagBucketOf, ErasesAndInsertsAgainLikeAMultiMap) {
  const Numbers keys = repeated_numbers(4000, 900, 12);
  TypeParam table(keys, {.buckets = BucketCount(4), .initial_rows = 0, .row_base = 3});
  Oracle oracle;
  std::mt19937_64 engine(13);
  for (int step = 0; step < 60; ++step) {
    const std::uint64_t first = engine() % 3500, count = engine() % 500;
    std::uint64_t fresh = 0;
    for (std::uint64_t i = first; i < first + count; ++i) {
      const auto [begin, end] = oracle.equal_range(keys[i]);
      if (std::none_of(begin, end, [&](const auto& entry) { return entry.second == i + 3; })) {
        oracle.emplace(keys[i], i + 3);
        ++fresh;
      }
    }
    ASSERT_EQ(table.insert(first, count), (InsertResult{fresh, count - fresh, 0}));
    const Numbers queries = repeated_numbers(engine() % 400, 1000, engine());
    std::uint64_t erased = 0;
    for (const std::uint64_t query : queries) erased += oracle.erase(query);
    ASSERT_EQ(table.erase(queries), erased);
    if (step % 10 == 3) table.owner().rehash(Exec());
    ASSERT_NO_FATAL_FAILURE(this->expect_rows(table, oracle, sequential_numbers(1000)));
  }
}

TYPED_TEST(TagBucketOf, NeverGrowsByChurnAlone) {
  const Numbers keys = sequential_numbers(30000);
  TypeParam table(keys, {.buckets = BucketCount(64), .initial_rows = 0});
  for (std::uint64_t first = 0; first < keys.size(); first += 300) {
    EXPECT_EQ(table.insert(first, 300).inserted, 300U);
    if (first >= 300) {
      EXPECT_EQ(table.erase(sequential_numbers(300, first - 300)), 300U);
    }
  }
  EXPECT_EQ(table.size(), 300U);
  EXPECT_LE(table.owner().num_buckets(), 128U);
}

TYPED_TEST(TagBucketOf, LeavesTombstonesInFullBucketsOnly) {
  const Numbers keys = sequential_numbers(14 * 64);
  TypeParam table(keys, {.buckets = BucketCount(64)});
  const auto before = this->expect_statistics(table, this->reference_of(keys));
  EXPECT_EQ(table.erase(keys), keys.size());
  const auto after = this->expect_statistics(table, this->reference_of({}));
  EXPECT_EQ(after.tombstones, 16 * before.full_buckets);
  EXPECT_EQ(after.full_buckets, before.full_buckets);
  EXPECT_EQ(table.insert(0, keys.size()).inserted, keys.size());
  this->expect_entries(table, this->reference_of(keys));
  table.erase(keys);
  table.owner().rehash(Exec());
  EXPECT_EQ(table.statistics().tombstones, 0U);
  EXPECT_EQ(table.statistics().full_buckets, 0U);
}

TYPED_TEST(TagBucketOf, KeepsRowsWhenRehashedReservedAndCleared) {
  const Numbers keys = repeated_numbers(2000, 500, 6);
  TypeParam table(keys, {.row_base = 9});
  const Reference reference = this->reference_of(keys, 9);
  for (const std::uint64_t buckets : {1000, 1, 37, 333}) {
    table.owner().rehash(Exec(), BucketCount(buckets));
    EXPECT_EQ(table.owner().num_buckets(), std::max<std::uint64_t>(buckets, 36));  // 14 per bucket
    ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
  }
  table.owner().reserve(Exec(), 14 * 500);
  EXPECT_EQ(table.owner().num_buckets(), 500U);
  table.owner().reserve(Exec(), 10);
  EXPECT_EQ(table.owner().num_buckets(), 500U);
  ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
  table.owner().clear(Exec());
  ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, this->reference_of({})));
  EXPECT_EQ(table.insert(0, 2000).inserted, 2000U);
  this->expect_entries(table, reference);
}

/// Counts how often each row is seen.
struct CountRows {
  Kokkos::View<std::uint32_t*, Memory> seen;
  template <class Row>
  KOKKOS_FUNCTION void operator()(Row row) const {
    Kokkos::atomic_inc(&seen(row - 5));
  }
};

TYPED_TEST(TagBucketOf, VisitsEveryRowOnce) {
  const Numbers keys = repeated_numbers(2000, 900, 8);
  TypeParam table(keys, {.initial_rows = 1500, .row_base = 5});
  const Kokkos::View<std::uint32_t*, Memory> seen("hashmill::test::seen", 2000);
  table.owner().for_each(Exec(), CountRows{seen});
  const auto counts = to_host(seen);
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], i < 1500 ? 1U : 0U) << i;
}

TYPED_TEST(TagBucketOf, KeepsVeloxBucketsAPowerOfTwo) {
  const Numbers keys = repeated_numbers(3000, 1000, 9);
  TypeParam table(keys, {.initial_rows = 1000, .velox_layout = true});
  EXPECT_EQ(table.owner().num_buckets(), 128U);
  table.insert(1000, 2000);
  table.erase(sequential_numbers(100));
  Reference reference = this->reference_of(keys);
  reference.erase(sequential_numbers(100));
  ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
  table.owner().rehash(Exec(), BucketCount(129));
  EXPECT_EQ(table.owner().num_buckets(), 256U);
  this->expect_entries(table, reference);
}

}  // namespace
}  // namespace hashmill::test
