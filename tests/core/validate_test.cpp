#include <gtest/gtest.h>

#include <hashmill/validate.hpp>
#include <vector>

#include "message_of.hpp"

namespace hashmill::test {
namespace {

using Host = Kokkos::HostSpace;
using Strings = StringColumn<std::int32_t, Host>;
using Codes = ValueColumn<std::int32_t, Host>;

const char* const letters = "abcdefghij";

/// What is wrong with offsets into ten bytes.
std::string fault(const std::vector<std::int32_t>& offsets, std::uint64_t bytes = 10) {
  const Strings column(offsets.data(), letters, offsets.size() - 1);
  return message_of<InvalidArgument>([&] { validate(column, bytes); });
}

TEST(Validate, StringsHaveOffsetsThatAscendWithinTheirBytes) {
  EXPECT_EQ(fault({0, 3, 3, 10}), "");
  EXPECT_EQ(fault({4, 4, 5}), "");
  EXPECT_EQ(fault({-1, 3}), "validate: row 0: offset -1 is negative");
  EXPECT_EQ(fault({0, 5, 4, 10}), "validate: row 2: offset 4 is below the one before it, 5");
  EXPECT_EQ(fault({0, 5, 4}), "validate: row 1: offset 4 is below the one before it, 5");
  EXPECT_EQ(fault({0, 3, 11}), "validate: row 1: offset 11 is beyond the 10 bytes of strings");
  EXPECT_EQ(fault({0, 3, 10}, 9), "validate: row 1: offset 10 is beyond the 9 bytes of strings");
  EXPECT_EQ(fault({0, 2147483647, 10}),
            "validate: row 1: offset 2147483647 is beyond the 10 bytes of strings");
  EXPECT_EQ(message_of<InvalidArgument>([] { validate(Strings(), 0); }), "");
  const std::vector<std::uint64_t> wide = {0, ~std::uint64_t{0}};
  const StringColumn<std::uint64_t, Host> column(wide.data(), letters, 1);
  EXPECT_EQ(message_of<InvalidArgument>([&] { validate(column, 10); }),
            "validate: row 0: offset 18446744073709551615 is beyond the 10 bytes of strings");
}

TEST(Validate, DictionariesHaveCodesInRangeWhereRowsAreNotNull) {
  const std::vector<std::int32_t> offsets = {0, 3, 10};
  const Strings values(offsets.data(), letters, 2);
  const auto fault = [&](const std::vector<std::int32_t>& codes, std::uint8_t valid) {
    const Codes column(codes.data(), codes.size(), Validity(&valid));
    return message_of<InvalidArgument>([&] { validate(dictionary_column(column, values), 10); });
  };
  EXPECT_EQ(fault({0, 1, 1}, 0xFF), "");
  EXPECT_EQ(fault({0, 2, 1}, 0xFF), "validate: row 1: code 2 is not among the 2 of the dictionary");
  EXPECT_EQ(fault({0, 1, -1}, 0xFF),
            "validate: row 2: code -1 is not among the 2 of the dictionary");
  EXPECT_EQ(fault({0, 77, 1}, 0b101), "") << "codes of nulls may be anything";
  const std::vector<std::int32_t> wrong = {0, 3, 2};
  const Strings broken(wrong.data(), letters, 2);
  const std::vector<std::int32_t> codes = {0};
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { validate(dictionary_column(Codes(codes.data(), 1), broken), 10); }),
            "validate: row 1: offset 2 is below the one before it, 3");
}

TEST(Validate, BuffersAreLongEnough) {
  const std::vector<double> values(9);
  const std::vector<std::uint8_t> bits(2, 0xFF);
  const ValueColumn<double, Host> column(values.data(), 9, Validity(bits.data(), 3));
  validate(column, {72, 2});
  EXPECT_EQ(message_of<InvalidArgument>([&] { validate(column, 71); }),
            "validate: 9 rows need 72 bytes of values but there are 71");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              validate(column, {72, 1});
            }),
            "validate: 9 rows need 2 bytes of validity but there are 1");
  const BooleanColumn<Host> booleans(bits.data(), 5, 11);
  validate(booleans, 2);
  EXPECT_THROW(validate(booleans, 1), InvalidArgument);
}

TEST(Columns, RefuseAValidityOfFewerRows) {
  const Kokkos::View<std::uint8_t*, Host> bits("bits", 2);
  const Kokkos::View<int*, Host> nine("nine", 9), ten("ten", 10);
  const Validity valid = validity(bits, 9);
  EXPECT_EQ(column(nine, valid).size(), 9U);
  EXPECT_EQ(message_of<InvalidArgument>([&] { (void)column(ten, valid); }),
            "column: 10 rows but validity of 9");
  const Kokkos::View<std::int32_t*, Host> offsets("offsets", 11);
  const Kokkos::View<char*, Host> bytes("bytes", 0);
  EXPECT_THROW((void)string_column(offsets, bytes, valid), InvalidArgument);
  EXPECT_THROW(BooleanColumn<Host>(bits.data(), 0, 10, valid), InvalidArgument);
  EXPECT_THROW(
      (void)column(Kokkos::subview(Kokkos::View<int**, Host>("table", 10, 2), Kokkos::ALL, 1),
                   valid),
      InvalidArgument);
}

}  // namespace
}  // namespace hashmill::test
