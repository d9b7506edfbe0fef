#pragma once

#include <hashmill/hashmill.hpp>

/// Orders and line items as TPC-H describes them, as far as its keys matter: the columns of query 4
/// (order priority checking). They are made on the device from the number of the order, so that any
/// rank can make any share of any scale factor. Source: TPC Benchmark H, Standard Specification
/// revision 3.0.1, clauses 2.4.4 and 4.2.3.
///
/// Dates are days since 1992-01-01. Values come from a hash instead of the specification's random
/// streams: the same distributions, but not the same rows as its dbgen.
namespace tpch {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;
template <class Value>
using Column = Kokkos::View<Value*, Memory>;

inline constexpr std::uint64_t orders_per_scale = 1'500'000;
inline constexpr std::uint32_t num_priorities = 5;
inline constexpr std::uint32_t last_order_date = 2405;  // ENDDATE less 151 days: 1998-08-02

/// O_ORDERKEY of order number i: of every 32 keys the first 8 are in use.
KOKKOS_FUNCTION inline std::uint64_t order_key(std::uint64_t i) { return i / 8 * 32 + i % 8 + 1; }

/// A number below `limit`, the same for one order and purpose.
KOKKOS_FUNCTION inline std::uint32_t draw(std::uint64_t order, std::uint32_t purpose,
                                          std::uint32_t limit) {
  const std::uint64_t hash = hashmill::murmur3_fmix64(order * 32 + purpose + 1);
  return static_cast<std::uint32_t>((hash >> 32) * limit >> 32);
}

/// Line items of an order: 1 to 7.
KOKKOS_FUNCTION inline std::uint32_t num_items(std::uint64_t order) {
  return 1 + draw(order, 0, 7);
}
KOKKOS_FUNCTION inline std::uint32_t order_date(std::uint64_t order) {
  return draw(order, 1, last_order_date + 1);
}
KOKKOS_FUNCTION inline std::uint32_t priority(std::uint64_t order) {
  return draw(order, 2, num_priorities);
}
/// Whether line item l was committed to a day before it was received: L_COMMITDATE is 30 to 90 days
/// after the order, L_SHIPDATE 1 to 121 days, and L_RECEIPTDATE 1 to 30 days after that.
KOKKOS_FUNCTION inline bool is_late(std::uint64_t order, std::uint32_t l) {
  const std::uint32_t commit = 30 + draw(order, 4 + 3 * l, 61);
  const std::uint32_t ship = 1 + draw(order, 5 + 3 * l, 121);
  return commit < ship + 1 + draw(order, 6 + 3 * l, 30);
}

struct Orders {
  Column<std::uint64_t> keys;
  Column<std::uint32_t> dates, priorities;
};
struct LineItems {
  Column<std::uint64_t> order_keys;
  Column<bool> late;
};

struct MakeOrder {
  std::uint64_t first;
  Orders orders;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint64_t order = first + static_cast<std::uint64_t>(i);
    orders.keys(i) = order_key(order);
    orders.dates(i) = order_date(order);
    orders.priorities(i) = priority(order);
  }
};

/// A step of the scan that gives an order's items their places.
struct MakeItems {
  std::uint64_t first;
  LineItems items;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& place, bool last) const {
    const std::uint64_t order = first + static_cast<std::uint64_t>(i);
    const std::uint32_t count = num_items(order);
    for (std::uint32_t l = 0; last && l < count; ++l) {
      items.order_keys(place + l) = order_key(order);
      items.late(place + l) = is_late(order, l);
    }
    place += count;
  }
};

struct CountItems {
  std::uint64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& count) const {
    count += num_items(first + static_cast<std::uint64_t>(i));
  }
};

/// Orders number `first` to `first + count`.
inline Orders make_orders(const Exec& exec, std::uint64_t first, std::uint64_t count) {
  const Orders orders{Column<std::uint64_t>("tpch::o_orderkey", count),
                      Column<std::uint32_t>("tpch::o_orderdate", count),
                      Column<std::uint32_t>("tpch::o_orderpriority", count)};
  Kokkos::parallel_for("tpch::orders", hashmill::backends::range(exec, count),
                       MakeOrder{first, orders});
  return orders;
}

/// Their line items.
inline LineItems make_line_items(const Exec& exec, std::uint64_t first, std::uint64_t count) {
  const auto orders = hashmill::backends::range(exec, count);
  std::uint64_t total = 0;
  Kokkos::parallel_reduce("tpch::count_items", orders, CountItems{first}, total);
  const LineItems items{Column<std::uint64_t>("tpch::l_orderkey", total),
                        Column<bool>("tpch::l_late", total)};
  Kokkos::parallel_scan("tpch::line_items", orders, MakeItems{first, items});
  return items;
}

/// The order was placed in the quarter asked for and the line item was late.
struct LateInQuarter {
  Column<std::uint32_t> dates;
  Column<bool> late;
  std::uint32_t first_day, days;
  KOKKOS_FUNCTION bool operator()(std::uint64_t order, std::uint64_t item) const {
    return dates(order) - first_day < days && late(item);
  }
};

/// Query 4: for each priority how many orders of `days` days from `first_day` on have a late line
/// item. Groups come in any order.
inline auto order_priority_checking(const Exec& exec, const Orders& orders, const LineItems& items,
                                    std::uint32_t first_day, std::uint32_t days) {
  using namespace hashmill;
  const HashGraph<std::uint64_t, Memory> by_order(exec, items.order_keys);
  const auto late = semi_join(exec, orders.keys, by_order,
                              LateInQuarter{orders.dates, items.late, first_day, days});
  const Column<std::uint32_t> priorities("tpch::priorities", late.extent(0));
  gather(exec, orders.priorities, late, priorities);
  return group_by(exec, priorities, agg::min(priorities), agg::count());
}

}  // namespace tpch
