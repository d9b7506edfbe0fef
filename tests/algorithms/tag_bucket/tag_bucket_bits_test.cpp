#include <gtest/gtest.h>

#include <cstddef>
#include <hashmill/multi_map.hpp>

#include "algorithms/support/hashes.hpp"
#include "core/message_of.hpp"
#include "tag_bucket_table.hpp"

namespace hashmill::test {
namespace {

constexpr std::uint64_t example_hash = 0x5BCA7C69B794F8CE;

/// Hashes every key to the number of Velox's worked example.
struct ExampleHash {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t) const { return example_hash; }
};

/// Copies a bucket to where the host can ask for it.
template <class Ref>
struct CopyBucket {
  Ref ref;
  std::uint64_t bucket;
  Kokkos::View<detail::TagBucketSlots*, Memory> copy;
  KOKKOS_FUNCTION void operator()(std::int64_t) const { copy(0) = ref.slots(bucket); }
};

TEST(TagHashBits, AreThoseOfVeloxsWorkedExample) {
  const auto bits = TagHashBits::velox(BucketCount(1 << 16));
  EXPECT_EQ(bits.tag(example_hash), 0x80 | 0x71);
  EXPECT_EQ(bits.tag(example_hash), 0xF1);
  EXPECT_EQ(bits.bucket(example_hash), 10737U);
  EXPECT_EQ(bits.bucket(example_hash) * sizeof(detail::TagBucketSlots), 1'374'336U);
}

TEST(TagHashBits, PutTheKeyOfTheWorkedExampleThere) {
  using Table = TagBucket<std::uint64_t, Memory, std::uint64_t, ExampleHash>;
  const auto keys = to_device(Numbers{42});
  const TagBucketOptions options{
      .buckets = BucketCount(1 << 16), .row_base = 0x123456789ABC, .velox_layout = true};
  const Table table(Exec(), keys, options);
  const Kokkos::View<detail::TagBucketSlots*, Memory> copy("hashmill::test::slots", 1);
  Kokkos::parallel_for("hashmill::test::copy", Kokkos::RangePolicy<Exec>(0, 1),
                       CopyBucket<Table::ref_type>{table.ref(), 10737, copy});
  const auto slots = to_host(copy)[0];
  std::uint8_t bytes[128];
  std::memcpy(bytes, &slots, sizeof(bytes));
  const std::uint8_t expected_row[] = {0xBC, 0x9A, 0x78, 0x56, 0x34, 0x12};
  EXPECT_EQ(bytes[0], 0xF1);
  for (unsigned i = 0; i < 6; ++i) EXPECT_EQ(bytes[16 + i], expected_row[i]);
  for (unsigned i = 1; i < 128; ++i) {
    if (i < 16 || i >= 22) {
      EXPECT_EQ(bytes[i], 0U) << "byte " << i;
    }
  }
}

/// Whether flipping some bit of hashes changes the bucket, and whether it changes the tag.
void expect_disjoint_bits(const TagHashBits& bits) {
  for (const std::uint64_t hash : random_numbers(50, 1)) {
    for (unsigned bit = 0; bit < 64; ++bit) {
      const std::uint64_t other = hash ^ (std::uint64_t{1} << bit);
      EXPECT_FALSE(bits.bucket(hash) != bits.bucket(other) && bits.tag(hash) != bits.tag(other))
          << "bit " << bit << " of " << bits.num_buckets() << " buckets";
    }
  }
}

TEST(TagHashBits, OfBucketAndTagAreDisjoint) {
  for (const std::uint64_t buckets : {1, 2, 1 << 16, 1 << 30}) {
    expect_disjoint_bits(TagHashBits::own(BucketCount(buckets)));
    expect_disjoint_bits(TagHashBits::velox(BucketCount(buckets)));
  }
  expect_disjoint_bits(TagHashBits::velox(BucketCount(TagHashBits::most_velox_buckets)));
  expect_disjoint_bits(TagHashBits::own(BucketCount(BucketCount::largest)));
}

TEST(TagHashBits, FillBucketsAndTagsEvenly) {
  for (const TagHashBits bits :
       {TagHashBits::own(BucketCount(64)), TagHashBits::velox(BucketCount(64))}) {
    std::vector<unsigned> buckets(64), tags(256);
    for (std::uint64_t i = 0; i < 64000; ++i) {
      ++buckets[bits.bucket(Murmur3Hash{}(i))];
      ++tags[bits.tag(Murmur3Hash{}(i))];
    }
    for (const unsigned count : buckets) EXPECT_NEAR(count, 1000, 200);
    for (unsigned tag = 0; tag < 128; ++tag) EXPECT_EQ(tags[tag], 0U);
    for (unsigned tag = 128; tag < 256; ++tag) EXPECT_NEAR(tags[tag], 500, 130);
  }
}

TEST(TagHashBits, RefuseBucketsThatVeloxCannotHave) {
  EXPECT_THROW((void)TagHashBits::velox(BucketCount(3)), InvalidArgument);
  EXPECT_THROW((void)TagHashBits::velox(BucketCount(std::uint64_t{1} << 32)), CapacityError);
}

/// Keys 0 to count - 1 of which nothing lies in memory.
struct CountedKeys {
  std::uint64_t count;
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i; }
};

template <class Row>
using CountedTable = TagBucket<std::uint64_t, Memory, Row, Murmur3Hash, KeyEqual, CountedKeys>;

template <class Row>
void expect_rows_from(std::uint64_t row_base) {
  const CountedTable<Row> table(Exec(), CountedKeys{1000}, {.row_base = row_base});
  const auto queries = to_device(sequential_numbers(1001));
  const Kokkos::View<Row*, Memory> out("hashmill::test::rows", 1001);
  table.find(Exec(), queries, out);
  const auto rows = to_host(out);
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(rows[i], static_cast<Row>(row_base + i));
  EXPECT_EQ(rows[1000], no_row<Row>);
}

TEST(TagBucketRows, MayHave48Bits) {
  expect_rows_from<std::uint32_t>((std::uint64_t{1} << 31) - 500);
  expect_rows_from<std::uint32_t>((std::uint64_t{1} << 32) - 1 - 1000);
  expect_rows_from<std::uint64_t>((std::uint64_t{1} << 32) - 500);
  expect_rows_from<std::uint64_t>((std::uint64_t{1} << 48) - 1000);
}

TEST(TagBucketErrors, RowNumbersThatDoNotFit) {
  const CountedKeys keys{1000};
  const auto build = [&]<class Row>(Row, std::uint64_t row_base) {
    (void)CountedTable<Row>(Exec(), keys, {.row_base = row_base});
  };
  EXPECT_THROW(build(std::uint32_t{}, (std::uint64_t{1} << 32) - 1000), CapacityError);
  EXPECT_THROW(build(std::uint64_t{}, (std::uint64_t{1} << 48) - 999), CapacityError);
  EXPECT_THROW(build(std::uint64_t{}, ~std::uint64_t{0}), CapacityError);
}

TEST(TagBucketErrors, OptionsAndRangesOutOfBounds) {
  const CountedKeys keys{1000};
  using Table = CountedTable<std::uint32_t>;
  EXPECT_THROW(Table(Exec(), keys, {.load_factor = LoadFactor(0.9)}), InvalidArgument);
  EXPECT_THROW(Table(Exec(), keys, {.initial_rows = 1001}), InvalidArgument);
  Table table(Exec(), keys);
  EXPECT_THROW(table.insert(Exec(), 1, 1000), InvalidArgument);
  EXPECT_THROW(table.insert(Exec(), ~std::uint64_t{0}, 2), InvalidArgument);
  EXPECT_THROW(table.rehash(Exec(), BucketCount(BucketCount::largest)), CapacityError);
  EXPECT_THROW(table.reserve(Exec(), std::uint64_t{1} << 44), CapacityError);
  EXPECT_EQ(table.size(), 1000U);
  EXPECT_EQ(table.statistics(Exec()).num_keys, 1000U);
}

TEST(TagBucketViews, MayHaveGaps) {
  const Kokkos::View<std::uint64_t*, Memory> wide("hashmill::test::wide", 3000);
  const auto values = sequential_numbers(3000);
  Kokkos::deep_copy(wide, to_device(values));
  const Kokkos::View<const std::uint64_t*, Kokkos::LayoutStride, Memory> third(
      wide.data(), Kokkos::LayoutStride(1000, 3));
  using Table = TagBucket<std::uint64_t, Memory, std::uint32_t, Murmur3Hash, KeyEqual,
                          Kokkos::View<const std::uint64_t*, Kokkos::LayoutStride, Memory>>;
  static_assert(RowMultiMapRef<Table::ref_type>);
  const Table table(Exec(), third);
  const Kokkos::View<std::uint32_t*, Memory> out("hashmill::test::rows", 3000);
  table.find(Exec(), wide, out);
  const auto rows = to_host(out);
  for (std::uint32_t i = 0; i < 3000; ++i) {
    ASSERT_EQ(rows[i], i % 3 == 0 ? i / 3 : no_row<std::uint32_t>);
  }
}

}  // namespace
}  // namespace hashmill::test
