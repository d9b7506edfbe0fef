#pragma once

#include <algorithm>
#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/shuffle/detail/exchange_columns.hpp>
#include <hashmill/shuffle/detail/link_rate.hpp>
#include <hashmill/shuffle/detail/route_rows.hpp>
#include <hashmill/shuffle/detail/travel.hpp>
#include <memory>
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

/// Writes the answer to each row, from answers in the order in which the rows were sent: first to
/// those for one rank, then to those for all. It is 0 to rows that were not sent.
template <class Places, class Answers, class OwnAnswers, class Out>
struct TakeAnswers {
  Places places;
  Answers answers;
  OwnAnswers to_replicated;
  Out out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint64_t place = places(static_cast<std::uint64_t>(i)), sent = answers.extent(0);
    if (place < sent) {
      out(i) = answers(place);
    } else if (place - sent < to_replicated.extent(0)) {
      out(i) = to_replicated(place - sent);
    } else {
      out(i) = typename Answers::non_const_value_type{};
    }
  }
};

/// Columns whose row i belongs to part `part_of(i)`: brought into the order of their parts, then
/// sent. It is part of a collective call, which outlives it, as the columns do.
template <class Exec, class... Columns>
class ColumnsToRanks {
 public:
  using MemorySpace = typename Exec::memory_space;

  /// Finds the place of each row, and tells all ranks how many rows they receive.
  template <class PartOf>
  ColumnsToRanks(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                 std::uint64_t rows, const PartShape& shape, const PartOf& part_of,
                 const Travel& travel, Workspace<MemorySpace>& workspace, const Columns&... columns)
      : columns_(columns...) {
    require_columns<Exec, Columns...>();
    std::vector<std::uint64_t> begins(shape.parts() + 1);
    call.step("partition", [&] {
      const std::uint64_t parts = shape.parts() + (shape.drops ? 1 : 0);
      require_part_numbers(parts);
      (same_length("shuffle", "rows with ranks", rows, "rows of a column", columns), ...);
      routed_.emplace(exec, rows, parts, part_of, workspace, !travel.borrows,
                      (Order::template needs_places<KeyOf<Columns>> || ...));
      std::copy_n(routed_->begins().begin(), begins.size(), begins.begin());
    });
    const std::uint64_t bytes = begins.back() * (sizeof(KeyOf<Columns>) + ...);
    parts_ = exchange_sizes(call, shape, begins, notes_before(exec, ranks, travel, bytes));
    if (parts_.notes.wish == CompressionWish::measure) measure_link(exec, ranks, call);
    if (auto relay = choose_relay(ranks, travel.levels, parts_.notes)) {
      exchange_relay_sizes(parts_, std::move(relay));
    }
    rows_.emplace(Rows{exec, ranks, call, parts_, *routed_, workspace, travel});
    home_rows_ = rows;
  }
  ColumnsToRanks(const ColumnsToRanks&) = delete;
  ColumnsToRanks& operator=(const ColumnsToRanks&) = delete;

  /// What this rank sends and receives.
  [[nodiscard]] const RowParts& parts() const { return parts_; }
  /// Sends all columns in one round; see `exchange_columns`.
  [[nodiscard]] auto exchange() const {
    return std::apply([&](const auto&... columns) { return exchange_columns(*rows_, columns...); },
                      columns_);
  }
  /// All columns, to be sent in rounds. This must outlive them.
  [[nodiscard]] auto exchange_in_rounds() const {
    return std::apply(
        [&](const auto&... columns) {
          return std::make_unique<ColumnExchange<Exec, Order, Columns...>>(*rows_, columns...);
        },
        columns_);
  }
  /// Sends an answer to each row that came, all of them in one round. Writes to out(i) that to this
  /// rank's row i. All ranks give the same answers to rows that all have; these are not sent.
  template <class Answers, class Out>
  void answer(const Answers& answers, const Out& out) const {
    const std::uint64_t num_ranks = parts_.shape.ranks;
    const std::uint64_t* const in = parts_.in.front().data();
    const RowParts back = exchange_sizes(rows_->call, {num_ranks}, {in, in + num_ranks + 1});
    const auto got = exchange_columns(rows_->exec, rows_->ranks, rows_->call, back,
                                      std::tuple(answers), ReadyColumns{});
    rows_->call.step("put answers", [&] {
      const auto& there = got.template column<0>();
      const auto here = Kokkos::subview(answers, own_replicated());
      typename Workspace<MemorySpace>::Frame frame(rows_->workspace);
      backends::for_each_index(
          "hashmill::shuffle::take_answers", rows_->exec, home_rows_,
          TakeAnswers<RowPlaces, std::decay_t<decltype(there)>, std::decay_t<decltype(here)>, Out>{
              routed_->places(rows_->exec, rows_->workspace), there, here, out});
      rows_->exec.fence("hashmill: answers are handed to the caller");
    });
  }

 private:
  using Order = RoutedRows<Exec>;
  using Rows = SentRows<Exec, Order>;

  /// Of the rows that came in the only round, those of this rank that all have.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> own_replicated() const {
    if (!parts_.shape.for_all) return {0, 0};
    const std::uint64_t* const own =
        &parts_.in.front()[parts_.shape.ranks + static_cast<std::uint64_t>(rows_->ranks.rank())];
    return {own[0], own[1]};
  }
  static void require_part_numbers(std::uint64_t parts) {
    if (parts <= most_parts) return;
    throw CapacityError(std::to_string(parts) + " ranks, but at most " + std::to_string(most_parts),
                        parts, most_parts);
  }

  std::tuple<const Columns&...> columns_;
  std::optional<Order> routed_;
  RowParts parts_;
  std::optional<Rows> rows_;
  std::uint64_t home_rows_ = 0;  // with those that are not sent, whose places lie behind all others
};

}  // namespace hashmill::detail
