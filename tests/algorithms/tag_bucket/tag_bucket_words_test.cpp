#include <gtest/gtest.h>

#include "algorithms/support/hashes.hpp"
#include "sampled_types.hpp"
#include "tag_bucket_table.hpp"

namespace hashmill::test {
namespace {

/// Maps 32-bit keys to themselves: neighbours share their home buckets.
struct KeepingHash {
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return std::uint64_t{permute(key)} << 32;
  }
  template <class Key>
  KOKKOS_FUNCTION std::uint32_t permute(const Key& key) const {
    return static_cast<std::uint32_t>(key);
  }
  [[maybe_unused]] friend constexpr bool operator==(const KeepingHash&,
                                                    const KeepingHash&) = default;
};

using KeepingWords = detail::TagSlotWords<std::uint32_t, std::uint32_t, KeepingHash, KeyEqual>;

/// Of two keys with the same lowest 22 bits one at least is out of reach, wherever they are held.
TEST(TagSlotWords, TellKeysWithinReachApart) {
  std::mt19937_64 engine(12);
  for (const std::uint64_t buckets :
       {std::uint64_t{2048}, std::uint64_t{2049}, std::uint64_t{3071}, std::uint64_t{3072},
        std::uint64_t{1'000'003}, std::uint64_t{1} << 22, (std::uint64_t{1} << 31) + 12345}) {
    const KeepingWords words({}, buckets, true);
    const std::uint64_t reach = buckets / 1024 - 1;
    EXPECT_TRUE(words.tells_apart(reach - 1));
    EXPECT_FALSE(words.tells_apart(reach));
    const auto bits = TagHashBits::own(BucketCount(buckets));
    for (int draw = 0; draw < 200; ++draw) {
      const auto key = static_cast<std::uint32_t>(engine());
      const std::uint64_t home = bits.bucket(words(key));
      for (std::uint32_t other = key + (1U << 22); other != key; other += 1U << 22) {
        const std::uint64_t there = bits.bucket(words(other));
        ASSERT_EQ(bits.tag(words(key)), bits.tag(words(other)));
        const std::uint64_t after = there >= home ? there - home : there + buckets - home;
        ASSERT_GE(after, reach) << key << " and " << other << " in " << buckets << " buckets";
        ASSERT_GE(buckets - after, reach);
      }
    }
  }
}

TEST(TagSlotWords, HaveRowsAndRemainders) {
  const KeepingWords words({}, 4096, true);  // reach 3
  const std::uint64_t a = words(0x12345678), b = words(0x12345678 ^ 1U << 21);
  for (const std::uint64_t row : {0ULL, 5ULL, 0xFFFFFFFEULL}) {
    const std::uint64_t near = words.word(row, a, 2), far = words.word(row, a, 3);
    EXPECT_LT(near, std::uint64_t{1} << 48);
    EXPECT_LT(far, std::uint64_t{1} << 48);
    EXPECT_EQ(KeepingWords::row(near), row);
    EXPECT_EQ(KeepingWords::row(far), row);
    EXPECT_EQ(KeepingWords::with_row(near, 77), words.word(77, a, 2));
    EXPECT_TRUE(words.may_be(near, a, 0));
    EXPECT_FALSE(words.may_be(near, b, 0));
    EXPECT_FALSE(words.may_be(near, a, 3));
    EXPECT_TRUE(words.may_be(far, a, 3));
    EXPECT_TRUE(words.may_be(far, b, 4));
    EXPECT_FALSE(words.may_be(far, a, 2));
  }
}

TEST(TagSlotWords, HaveNothingButRowsForOtherKeysRowsAndHashes) {
  const auto expect_rows = [](const auto& words, const auto& key) {
    EXPECT_FALSE(words.tells_apart(0));
    const std::uint64_t row = (std::uint64_t{1} << 48) - 3;
    EXPECT_EQ(words.word(row, words(key), 0), row);
    EXPECT_EQ(words.row(row), row);
    EXPECT_TRUE(words.may_be(row, words(key) + 1, 0));
  };
  using detail::TagSlotWords;
  using Row = std::uint64_t;
  constexpr std::uint64_t buckets = std::uint64_t{1} << 22;
  expect_rows(TagSlotWords<std::uint64_t, std::uint32_t, Murmur3Hash, KeyEqual>({}, buckets, true),
              std::uint64_t{1});
  expect_rows(TagSlotWords<std::uint32_t, Row, Murmur3Hash, KeyEqual>({}, buckets, true), 1U);
  expect_rows(TagSlotWords<std::uint32_t, std::uint32_t, FourBitHash, KeyEqual>({}, buckets, true),
              1U);
  // NaNs differ from themselves, so that bits do not tell floating-point keys.
  expect_rows(TagSlotWords<float, std::uint32_t, Murmur3Hash, KeyEqual>({}, buckets, true), 1.0F);
  const TagSlotWords<std::uint32_t, std::uint32_t, Murmur3Hash, KeyEqual> velox({}, buckets, false);
  EXPECT_FALSE(velox.tells_apart(0));
  EXPECT_EQ(velox(5), Murmur3Hash{}(5));
}

template <class Table>
class TagBucketWords : public testing::Test {};
using Tables = SampledTypes<TagBucketTable<std::uint32_t, std::uint32_t, Murmur3Hash>,
                            TagBucketTable<std::int32_t, std::uint32_t, Murmur3Hash>,
                            TagBucketTable<std::uint32_t, std::uint32_t, KeepingHash>>;
TYPED_TEST_SUITE(TagBucketWords, Tables);

/// Keys of which many agree in their lowest 22 bits. With KeepingHash they share few homes, so that
/// most lie far from theirs.
Numbers confusable_numbers(std::uint64_t rows) {
  Numbers numbers(rows);
  for (std::uint64_t i = 0; i < rows; ++i) numbers[i] = i / 8 + (i % 8 << 22);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(22));
  return numbers;
}

TYPED_TEST(TagBucketWords, AreThoseOfTheirKeysNearAndFar) {
  const std::vector<NamedNumbers> shapes{{"random", random_numbers(2000, 21)},
                                         {"each 8 times", repeated_numbers(2000, 250, 23)},
                                         {"sequential", sequential_numbers(2000)},
                                         {"confusable", confusable_numbers(2000)}};
  for (const auto& [name, keys] : shapes) {
    for (const std::uint64_t buckets : {2048, 5000}) {
      SCOPED_TRACE(name + " in " + std::to_string(buckets) + " buckets");
      TypeParam table(keys, {.buckets = BucketCount(buckets), .initial_rows = 700});
      table.insert(700, 1000);
      const Kokkos::View<InsertResult, Memory> result("hashmill::test::result");
      Workspace<Memory> workspace;
      table.owner().insert_async(Exec(), 1700, 300, result, workspace);
      table.owner().recount(Exec());
      const Reference all(TypeParam::table_case(), keys);
      ASSERT_NO_FATAL_FAILURE(expect_table(TypeParam::table_case(), table, all));
      EXPECT_EQ(table.statistics().num_keys, all.distinct().size());
      // Numbers that agree with keys in their lowest 22 bits, present or not.
      Numbers alike = keys;
      for (std::size_t q = 0; q < alike.size(); ++q) alike[q] += (1 + q % 16) << 22;
      ASSERT_NO_FATAL_FAILURE(expect_retrieve(table, answers_to(all, alike)));
      ASSERT_NO_FATAL_FAILURE(expect_find(table, answers_to(all, alike)));
      Reference others = all;
      const Numbers some(keys.begin(), keys.begin() + 300);
      EXPECT_EQ(table.erase(some), others.erase(some));
      ASSERT_NO_FATAL_FAILURE(expect_find(table, answers_to(others, alike)));
      ASSERT_NO_FATAL_FAILURE(expect_table(TypeParam::table_case(), table, others));
      table.insert(0, 2000);
      table.owner().rehash(Exec(), BucketCount(2 * buckets));
      ASSERT_NO_FATAL_FAILURE(expect_table(TypeParam::table_case(), table, all));
      ASSERT_NO_FATAL_FAILURE(expect_find(table, answers_to(all, alike)));
    }
  }
}

}  // namespace
}  // namespace hashmill::test
