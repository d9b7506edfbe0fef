#include "tpch.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "algorithms/support/views.hpp"

namespace tpch {
namespace {

using hashmill::test::to_host;

TEST(Tpch, OrderKeysAreTheFirstEightOfEveryThirtyTwo) {
  const auto keys = to_host(make_orders(Exec(), 0, 20).keys);
  EXPECT_EQ(keys[0], 1U);
  EXPECT_EQ(keys[7], 8U);
  EXPECT_EQ(keys[8], 33U);
  EXPECT_EQ(keys[19], 68U);
  EXPECT_EQ(order_key(orders_per_scale - 1), 5'999'976U);  // with SF = 1 keys end at 6,000,000
}

TEST(Tpch, SharesOfRanksAreTogetherTheWhole) {
  const auto whole = to_host(make_line_items(Exec(), 0, 3000).order_keys);
  std::vector<std::uint64_t> together;
  for (const std::uint64_t first : {0U, 1000U, 2000U}) {
    const auto share = to_host(make_line_items(Exec(), first, 1000).order_keys);
    together.insert(together.end(), share.begin(), share.end());
  }
  EXPECT_EQ(together, whole);
  EXPECT_NEAR(static_cast<double>(whole.size()), 4.0 * 3000, 300);
}

TEST(Tpch, EveryLineItemHasItsOrder) {
  const Orders orders = make_orders(Exec(), 500, 2000);
  const LineItems items = make_line_items(Exec(), 500, 2000);
  const hashmill::LinearProbing<std::uint64_t, Memory> by_key(Exec(), orders.keys);
  EXPECT_EQ(hashmill::join_size(Exec(), hashmill::JoinKind::inner, items.order_keys, by_key),
            items.order_keys.extent(0));
}

TEST(Tpch, OrderPriorityCheckingIsWhatStdContainersCount) {
  constexpr std::uint64_t count = 20'000;
  const Orders orders = make_orders(Exec(), 0, count);
  const LineItems items = make_line_items(Exec(), 0, count);
  const auto keys = to_host(orders.keys), order_keys = to_host(items.order_keys);
  const auto dates = to_host(orders.dates), priorities = to_host(orders.priorities);
  const auto late = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), items.late);
  std::set<std::uint64_t> late_orders;
  for (std::size_t l = 0; l < order_keys.size(); ++l) {
    if (late(l)) late_orders.insert(order_keys[l]);
  }
  std::map<std::uint32_t, std::uint64_t> expected;
  for (std::size_t i = 0; i < count; ++i) {
    const bool in_quarter = dates[i] >= 547 && dates[i] < 547 + 92;  // 1993-07-01 and three months
    if (in_quarter && late_orders.contains(keys[i])) ++expected[priorities[i]];
  }

  const auto answer = order_priority_checking(Exec(), orders, items, 547, 92);
  const auto found = to_host(std::get<0>(answer.results).values);
  const auto counts = to_host(std::get<1>(answer.results).values);
  std::map<std::uint32_t, std::uint64_t> actual;
  for (std::size_t g = 0; g < found.size(); ++g) actual[found[g]] = counts[g];
  EXPECT_EQ(actual, expected);
  EXPECT_EQ(actual.size(), num_priorities);
}

}  // namespace
}  // namespace tpch
