#pragma once

#include <hashmill/partition/partitioned.hpp>
#include <hashmill/shuffle/detail/exchange_columns.hpp>
#include <hashmill/shuffle/detail/route_rows.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace hashmill::detail {

/// Refuses what cannot be sent.
template <class... Columns>
constexpr void require_columns() {
  static_assert(sizeof...(Columns) > 0, "hashmill: a shuffle moves at least one column");
  static_assert((Partitionable<KeyOf<Columns>> && ...),
                "hashmill: a shuffle moves values that are trivially copyable, of 1 to 16 bytes");
}

/// Columns of which row i is for rank `rank_of(i)`: partitioned by their ranks, then sent. It is
/// part of a collective call, which outlives it, as the columns do.
template <class Exec, class... Columns>
class ColumnsToRanks {
 public:
  using MemorySpace = typename Exec::memory_space;

  /// Partitions the first column, and tells all ranks how many rows they receive.
  template <class RankOf>
  ColumnsToRanks(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                 std::uint64_t rows, const RankOf& rank_of, Workspace<MemorySpace>& workspace,
                 const Columns&... columns)
      : exec_(exec), ranks_(ranks), call_(call), columns_(columns...) {
    require_columns<Columns...>();
    std::vector<std::uint64_t> begins(static_cast<std::size_t>(ranks.size()) + 1);
    call.step("partition", [&] {
      require_rank_numbers(ranks.size());
      (same_length("shuffle", "rows with ranks", rows, "rows of a column", columns), ...);
      routed_.emplace(exec, rows, ranks.size(), rank_of, workspace);
      allocate_columns(exec, out_, rows);
      begins = routed_->order(std::get<0>(columns_), std::get<0>(out_));
    });
    offsets_ = exchange_sizes(call, begins);
  }

  /// Where the rows for each rank begin, and those from each.
  [[nodiscard]] const RowOffsets& offsets() const { return offsets_; }
  /// Partitions another column, which is not sent, into `to`. Part of a step.
  template <class Column, class To>
  void order(const Column& column, const To& to) const {
    routed_->order(column, to);
  }
  /// Partitions and sends all columns.
  [[nodiscard]] auto exchange() const {
    return exchange_columns(exec_, ranks_, call_, offsets_, out_, [&]<std::size_t I>() {
      if constexpr (I > 0) {
        call_.step("partition", [&] { routed_->order(std::get<I>(columns_), std::get<I>(out_)); });
      }
    });
  }

 private:
  static void require_rank_numbers(int ranks) {
    if (ranks <= most_ranks) return;
    throw CapacityError(std::to_string(ranks) + " ranks, but at most " + std::to_string(most_ranks),
                        static_cast<std::uint64_t>(ranks), most_ranks);
  }

  Exec exec_;
  const Communicator& ranks_;
  CollectiveCall& call_;
  std::tuple<const Columns&...> columns_;
  std::tuple<Kokkos::View<KeyOf<Columns>*, MemorySpace>...> out_;
  std::optional<RoutedRows<Exec>> routed_;
  RowOffsets offsets_;
};

}  // namespace hashmill::detail
