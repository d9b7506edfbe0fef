#include <gtest/gtest.h>

#include <hashmill/chaining.hpp>

#include "algorithms/support/keys.hpp"
#include "core/message_of.hpp"

namespace hashmill::test {
namespace {

/// Keys 0, 1, 2, … that are nowhere: as many as one likes.
struct CountedKeys {
  std::uint64_t count = 0;
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i; }
};

using Narrow = Chaining<std::uint64_t, Memory, std::uint32_t>;
using Wide = Chaining<std::uint64_t, Memory, std::uint64_t>;

constexpr std::uint64_t impossible = std::uint64_t{1} << 50;
constexpr std::uint64_t most_narrow = 0xFFFFFFFF;  // kept for "no row"

/// The CapacityError of an operation.
template <class Operation>
CapacityError capacity_error(const Operation& operation) {
  try {
    operation();
  } catch (const CapacityError& error) {
    return error;
  }
  return {"nothing was thrown", 0, 0};
}

/// Expects keys 0 to `count`, each once, with row numbers from `row_base`, in a table whose chains
/// and arrays are as given.
template <class Table>
void expect_unchanged(const Table& table, std::uint64_t count, std::uint64_t row_base,
                      std::uint64_t bytes) {
  EXPECT_EQ(table.size(), count);
  EXPECT_EQ(table.bytes(), bytes);
  const Kokkos::View<typename Table::row_type*, Memory> rows("hashmill::test", count + 5);
  table.find(Exec(), CountedKeys{count + 5}, rows);
  Numbers expected = sequential_numbers(count, row_base);
  expected.resize(count + 5, ~std::uint64_t{0});
  EXPECT_EQ(to_wide_host(rows), expected);
}

TEST(ChainingErrors, RowNumbersReachTheLimitAndNoFurther) {
  Narrow table(Exec(), CountedKeys{3}, {.row_base = most_narrow - 3});
  const std::uint64_t bytes = table.bytes();
  const auto error = capacity_error([&] { table.append(Exec(), CountedKeys{1}); });
  EXPECT_EQ(error.needed(), most_narrow + 1);
  EXPECT_EQ(error.available(), most_narrow);
  EXPECT_NE(std::string(error.what()).find("32-bit rows"), std::string::npos) << error.what();
  EXPECT_THROW(table.reserve(Exec(), 4), CapacityError);
  expect_unchanged(table, 3, most_narrow - 3, bytes);
  EXPECT_EQ(table.compact(Exec()).size(), 3U);
  for (const std::uint64_t base : {most_narrow - 2, most_narrow, ~std::uint64_t{0}}) {
    EXPECT_THROW(Narrow(Exec(), CountedKeys{3}, {.row_base = base}), CapacityError) << base;
  }
}

TEST(ChainingErrors, MoreThan32BitsOfRowsAreRefused) {
  const auto error =
      capacity_error([&] { const Narrow table(Exec(), CountedKeys{most_narrow + 1}); });
  EXPECT_EQ(error.available(), most_narrow);
}

TEST(ChainingErrors, SizesBeyond64BitsAreRefused) {
  Wide table(Exec(), CountedKeys{10});
  const std::uint64_t bytes = table.bytes();
  EXPECT_THROW(table.append(Exec(), CountedKeys{~std::uint64_t{0} - 5}), CapacityError);
  EXPECT_THROW(table.append(Exec(), CountedKeys{~std::uint64_t{0} - 11}), CapacityError);
  expect_unchanged(table, 10, 0, bytes);
}

TEST(ChainingErrors, ShortMemoryIsNamedInBytes) {
  const auto error = capacity_error(
      [&] { const Wide table(Exec(), CountedKeys{impossible}, {.buckets = BucketCount(1)}); });
  EXPECT_EQ(error.needed(), impossible * 16);
  EXPECT_NE(std::string(error.what()).find("chaining::nodes"), std::string::npos) << error.what();
}

TEST(ChainingErrors, AShortMemoryKeepsTheTable) {
  Wide table(Exec(), CountedKeys{100}, {.row_base = 7});
  const std::uint64_t bytes = table.bytes();
  EXPECT_THROW(table.append(Exec(), CountedKeys{impossible}), CapacityError);
  expect_unchanged(table, 100, 7, bytes);
  EXPECT_THROW(table.reserve(Exec(), impossible), CapacityError);
  expect_unchanged(table, 100, 7, bytes);
  const auto error =
      capacity_error([&] { table.rehash(Exec(), BucketCount(BucketCount::largest)); });
  EXPECT_EQ(error.needed(), BucketCount::largest * 8);
  EXPECT_NE(std::string(error.what()).find("chaining::heads"), std::string::npos) << error.what();
  expect_unchanged(table, 100, 7, bytes);
  EXPECT_EQ(table.append(Exec(), CountedKeys{0}), 107U);
}

TEST(ChainingErrors, AShortMemoryKeepsAnEmptyTable) {
  Wide table(Exec(), CountedKeys{0});
  const std::uint64_t bytes = table.bytes();
  EXPECT_THROW(table.append(Exec(), CountedKeys{impossible}), CapacityError);
  EXPECT_THROW(table.reserve(Exec(), std::uint64_t{1} << 40), CapacityError);
  expect_unchanged(table, 0, 0, bytes);
  EXPECT_EQ(table.append(Exec(), CountedKeys{20}), 0U);
  EXPECT_EQ(table.size(), 20U);
}

TEST(ChainingErrors, ResultsOfAnotherLengthAreNamed) {
  const Narrow table(Exec(), CountedKeys{10});
  const Kokkos::View<bool*, Memory> flags("hashmill::test", 9);
  EXPECT_EQ(message_of<InvalidArgument>([&] { table.contains(Exec(), CountedKeys{10}, flags); }),
            "contains: 10 queries but room for 9 results");
}

}  // namespace
}  // namespace hashmill::test
