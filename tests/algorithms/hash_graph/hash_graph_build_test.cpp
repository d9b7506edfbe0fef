#include <gtest/gtest.h>

#include "algorithms/support/expect_table.hpp"
#include "table.hpp"

namespace hashmill::test {
namespace {

class HashGraphBuild : public testing::TestWithParam<TableCase> {
 protected:
  /// Builds the table of `keys` in every way and expects the right entries.
  static void expect_every_build(const Numbers& keys, const std::vector<NamedOptions>& builds) {
    const TableCase& table_case = GetParam();
    const Answers answers = all_answers(Reference(table_case, keys));
    for (const auto& [name, options] : builds) {
      SCOPED_TRACE(std::to_string(keys.size()) + " keys, " + name);
      const auto table = table_case.build(keys, options);
      ASSERT_NO_FATAL_FAILURE(expect_table(table_case, *table, answers));
    }
  }
};

TEST_P(HashGraphBuild, HoldsEveryEntryAtEverySize) {
  auto sizes = small_sizes;
  sizes.insert(sizes.end(), tile_sizes.begin(), tile_sizes.end());
  for (const std::uint64_t size : sampled(sizes)) {
    if (size > GetParam().most_keys) continue;
    ASSERT_NO_FATAL_FAILURE(expect_every_build(random_numbers(size, size), every_build()));
  }
}

TEST_P(HashGraphBuild, HoldsEveryEntryOfEveryShape) {
  for (const auto& [name, keys] : every_shape(GetParam().most_keys > 10000 ? 1501 : 401, 5)) {
    SCOPED_TRACE(name);
    ASSERT_NO_FATAL_FAILURE(expect_every_build(keys, every_build()));
  }
}

TEST_P(HashGraphBuild, NumbersRowsFromTheRowBase) {
  const Numbers keys = repeated_numbers(1000, 300, 8);
  for (auto [name, options] : every_build()) {
    SCOPED_TRACE(name);
    options.row_base = 1'000'003;
    const auto table = GetParam().build(keys, options);
    ASSERT_NO_FATAL_FAILURE(
        expect_table(GetParam(), *table, Reference(GetParam(), keys, options.row_base)));
  }
}

TEST_P(HashGraphBuild, TakesAnyHashRange) {
  const Numbers keys = random_numbers(300, 3);
  for (const std::uint64_t buckets : {1, 2, 3, 299, 300, 4097, 100'000}) {
    auto builds = builds_with_rows_per_bucket(1);
    for (auto& build : builds) build.options.buckets = BucketCount(buckets);
    ASSERT_NO_FATAL_FAILURE(expect_every_build(keys, builds));
    EXPECT_EQ(GetParam().build(keys, builds.front().options)->num_buckets(), buckets);
  }
}

TEST_P(HashGraphBuild, HoldsManyKeysThatCollide) {
  if (GetParam().most_keys == plenty) GTEST_SKIP() << "its hash function spreads keys";
  const Numbers keys = random_numbers(70'001, 6);
  const Reference reference(GetParam(), keys);
  const Answers answers = answers_to(reference, Numbers(keys.begin(), keys.begin() + 20));
  for (const auto& [name, options] : builds_with_rows_per_bucket(1)) {
    SCOPED_TRACE(name);
    const auto table = GetParam().build(keys, options);
    EXPECT_EQ(table->size(), keys.size());
    ASSERT_NO_FATAL_FAILURE(expect_count(*table, answers));
    const auto lengths = reference.bucket_lengths(GetParam(), table->num_buckets());
    EXPECT_EQ(table->statistics().longest_bucket,
              *std::max_element(lengths.begin(), lengths.end()));
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, HashGraphBuild, testing::ValuesIn(table_cases()), CaseName());

/// Millions of keys: several levels of bins, and bins that one thread or team does not finish.
class HashGraphBuildLarge : public HashGraphBuild {
 protected:
  static constexpr std::uint64_t size = (std::uint64_t{1} << 20) + 4099;

  static std::vector<NamedOptions> some_builds() {
    const HashGraphOptions v1{.algorithm = BuildAlgorithm::v1};
    return {{"v1", v1},
            {"v2", {}},
            {"v2 in 1 bin", {.bins = BinCount(1)}},
            {"v2 in 4096 bins", {.bins = BinCount(4096)}},
            {"v2 in 1 bin with 16 rows per bucket",
             {.rows_per_bucket = RowsPerBucket(16), .bins = BinCount(1)}},
            {"v2 with 0.25 rows per bucket", {.rows_per_bucket = RowsPerBucket(0.25)}}};
  }
};

TEST_P(HashGraphBuildLarge, HoldsRandomKeys) {
  expect_every_build(random_numbers(size, 1), some_builds());
}
TEST_P(HashGraphBuildLarge, HoldsSkewedKeys) {
  expect_every_build(zipf_numbers(size, 2), some_builds());
}
TEST_P(HashGraphBuildLarge, HoldsEqualKeys) {
  expect_every_build(equal_numbers(size, ~std::uint64_t{0}), some_builds());
}
TEST_P(HashGraphBuildLarge, HoldsTwoKeys) {
  expect_every_build(repeated_numbers(2 * size, 2, 3), some_builds());
}
TEST_P(HashGraphBuildLarge, HoldsMostlyOneKey) {
  expect_every_build(mostly_one_number(size + size / 8, 4), some_builds());
}

/// Of the cases that take many keys, those with different build records.
std::vector<TableCase> large_cases() {
  std::vector<TableCase> cases;
  for (auto& table_case : table_cases()) {
    for (const auto* name : {"u32_KeyRow32", "u64_PackedRow", "i32_FingerprintRow32"}) {
      if (table_case.name.starts_with(name)) cases.push_back(table_case);
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Tables, HashGraphBuildLarge, testing::ValuesIn(large_cases()), CaseName());

}  // namespace
}  // namespace hashmill::test
