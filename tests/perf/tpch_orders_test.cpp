#include "keys/tpch_orders.hpp"

#include <gtest/gtest.h>

#include <array>
#include <hashmill/key.hpp>
#include <vector>

#include "answers/tpch_reference.hpp"
#include "case/compare_case.hpp"
#include "keys/key_generator.hpp"
#include "plan/input_check.hpp"

namespace hashmill::perf {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Orders = TpchOrders<std::uint64_t>;

template <class View>
std::vector<typename View::non_const_value_type> on_host(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + host.size()};
}

/// L_ORDERKEY of a slice of orders by a loop.
std::vector<std::uint64_t> lines_by_loop(const Orders& orders, OrderRows rows) {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t row = rows.begin; row < rows.end; ++row) {
    keys.insert(keys.end(), orders.num_lines(row), orders(row));
  }
  return keys;
}

TEST(TpchOrders, AreAsManyAsTheScaleFactorSays) {
  EXPECT_EQ(num_tpch_orders(1), 1'500'000U);
  EXPECT_EQ(num_tpch_orders(100'000), 150'000'000'000U);
  EXPECT_EQ(num_tpch_orders(0.001), 1'500U);
  EXPECT_EQ(num_tpch_orders(1e-6), 2U);
  EXPECT_EQ(num_tpch_orders(1e-12), 1U);
}

/// Clause 4.2.3: of each 32 keys the first 8 are used, and a quarter of the range in all.
TEST(TpchOrders, UseTheFirstEightOfEachThirtyTwoKeys) {
  const Orders orders(num_tpch_orders(1));
  const auto keys = on_host(materialise(Exec(), orders));
  ASSERT_EQ(keys.size(), 1'500'000U);
  std::uint64_t key = 0;
  for (std::uint64_t row = 0; row < keys.size(); ++row) {
    do ++key;
    while (key % 32 >= 8);
    ASSERT_EQ(keys[row], key);
  }
  EXPECT_EQ(keys.back(), 6'000'000U);
  EXPECT_EQ(orders.largest_key(), 6'000'000U);
}

template <class Key>
void expect_rows_of_keys() {
  const TpchOrders<Key> orders(1000);
  for (std::uint64_t row = 0; row < 1000; ++row) EXPECT_EQ(orders.row_of(orders(row)), row);
  for (const unsigned absent : {0U, 8U, 31U, 40U}) {
    EXPECT_GE(orders.row_of(KeyCodec<Key>().encode(absent)), 1000U) << absent;
  }
  EXPECT_GE(orders.row_of(TpchOrders<Key>(1001)(1000)), 1000U);
}

TEST(TpchOrders, TellTheRowOfAKey) {
  expect_rows_of_keys<std::uint32_t>();
  expect_rows_of_keys<std::uint64_t>();
  expect_rows_of_keys<Key128>();
}

TEST(TpchOrders, HaveOneToSevenLinesAndFivePriorities) {
  const Orders orders(700'000, 5);
  std::array<int, 8> of_lines{};
  std::array<int, 6> of_priority{};
  for (std::uint64_t row = 0; row < orders.size(); ++row) {
    ++of_lines.at(orders.num_lines(row));
    ++of_priority.at(orders.priority(row));
  }
  EXPECT_EQ(of_lines[0], 0);
  EXPECT_EQ(of_priority[0], 0);
  for (std::size_t lines = 1; lines <= 7; ++lines) EXPECT_NEAR(of_lines[lines], 100'000, 1500);
  for (std::size_t p = 1; p <= 5; ++p) EXPECT_NEAR(of_priority[p], 140'000, 1800);
}

TEST(TpchOrders, DependOnTheSeedInWhatIsRandom) {
  const Orders one(1000, 1), two(1000, 2);
  EXPECT_EQ(lines_by_loop(one, {0, 1000}), lines_by_loop(Orders(1000, 1), {0, 1000}));
  EXPECT_NE(lines_by_loop(one, {0, 1000}), lines_by_loop(two, {0, 1000}));
  EXPECT_EQ(one(999), two(999));
}

TEST(TpchLines, OfSlicesAreThoseOfALoop) {
  const Orders orders(10'001, 3);
  for (const OrderRows rows :
       {OrderRows{0, 10'001}, {0, 1}, {10'000, 10'001}, {17, 17}, {5, 5000}}) {
    const auto expected = lines_by_loop(orders, rows);
    EXPECT_EQ(num_order_lines(Exec(), orders, rows), expected.size());
    EXPECT_EQ(on_host(make_line_keys(Exec(), orders, rows)), expected);
  }
}

TEST(TpchLines, OfNeighbouringSlicesAreThoseOfTheWhole) {
  const Orders orders(1000);
  std::vector<std::uint64_t> pieces;
  for (std::uint64_t begin = 0; begin < 1000; begin += 250) {
    const auto piece = on_host(make_line_keys(Exec(), orders, {begin, begin + 250}));
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(pieces, on_host(make_line_keys(Exec(), orders, {0, 1000})));
}

TEST(TpchKeys, MustFitTheirType) {
  DataAxes axes;
  axes.order = KeyOrder::tpch;
  axes.num_queries = 1;
  axes.num_keys = (std::uint64_t{1} << 30) - 1;  // the last key is 2^32 - 25
  EXPECT_NO_THROW(check_input(axes));
  ++axes.num_keys;
  EXPECT_THROW(check_input(axes), InvalidArgument);
  axes.key_bits = 64;
  EXPECT_NO_THROW(check_input(axes));
}

}  // namespace
}  // namespace hashmill::perf
