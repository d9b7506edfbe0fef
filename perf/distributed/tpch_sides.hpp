#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/slices.hpp>
#include <tuple>

#include "keys/tpch_orders.hpp"
#include "rank_checks.hpp"
#include "rank_keys.hpp"

namespace hashmill::perf {

/// O_ORDERPRIORITY of all orders as a source of values.
struct OrderPriorities {
  using key_type = std::uint32_t;
  TpchOrders<std::uint64_t> orders;
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint64_t row) const { return orders.priority(row); }
};

/// Tallies the lines of orders from `first` on, by key and priority.
struct TallyLinesOfOrders {
  TpchOrders<std::uint64_t> orders;
  std::uint64_t first;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    const std::uint64_t row = first + i, num_lines = orders.num_lines(row);
    sum += Tally{num_lines, num_lines * entry_weight(orders(row), orders.priority(row)), 0};
  }
};

/// Tallies lines with what they got of their order; another key or priority is a fault.
template <class Keys, class Priorities>
struct TallyLines {
  TpchOrders<std::uint64_t> orders;
  Keys line_keys, order_keys;
  Priorities priorities;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    const std::uint64_t row = orders.row_of(line_keys(i));
    const bool is_line = row < orders.size() && order_keys(i) == line_keys(i) &&
                         priorities(i) == orders.priority(row);
    if (is_line) {
      sum.add(entry_weight(line_keys(i), priorities(i)));
    } else {
      ++sum.faults;
    }
  }
};

/// O_ORDERKEY with O_ORDERPRIORITY on the right, L_ORDERKEY on the left: keys of 8 bytes,
/// priorities of 4. Ranks divide the orders into slices of equal length, and have the lines of
/// theirs.
template <class ExecutionSpace>
class TpchSides {
 public:
  using Exec = ExecutionSpace;
  using Key = std::uint64_t;
  using memory_space = typename Exec::memory_space;
  using Keys = Kokkos::View<Key*, memory_space>;
  using Priorities = Kokkos::View<std::uint32_t*, memory_space>;
  using LeftColumns = std::tuple<Keys>;
  using RightColumns = std::tuple<Keys, Priorities>;

  /// `axes` tells the number of orders of all ranks, and the seed. Throws `CapacityError` where
  /// they do not fit.
  TpchSides(const DataAxes& axes, const Communicator& ranks)
      : ranks_(ranks), orders_(axes.num_keys, axes.seed), rows_(slice_of(axes.num_keys)) {
    const std::uint64_t num_lines = num_order_lines(exec_, orders_, rows_);
    require_free_memory<memory_space>(
        rows_.size() * (sizeof(Key) + sizeof(std::uint32_t) + sizeof(std::uint64_t)) +
            num_lines * sizeof(Key),
        "orders and lines");
    left_ = {make_line_keys(exec_, orders_, rows_)};
    right_ = {slice_of_source(orders_), slice_of_source(OrderPriorities{orders_})};
    expected_ = tally(exec_, rows_.size(), TallyLinesOfOrders{orders_, rows_.begin});
  }

  const Exec& exec() const { return exec_; }
  const LeftColumns& left() const { return left_; }
  const RightColumns& right() const { return right_; }
  /// Rows of both sides.
  std::uint64_t num_rows() const {
    return std::get<0>(left_).extent(0) + std::get<0>(right_).extent(0);
  }
  /// What is expected of this rank's lines.
  const Tally& expected() const { return expected_; }

  /// Wrong ones among joined rows, by the columns of both sides. Collective.
  std::uint64_t num_wrong(const LeftColumns& left, const RightColumns& right) const {
    const TallyLines<Keys, Priorities> lines{orders_, std::get<0>(left), std::get<0>(right),
                                             std::get<1>(right)};
    return perf::num_wrong(ranks_, expected_, tally(exec_, lines.line_keys.extent(0), lines));
  }

 private:
  OrderRows slice_of(std::uint64_t count) const {
    const auto rank = static_cast<std::uint64_t>(ranks_.rank());
    const auto size = static_cast<std::uint64_t>(ranks_.size());
    return {backends::slice_begin(rank, size, count), backends::slice_begin(rank + 1, size, count)};
  }
  template <class Source>
  auto slice_of_source(const Source& source) const {
    return materialise(exec_, SourceSlice<Source>{source, rows_.begin, rows_.size()});
  }

  Exec exec_;
  Communicator ranks_;
  TpchOrders<Key> orders_;
  OrderRows rows_;
  LeftColumns left_;
  RightColumns right_;
  Tally expected_;
};

}  // namespace hashmill::perf
