#include <gtest/gtest.h>

#include <hashmill/intersect.hpp>

#include "algorithms/support/hashes.hpp"
#include "algorithms/support/kokkos_recorder.hpp"
#include "chaining_table.hpp"

namespace hashmill::test {
namespace {

template <class Table>
class ChainingOf : public testing::Test {
 protected:
  static Reference reference_of(const Numbers& keys, std::uint64_t row_base = 0) {
    return Reference(Table::table_case(), keys, row_base);
  }
  static void expect_entries(const Table& table, const Reference& reference) {
    expect_table(Table::table_case(), table, reference);
  }
  /// Expects the statistics that follow from every chain's length.
  static void expect_statistics(const Table& table, const Reference& reference) {
    const auto lengths = reference.bucket_lengths(Table::table_case(), table.owner().num_buckets());
    const ChainingStatistics found = table.owner().statistics(Exec());
    EXPECT_EQ(found.num_entries, reference.size());
    EXPECT_EQ(found.num_buckets, lengths.size());
    EXPECT_EQ(found.bytes, table.bytes());
    EXPECT_EQ(found.longest_bucket, *std::max_element(lengths.begin(), lengths.end()));
    EXPECT_EQ(found.empty_buckets,
              static_cast<std::uint64_t>(std::count(lengths.begin(), lengths.end(), 0U)));
    std::vector<std::uint64_t> histogram(found.bucket_length_histogram.size());
    for (const std::uint64_t length : lengths) {
      ++histogram[std::min<std::uint64_t>(length, histogram.size() - 1)];
    }
    EXPECT_EQ(found.bucket_length_histogram, histogram);
  }
};

using Tables = testing::Types<ChainingTable<std::uint32_t, std::uint32_t, Murmur3Hash>,
                              ChainingTable<Key128, std::uint64_t, FourBitHash>>;

class TableName {
 public:
  template <class Table>
  static std::string GetName(int i) {
    return i == 0 ? "u32_Murmur3" : "Key128_FourBit";
  }
};

TYPED_TEST_SUITE(ChainingOf, Tables, TableName);

TYPED_TEST(ChainingOf, AppendsBatchAfterBatch) {
  for (const auto& [name, keys] : every_shape(700, 3)) {
    SCOPED_TRACE(name);
    TypeParam table(keys, {.buckets = BucketCount(333), .row_base = 17});
    Reference reference = this->reference_of(keys, 17);
    std::uint64_t row = 17 + keys.size();
    for (const std::uint64_t size : {1, 500, 0, 64, 65}) {
      const Numbers more = repeated_numbers(size, 300, size);
      EXPECT_EQ(table.append(more), row);
      reference.merge(this->reference_of(more, row));
      row += size;
      ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
    }
    EXPECT_EQ(table.owner().num_buckets(), 333U);
    EXPECT_EQ(table.owner().num_nodes(), row - 17);
    this->expect_statistics(table, reference);
  }
}

TYPED_TEST(ChainingOf, AppendsToAnEmptyTableAsABuildWould) {
  const Numbers keys = random_numbers(1000, 4);
  TypeParam table({}, {.rows_per_bucket = RowsPerBucket(4)});
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.append(keys), 0U);
  EXPECT_EQ(table.owner().num_buckets(), 250U);
  EXPECT_EQ(table.bytes(), TypeParam(keys, {.rows_per_bucket = RowsPerBucket(4)}).bytes());
  this->expect_entries(table, this->reference_of(keys));
}

TYPED_TEST(ChainingOf, GrowsWithoutCopyingTooOften) {
  TypeParam table({}, {.buckets = BucketCount(64)});
  Numbers all;
  std::uint64_t growths = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::uint64_t before = table.owner().capacity();
    table.append({i % 90});
    all.push_back(i % 90);
    growths += table.owner().capacity() != before ? 1 : 0;
  }
  EXPECT_LE(growths, 20U);
  EXPECT_LE(table.owner().capacity(), 750U);
  this->expect_entries(table, this->reference_of(all));
}

TYPED_TEST(ChainingOf, AllocatesNothingForReservedRows) {
  const Numbers keys = random_numbers(600, 5);
  const KeyColumns<typename TypeParam::Owner::key_type> columns(keys);
  TypeParam table({});
  table.owner().reserve(Exec(), 2 * keys.size());
  EXPECT_EQ(table.owner().num_buckets(), 2 * keys.size());
  EXPECT_EQ(table.owner().capacity(), 2 * keys.size());
  EXPECT_EQ(table.size(), 0U);
  {
    const KokkosRecorder recorder;
    for (const std::uint64_t first : {0, 600}) {
      EXPECT_EQ(table.owner().append_async(Exec(), columns.source()), first);
    }
    EXPECT_EQ(recorder.count(KokkosEvent::Kind::allocation), 0U);
    for (const KokkosEvent& event : recorder.events()) {
      EXPECT_FALSE(event.kind == KokkosEvent::Kind::fence && is_library_label(event.label))
          << event.label;
    }
  }
  Exec().fence();
  Reference reference = this->reference_of(keys);
  reference.merge(this->reference_of(keys, 600));
  ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
  table.owner().reserve(Exec(), 10);  // is there
  table.owner().reserve(Exec(), 5000);
  EXPECT_EQ(table.owner().capacity(), 5000U);
  EXPECT_EQ(table.owner().num_buckets(), 2 * keys.size());
  this->expect_entries(table, reference);
}

TYPED_TEST(ChainingOf, ErasesAndAppendsInTurns) {
  const Numbers keys = repeated_numbers(900, 200, 6);
  TypeParam table(keys);
  Reference reference = this->reference_of(keys);
  for (std::uint64_t first = 0; first < 200; first += 40) {
    const Numbers some = sequential_numbers(60, first);
    EXPECT_EQ(table.erase(some), reference.erase(some));
    ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
    const Numbers again = sequential_numbers(30, first);
    reference.merge(this->reference_of(again, table.append(again)));
    ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
  }
  EXPECT_EQ(table.owner().num_nodes(), keys.size() + 5 * 30);
  this->expect_statistics(table, reference);
}

TYPED_TEST(ChainingOf, RehashesLiveEntriesAlone) {
  const Numbers keys = repeated_numbers(900, 200, 7);
  TypeParam table(keys);
  Reference reference = this->reference_of(keys);
  for (const std::uint64_t buckets : {1, 2, 77, 10'000, 100}) {
    SCOPED_TRACE(buckets);
    table.rehash(buckets);
    EXPECT_EQ(table.owner().num_buckets(), buckets);
    ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
    const Numbers some = sequential_numbers(20, buckets % 181);
    EXPECT_EQ(table.erase(some), reference.erase(some));
    ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
    this->expect_statistics(table, reference);
  }
}

TYPED_TEST(ChainingOf, ClearsForFurtherBatches) {
  const Numbers keys = random_numbers(500, 8);
  TypeParam table(keys, {.row_base = 9});
  table.erase(sequential_numbers(10));
  const std::uint64_t bytes = table.bytes();
  table.owner().clear(Exec());
  ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, this->reference_of({})));
  EXPECT_EQ(table.bytes(), bytes);
  EXPECT_EQ(table.append(keys), 9U);
  EXPECT_EQ(table.bytes(), bytes);
  this->expect_entries(table, this->reference_of(keys, 9));
}

TYPED_TEST(ChainingOf, CompactsToTheHashGraphOfItsEntries) {
  using Owner = typename TypeParam::Owner;
  using Graph = typename Owner::hash_graph_type;
  using Adaptor = TypedMultiMap<MultiMapTable, typename Owner::key_type, Graph>;
  const HashGraphOptions options{.buckets = BucketCount(128), .row_base = 1000};
  for (const auto& [name, keys] : every_shape(900, 9)) {
    SCOPED_TRACE(name);
    const KeyColumns<typename Owner::key_type> columns(keys);
    TypeParam table(keys, {.buckets = options.buckets, .row_base = options.row_base});
    Reference reference = this->reference_of(keys, options.row_base);
    const Graph built(Exec(), columns.source(), options);
    const auto compacted = table.owner().compact(Exec());
    EXPECT_EQ(compacted.num_buckets(), 128U);
    EXPECT_EQ(compacted.bytes(), built.bytes());
    EXPECT_EQ(intersect_count(Exec(), compacted, built), intersect_count(Exec(), built, built));

    const Numbers some(keys.begin(), keys.begin() + 100);
    EXPECT_EQ(table.erase(some), reference.erase(some));
    Adaptor left(table.owner().compact(Exec()), columns);
    ASSERT_NO_FATAL_FAILURE(expect_table(TypeParam::table_case(), left, reference));
    ASSERT_NO_FATAL_FAILURE(this->expect_entries(table, reference));
    table.erase(keys);
    EXPECT_EQ(table.owner().compact(Exec()).size(), 0U);
    ASSERT_NO_FATAL_FAILURE(expect_table(TypeParam::table_case(), left, reference));
  }
}

TYPED_TEST(ChainingOf, MovesWithItsEntries) {
  const Numbers keys = random_numbers(100, 10);
  TypeParam table(keys), other({});
  other.owner() = std::move(table.owner());
  this->expect_entries(other, this->reference_of(keys));
}

TEST(Chaining, TakesTheBytesItsHeaderTells) {
  using Narrow = Chaining<std::uint32_t, Memory>;
  using Wide = Chaining<std::uint64_t, Memory>;
  static_assert(sizeof(Narrow::ref_type::Node) == 8 && sizeof(Wide::ref_type::Node) == 16);
  const Kokkos::View<std::uint32_t*, Memory> narrow("hashmill::test", 1000);
  const Kokkos::View<std::uint64_t*, Memory> wide("hashmill::test", 1000);
  EXPECT_EQ(Narrow(Exec(), narrow).bytes(), 12'000U);
  EXPECT_EQ(Wide(Exec(), wide).bytes(), 20'000U);
}

}  // namespace
}  // namespace hashmill::test
