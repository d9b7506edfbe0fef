#pragma once

#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/shuffle/detail/exchange_columns.hpp>
#include <hashmill/shuffle/detail/route_rows.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace hashmill::detail {

/// Refuses what cannot be sent.
template <class Exec, class... Columns>
constexpr void require_columns() {
  static_assert(sizeof...(Columns) > 0, "hashmill: a shuffle moves at least one column");
  static_assert((std::is_trivially_copyable_v<KeyOf<Columns>> && ...),
                "hashmill: a shuffle moves values that are trivially copyable");
  static_assert(
      ((!std::is_pointer_v<KeyOf<Columns>> &&
        (!std::is_same_v<KeyOf<Columns>, StringView> || ColumnOfValues<Columns>)) &&
       ...),
      "hashmill: a shuffle moves no pointers; strings are columns, as string_column makes");
  static_assert((is_accessible<Exec, Columns>() && ...),
                "hashmill: the execution space cannot access the memory space of a column");
}

/// Columns of which row i is for rank `rank_of(i)`: brought into the order of their ranks, then
/// sent. It is part of a collective call, which outlives it, as the columns do.
template <class Exec, class... Columns>
class ColumnsToRanks {
 public:
  using MemorySpace = typename Exec::memory_space;

  /// Finds the place of each row, and tells all ranks how many rows they receive.
  template <class RankOf>
  ColumnsToRanks(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                 std::uint64_t rows, const RankOf& rank_of, Workspace<MemorySpace>& workspace,
                 const Columns&... columns)
      : exec_(exec), ranks_(ranks), call_(call), workspace_(workspace), columns_(columns...) {
    require_columns<Exec, Columns...>();
    std::vector<std::uint64_t> begins(static_cast<std::size_t>(ranks.size()) + 1);
    call.step("partition", [&] {
      require_rank_numbers(ranks.size());
      (same_length("shuffle", "rows with ranks", rows, "rows of a column", columns), ...);
      routed_.emplace(exec, rows, ranks.size(), rank_of, workspace);
      begins = routed_->begins();
    });
    offsets_ = exchange_sizes(call, begins);
  }

  /// Sends all columns; see `exchange_columns`.
  [[nodiscard]] auto exchange() const {
    const SentRows<Exec, ListedRows<std::uint64_t>> rows{
        exec_, ranks_, call_, offsets_, routed_->places(), workspace_};
    return std::apply([&](const auto&... columns) { return exchange_columns(rows, columns...); },
                      columns_);
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
  Workspace<MemorySpace>& workspace_;
  std::tuple<const Columns&...> columns_;
  std::optional<RoutedRows<Exec>> routed_;
  RowOffsets offsets_;
};

}  // namespace hashmill::detail
