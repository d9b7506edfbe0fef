#include <gtest/gtest.h>

#include <hashmill/error.hpp>

#include "algorithms/support/expect_table.hpp"
#include "table.hpp"

namespace hashmill::test {
namespace {

class HashGraphRebuild : public testing::TestWithParam<TableCase> {
 protected:
  static std::uint64_t size() { return std::min<std::uint64_t>(2001, GetParam().most_keys); }
};

TEST_P(HashGraphRebuild, ReplacesKeysAndOptions) {
  const auto table = GetParam().build(random_numbers(size(), 71), {});
  for (const auto& [name, keys] : every_shape(size() - 100, 72)) {
    for (auto [build, options] : builds_with_rows_per_bucket(2)) {
      SCOPED_TRACE(name + " keys, " + build);
      options.row_base = 12345;
      table->rebuild(keys, options);
      ASSERT_NO_FATAL_FAILURE(expect_table(GetParam(), *table, Reference(GetParam(), keys, 12345)));
    }
  }
  table->rebuild({}, {});
  expect_table(GetParam(), *table, Reference(GetParam(), {}));
}

TEST_P(HashGraphRebuild, ForgetsErasures) {
  const Numbers keys = repeated_numbers(size(), 100, 73);
  const auto table = GetParam().build(keys, {});
  table->erase(sequential_numbers(50));
  table->rebuild(keys, {});
  expect_table(GetParam(), *table, Reference(GetParam(), keys));
}

TEST_P(HashGraphRebuild, KeepsTheTableWhenMemoryIsShort) {
  const Numbers keys = repeated_numbers(size(), 100, 74);
  const auto table = GetParam().build(keys, {});
  const HashGraphOptions impossible{.buckets = BucketCount(BucketCount::largest), .row_base = 99};
  EXPECT_THROW(table->rebuild(repeated_numbers(10, 3, 75), impossible), CapacityError);
  if (table->size() == 0) {  // documented: empty or as before
    expect_table(GetParam(), *table, Reference(GetParam(), {}));
  } else {
    expect_table(GetParam(), *table, Reference(GetParam(), keys));
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, HashGraphRebuild, testing::ValuesIn(table_cases()), CaseName());

}  // namespace
}  // namespace hashmill::test
