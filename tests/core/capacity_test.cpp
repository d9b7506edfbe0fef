#include <gtest/gtest.h>

#include <cstdint>
#include <hashmill/capacity.hpp>
#include <string>

namespace hashmill {
namespace {

constexpr std::uint64_t largest = ~std::uint64_t{0};
constexpr std::uint64_t largest_32 = 0xFFFFFFFF;

static_assert(checked_add(1, 2, "sum") == 3);
static_assert(checked_multiply(0, largest, "product") == 0);
static_assert(checked_bytes<std::uint32_t>(3, "bytes") == 12);
static_assert(no_row<std::uint32_t> == largest_32 && no_row<std::uint64_t> == largest);
static_assert(RowNumber<std::uint32_t> && RowNumber<std::uint64_t>);
static_assert(!RowNumber<std::int32_t> && !RowNumber<std::uint16_t> && !RowNumber<double>);

// Expects `function` to throw a CapacityError with these fields, naming every text.
template <class Function>
void expect_capacity_error(const Function& function, std::uint64_t needed, std::uint64_t available,
                           std::initializer_list<std::string> texts) {
  try {
    function();
    ADD_FAILURE() << "no exception";
  } catch (const CapacityError& error) {
    EXPECT_EQ(error.needed(), needed);
    EXPECT_EQ(error.available(), available);
    for (const std::string& text : texts) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
}

TEST(Capacity, AddsUpToTheLimit) {
  EXPECT_EQ(checked_add(largest - 1, 1, "sum"), largest);
  EXPECT_EQ(checked_add(0, largest, "sum"), largest);
  expect_capacity_error([] { (void)checked_add(largest, 1, "offsets"); }, largest, largest,
                        {"offsets: ", std::to_string(largest) + " + 1", "limit of"});
  EXPECT_THROW((void)checked_add(1, largest, "sum"), CapacityError);
}

TEST(Capacity, MultipliesUpToTheLimit) {
  EXPECT_EQ(checked_multiply(largest, 1, "product"), largest);
  EXPECT_EQ(checked_multiply(largest, 0, "product"), 0U);
  EXPECT_EQ(checked_multiply(3, largest / 3, "product"), largest);
  EXPECT_EQ(checked_multiply(largest_32, largest_32 + 2, "product"), largest);
  expect_capacity_error([] { (void)checked_multiply(largest / 2 + 1, 2, "counters"); }, largest,
                        largest, {"counters: ", std::to_string(largest / 2 + 1) + " * 2"});
  EXPECT_THROW((void)checked_multiply(largest_32 + 1, largest_32 + 1, "product"), CapacityError);
}

TEST(Capacity, BytesUpToTheLimit) {
  EXPECT_EQ(checked_bytes<std::uint64_t>(largest / 8, "keys"), largest - 7);
  expect_capacity_error([] { (void)checked_bytes<std::uint64_t>(largest / 8 + 1, "keys"); },
                        largest, largest, {"keys: ", std::to_string(largest / 8 + 1) + " * 8"});
}

TEST(Capacity, RowsKeepTheLargestNumberFree) {
  EXPECT_NO_THROW(check_rows<std::uint32_t>(0, 0));
  EXPECT_NO_THROW(check_rows<std::uint32_t>(0, largest_32));
  EXPECT_NO_THROW(check_rows<std::uint32_t>(largest_32, 0));
  EXPECT_NO_THROW(check_rows<std::uint32_t>(largest_32 - 5, 5));
  EXPECT_NO_THROW(check_rows<std::uint64_t>(largest - 5, 5));
  EXPECT_NO_THROW(check_rows<std::uint64_t>(largest_32, largest_32));
}

TEST(Capacity, RowsBeyondTheirTypeAreRefused) {
  expect_capacity_error(
      [] { check_rows<std::uint32_t>(largest_32 - 5, 6); }, largest_32 + 1, largest_32,
      {std::to_string(largest_32 - 5), "count 6", std::to_string(largest_32), "32-bit rows"});
  expect_capacity_error([] { check_rows<std::uint32_t>(0, largest_32 + 1); }, largest_32 + 1,
                        largest_32, {"base 0"});
  EXPECT_THROW(check_rows<std::uint32_t>(largest_32 + 1, 0), CapacityError);
  EXPECT_THROW(check_rows<std::uint32_t>(largest, 1), CapacityError);
  expect_capacity_error([] { check_rows<std::uint64_t>(largest, 1); }, largest, largest,
                        {"64-bit rows"});
  EXPECT_THROW(check_rows<std::uint64_t>(largest, largest), CapacityError);
}

}  // namespace
}  // namespace hashmill
