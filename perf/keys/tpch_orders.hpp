#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/backends/workspace.hpp>

#include "key_codec.hpp"

namespace hashmill::perf {

// The columns of TPC-H's tables `orders` and `lineitem` that their join needs, as the TPC-H
// specification describes them in clause 4.2.3, at any scale factor SF:
//
//     | column          | rows                | values                                            |
//     |-----------------|---------------------|---------------------------------------------------|
//     | O_ORDERKEY      | 1,500,000 SF        | unique; of each 32 keys the first 8 are used      |
//     | O_ORDERPRIORITY | 1,500,000 SF        | 1 to 5 (urgent to low), each equally likely       |
//     | L_ORDERKEY      | 1 to 7 for an order | that of the order; each number equally likely     |
//
// Both tables are in the order of their keys. All values of an order follow from its row and the
// seed, so any slice of the orders, and its lines, can be made by itself.

/// The most lines of an order.
inline constexpr std::uint64_t most_order_lines = 7;

/// Rows of `orders` at a scale factor, fractions too; at least 1.
inline std::uint64_t num_tpch_orders(double scale_factor) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(1'500'000 * scale_factor)));
}

/// `orders` as a key source: row i has the O_ORDERKEY that it gives for i.
template <class Key>
class TpchOrders {
 public:
  using key_type = Key;

  explicit TpchOrders(std::uint64_t num_orders, std::uint64_t seed = 1)
      : size_(num_orders),
        lines_seed_(splitmix64(seed + 4)),
        priority_seed_(splitmix64(seed + 5)) {}

  KOKKOS_FUNCTION std::uint64_t size() const { return size_; }

  /// Keys are 1 to 7, 32 to 39, 64 to 71 and so on, as the benchmark's own generator numbers them.
  KOKKOS_FUNCTION Key operator()(std::uint64_t row) const {
    return KeyCodec<Key>().encode(key_number(row));
  }
  /// The row of a key of an order; size() or more for any other.
  KOKKOS_FUNCTION std::uint64_t row_of(const Key& key) const {
    const std::uint64_t number = number_of(key);
    return number % 32 < 8 && number != 0 ? number / 32 * 8 + number % 32 - 1 : size_;
  }
  /// Lines of an order: 1 to 7.
  KOKKOS_FUNCTION std::uint64_t num_lines(std::uint64_t row) const {
    return 1 + splitmix64(lines_seed_ + row) % most_order_lines;
  }
  /// O_ORDERPRIORITY by its number: 1 to 5.
  KOKKOS_FUNCTION std::uint32_t priority(std::uint64_t row) const {
    return static_cast<std::uint32_t>(1 + splitmix64(priority_seed_ + row) % 5);
  }
  /// The O_ORDERKEY of the last order as a number.
  std::uint64_t largest_key() const { return key_number(size_ - 1); }

 private:
  KOKKOS_FUNCTION static std::uint64_t key_number(std::uint64_t row) {
    return (row + 1) / 8 * 32 + (row + 1) % 8;
  }
  KOKKOS_FUNCTION static std::uint64_t number_of(const Key& key) {
    if constexpr (sizeof(Key) == 16) {
      return key.low;
    } else {
      return key;
    }
  }

  std::uint64_t size_, lines_seed_, priority_seed_;
};

/// A slice of `orders`: those from row `begin` to before row `end`.
struct OrderRows {
  std::uint64_t begin, end;
  std::uint64_t size() const { return end - begin; }
};

/// Adds up the lines of orders.
template <class Orders>
struct SumOrderLines {
  Orders orders;
  std::uint64_t begin;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& sum) const {
    sum += orders.num_lines(begin + i);
  }
};

/// Lines of a slice of `orders`. Fences `exec`.
template <class Exec, class Key>
std::uint64_t num_order_lines(const Exec& exec, const TpchOrders<Key>& orders, OrderRows rows) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("hashmill::perf::num_order_lines", backends::range(exec, rows.size()),
                          SumOrderLines<TpchOrders<Key>>{orders, rows.begin}, sum);
  exec.fence("hashmill::perf::num_order_lines: the sum is used on the host");
  return sum;
}

/// Sets the number of lines of each order.
template <class Orders, class Counts>
struct CountOrderLines {
  Orders orders;
  std::uint64_t begin;
  Counts counts;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    counts(i) = orders.num_lines(begin + i);
  }
};

/// Writes the key of an order to all of its lines.
template <class Orders, class Offsets, class Keys>
struct WriteOrderLines {
  Orders orders;
  std::uint64_t begin;
  Offsets offsets;
  Keys keys;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    const auto key = orders(begin + i);
    const std::uint64_t num_lines = orders.num_lines(begin + i);
    for (std::uint64_t line = 0; line < num_lines; ++line) keys(offsets(i) + line) = key;
  }
};

/// L_ORDERKEY of the lines of a slice of `orders`. Takes 8 bytes per order beside them. Fences
/// `exec`.
template <class Exec, class Key>
Kokkos::View<Key*, typename Exec::memory_space> make_line_keys(const Exec& exec,
                                                               const TpchOrders<Key>& orders,
                                                               OrderRows rows) {
  using Memory = typename Exec::memory_space;
  using Keys = Kokkos::View<Key*, Memory>;
  using Offsets = Kokkos::View<std::uint64_t*, Memory>;
  using Orders = TpchOrders<Key>;
  const auto keys = backends::allocate<Keys>(exec, "hashmill::perf::line_keys",
                                             num_order_lines(exec, orders, rows));
  const auto offsets =
      backends::allocate<Offsets>(exec, "hashmill::perf::line_offsets", rows.size());
  const auto range = backends::range(exec, rows.size());
  Kokkos::parallel_for("hashmill::perf::count_order_lines", range,
                       CountOrderLines<Orders, Offsets>{orders, rows.begin, offsets});
  Workspace<Memory> workspace;
  backends::exclusive_scan(exec, offsets, workspace);
  Kokkos::parallel_for("hashmill::perf::write_order_lines", range,
                       WriteOrderLines<Orders, Offsets, Keys>{orders, rows.begin, offsets, keys});
  exec.fence("hashmill::perf::make_line_keys: the workspace is freed, the keys are handed on");
  return keys;
}

}  // namespace hashmill::perf
