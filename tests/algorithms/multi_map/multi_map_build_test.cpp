#include <gtest/gtest.h>

#include "algorithms/support/expect_table.hpp"
#include "multi_map_cases.hpp"

namespace hashmill::test {
namespace {

class MultiMapBuild : public testing::TestWithParam<MultiMapCase> {
 protected:
  /// Expects the right entries of the table of `keys` at every load.
  static void expect_build(const Numbers& keys, std::uint64_t row_base = 0) {
    const MultiMapCase& table_case = GetParam();
    const Answers answers = all_answers(Reference(table_case, keys, row_base));
    for (const double load : table_case.loads) {
      SCOPED_TRACE(std::to_string(keys.size()) + " keys at load " + std::to_string(load));
      const auto table = table_case.make(keys, load, row_base);
      ASSERT_NO_FATAL_FAILURE(expect_table(table_case, *table, answers));
    }
  }
  static std::uint64_t size() { return std::min<std::uint64_t>(1501, GetParam().most_keys); }
};

TEST_P(MultiMapBuild, HoldsEveryEntryAtEverySize) {
  auto sizes = small_sizes;
  sizes.insert(sizes.end(), tile_sizes.begin(), tile_sizes.end());
  for (const std::uint64_t size : sampled(sizes)) {
    if (size > GetParam().most_keys) continue;
    ASSERT_NO_FATAL_FAILURE(expect_build(random_numbers(size, size)));
  }
}

TEST_P(MultiMapBuild, HoldsEveryEntryOfEveryShape) {
  for (const auto& [name, keys] : every_shape(size(), 5)) {
    SCOPED_TRACE(name);
    ASSERT_NO_FATAL_FAILURE(expect_build(keys));
  }
}

TEST_P(MultiMapBuild, NumbersRowsFromTheRowBase) {
  expect_build(repeated_numbers(size(), 300, 8), 1'000'003);
}

TEST_P(MultiMapBuild, HoldsItsMemory) {
  const auto table = GetParam().table(random_numbers(size(), 6));
  EXPECT_GT(table->bytes(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Tables, MultiMapBuild, testing::ValuesIn(MultiMapCases::all()),
                         CaseName());

/// A million keys: more than fit caches, and than threads could build without meeting.
class MultiMapBuildLarge : public MultiMapBuild {
 protected:
  static constexpr std::uint64_t size = (std::uint64_t{1} << 20) + 4099;

  static void expect_large_build(const Numbers& keys) {
    const Answers answers = all_answers(Reference(GetParam(), keys));
    expect_table(GetParam(), *GetParam().table(keys), answers);
  }
};

TEST_P(MultiMapBuildLarge, HoldsRandomKeys) { expect_large_build(random_numbers(size, 1)); }
TEST_P(MultiMapBuildLarge, HoldsRepeatedKeys) {
  expect_large_build(repeated_numbers(size, size / 8, 2));
}

/// Of each table, the case of 4-byte keys under a hash function that spreads them.
std::vector<MultiMapCase> large_cases() {
  std::vector<MultiMapCase> cases;
  for (auto& table_case : MultiMapCases::all()) {
    const bool is_narrow = table_case.name.find("u32") != std::string::npos;
    if (is_narrow && table_case.most_keys == plenty) cases.push_back(std::move(table_case));
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Tables, MultiMapBuildLarge, testing::ValuesIn(large_cases()), CaseName());

}  // namespace
}  // namespace hashmill::test
