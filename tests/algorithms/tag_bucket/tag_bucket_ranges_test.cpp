#include <gtest/gtest.h>

#include <map>

#include "algorithms/multi_map/typed_multi_map.hpp"
#include "algorithms/support/expect_table.hpp"
#include "algorithms/support/hashes.hpp"
#include "sampled_types.hpp"
#include "team_tag_bucket.hpp"

namespace hashmill::test {
namespace {

// Ranges of buckets that teams fill in their scratch.

/// Inserts by teams, with numbers as keys.
template <class KeyType, class Row, class Hash>
class TeamTable final
    : public TypedMultiMap<MultiMapTable, KeyType, TeamTagBucket<KeyType, Row, Hash>> {
 public:
  using Owner = TeamTagBucket<KeyType, Row, Hash>;
  using Base = TypedMultiMap<MultiMapTable, KeyType, Owner>;
  static constexpr bool spreads = std::is_same_v<Hash, Murmur3Hash>;

  explicit TeamTable(const Numbers& keys, const TagBucketOptions& options = {})
      : Base(keys, options) {}

  [[nodiscard]] Owner& owner() { return this->owner_; }
  InsertResult insert(std::uint64_t first, std::uint64_t count) {
    return owner().insert(Exec(), first, count);
  }
  [[nodiscard]] static MultiMapCase table_case() {
    return {.name = "TagBucket",
            .has_rows = true,
            .normal = &normal_number<KeyType>,
            .hash = &hash_of_number<KeyType, Hash>};
  }
  [[nodiscard]] static std::uint64_t normal(std::uint64_t number) {
    return normal_number<KeyType>(number);
  }
};

template <class Table>
class TagBucketRanges : public testing::Test {
 protected:
  using Row = typename Table::Owner::row_type;
  static constexpr std::uint64_t buckets = Table::Owner::Stage::buckets;
  static constexpr std::uint64_t slots = buckets * detail::tag_bucket_slots;

  static Reference reference_of(const Numbers& keys, std::uint64_t row_base = 0) {
    return Reference(Table::table_case(), keys, row_base);
  }
  /// Expects the rows of a reference, and tallies that agree with them and with the buckets.
  static void expect_rows(Table& table, const Reference& reference) {
    const detail::TagSlotCounts counts = table.owner().counted(Exec());
    EXPECT_EQ(table.owner().num_keys(), reference.distinct().size());
    EXPECT_EQ(table.owner().num_keys(), counts.keys);
    EXPECT_EQ(table.owner().tombstones(), counts.tombstones);
    expect_table(Table::table_case(), table, reference);
  }
  /// Rows that fill some ranges: fewer of a hash function by which they collide.
  static std::uint64_t some_rows() { return Table::spreads ? 5 * slots + 77 : 2000; }
};

using Tables = SampledTypes<TeamTable<std::uint32_t, std::uint32_t, Murmur3Hash>,
                            TeamTable<std::uint32_t, std::uint64_t, Murmur3Hash>,
                            TeamTable<std::uint64_t, std::uint32_t, ConstantHash>,
                            TeamTable<std::uint32_t, std::uint32_t, FourBitHash>,
                            TeamTable<std::uint64_t, std::uint32_t, Murmur3Hash>>;
TYPED_TEST_SUITE(TagBucketRanges, Tables);

TYPED_TEST(TagBucketRanges, HoldEveryShape) {
  for (const auto& [name, keys] : every_shape(this->some_rows(), 41)) {
    for (const double load : sampled<double>({0.1, 0.5, 0.875})) {
      SCOPED_TRACE(name + " at load " + std::to_string(load));
      TypeParam table(keys, {.load_factor = LoadFactor(load), .row_base = 5});
      ASSERT_NO_FATAL_FAILURE(this->expect_rows(table, this->reference_of(keys, 5)));
    }
  }
}

TYPED_TEST(TagBucketRanges, HoldFewRowsInTheirOnlyRangeOrTheLast) {
  for (const std::uint64_t rows : sampled<std::uint64_t>({0, 1, 2, 16, 17, 300})) {
    for (const std::uint64_t more : sampled<std::uint64_t>({0, 1, this->buckets, 1000})) {
      const Numbers keys = random_numbers(rows, rows);
      TypeParam table(keys, {.buckets = BucketCount(rows / 14 + 1 + more)});
      ASSERT_NO_FATAL_FAILURE(this->expect_rows(table, this->reference_of(keys)));
    }
  }
}

/// Keys that find all buckets of their range full go round the end of the table.
TYPED_TEST(TagBucketRanges, OverflowIntoTheNextOnes) {
  const std::uint64_t full = 14 * (2 * this->buckets + 3);
  const Numbers keys = random_numbers(full, 43);
  TypeParam table(keys, {.buckets = BucketCount(full / 14)});
  EXPECT_EQ(table.owner().num_buckets(), full / 14);
  ASSERT_NO_FATAL_FAILURE(this->expect_rows(table, this->reference_of(keys)));
}

TYPED_TEST(TagBucketRanges, KeepWhatTheyHeldBefore) {
  const Numbers keys = repeated_numbers(this->some_rows(), this->some_rows() / 2, 44);
  for (const std::uint64_t before : sampled<std::uint64_t>({1, 100, keys.size() / 2})) {
    TypeParam table(keys, {.buckets = BucketCount(keys.size() / 14 + 1), .initial_rows = before});
    const std::uint64_t again = before / 2;  // rows that are in the table already
    EXPECT_EQ(table.insert(again, keys.size() - again),
              (InsertResult{.inserted = keys.size() - before, .existing = before - again}));
    ASSERT_NO_FATAL_FAILURE(this->expect_rows(table, this->reference_of(keys)));
  }
}

TYPED_TEST(TagBucketRanges, GrowWithTheirKeys) {
  for (const auto& [name, keys] : every_shape(this->some_rows(), 45)) {
    SCOPED_TRACE(name);
    TypeParam table(keys, {.buckets = BucketCount(1), .initial_rows = 0});
    EXPECT_EQ(table.insert(0, keys.size()), (InsertResult{.inserted = keys.size()}));
    const Reference reference = this->reference_of(keys);
    ASSERT_NO_FATAL_FAILURE(this->expect_rows(table, reference));
    table.owner().rehash(Exec(), table.owner().num_buckets() + 7);
    ASSERT_NO_FATAL_FAILURE(this->expect_rows(table, reference));
  }
}

TYPED_TEST(TagBucketRanges, EndWhereTheTableMustNotGrow) {
  const std::uint64_t most = 14 * (this->buckets + 1);
  const Numbers keys = sequential_numbers(most + 100);
  TypeParam table(keys, {.buckets = BucketCount(this->buckets + 1), .growth = false});
  EXPECT_EQ(table.size(), most);
  EXPECT_EQ(table.insert(0, keys.size()), (InsertResult{0, most, 100}));
  EXPECT_EQ(table.owner().counted(Exec()).keys, most);
}

/// The table has room for a third of its rows beside the tombstones, so it is not rehashed then.
TYPED_TEST(TagBucketRanges, ReuseTombstones) {
  const Numbers keys = sequential_numbers(12 * (this->buckets + 9));
  TypeParam table(keys, {.buckets = BucketCount(this->buckets + 9)});
  Reference reference = this->reference_of(keys);
  for (const std::uint64_t every : {3, 1}) {
    Numbers erased;
    for (std::uint64_t number = 0; number < keys.size(); number += every) erased.push_back(number);
    EXPECT_EQ(table.erase(erased), reference.erase(erased));
    ASSERT_NO_FATAL_FAILURE(this->expect_rows(table, reference));
    const std::uint64_t before = table.owner().tombstones();
    EXPECT_GT(before, 0U);
    reference = this->reference_of(keys);
    EXPECT_EQ(table.insert(0, keys.size()),
              (InsertResult{erased.size(), keys.size() - erased.size(), 0}));
    EXPECT_LT(table.owner().tombstones(), before);
    ASSERT_NO_FATAL_FAILURE(this->expect_rows(table, reference));
  }
}

TYPED_TEST(TagBucketRanges, HaveOneRepresentativeOfAKey) {
  for (const auto& [name, keys] : every_shape(this->some_rows(), 46)) {
    SCOPED_TRACE(name);
    TypeParam table(keys, {.buckets = BucketCount(keys.size() / 14 + 1), .initial_rows = 0});
    std::map<std::uint64_t, std::uint64_t> groups;
    const std::uint64_t half = keys.size() / 2;
    for (const std::uint64_t first : {std::uint64_t{0}, half}) {
      const std::uint64_t count = first == 0 ? half : keys.size() - half;
      const std::size_t before = groups.size();
      const Kokkos::View<typename TypeParam::Owner::row_type*, Memory> there(
          "hashmill::test::there", count);
      const InsertResult result = table.owner().find_or_insert(Exec(), first, count, there);
      const auto rows = to_wide_host(there);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t key = table.normal(keys[first + i]);
        ASSERT_EQ(groups.emplace(key, rows[i]).first->second, rows[i]);
        ASSERT_EQ(table.normal(keys.at(rows[i])), key);
      }
      const std::uint64_t added = groups.size() - before;
      EXPECT_EQ(result, (InsertResult{added, count - added, 0}));
    }
    EXPECT_EQ(table.size(), groups.size());
    EXPECT_EQ(table.owner().counted(Exec()).keys, groups.size());
  }
}

}  // namespace
}  // namespace hashmill::test
