#pragma once

#include <algorithm>
#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/shuffle/detail/exchange_columns.hpp>
#include <hashmill/shuffle/detail/link_rate.hpp>
#include <hashmill/shuffle/detail/route_rows.hpp>
#include <hashmill/shuffle/detail/travel.hpp>
#include <memory>
#include <optional>
#include <span>
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
    cells_.resize(shape.cells() + 1);
    call.step("partition", [&] {
      require_part_numbers(shape.cells());
      (same_length("shuffle", "rows with ranks", rows, "rows of a column", columns), ...);
      if (!find_together(exec, rows, part_of, travel, workspace)) {
        routed_.emplace(exec, rows, shape.cells(), part_of, workspace, !travel.borrows,
                        (Order::template needs_places<KeyOf<Columns>> || ...));
        cells_ = routed_->begins();
      }
    });
    std::vector<std::uint64_t> begins;
    for (std::uint64_t part = 0; part <= shape.parts(); ++part) {
      begins.push_back(cells_[shape.first_cell(part)]);
    }
    const std::uint64_t bytes = begins.back() * (sizeof(KeyOf<Columns>) + ...);
    parts_ = exchange_sizes(call, shape, begins, notes_before(exec, ranks, travel, bytes));
    if (parts_.notes.wish == CompressionWish::measure) measure_link(exec, ranks, call);
    if (auto relay = choose_relay(ranks, travel.levels, parts_.notes)) {
      exchange_relay_sizes(parts_, std::move(relay));
    }
    exchange_cuts(call);
    if (!routed_) routed_.emplace();
    rows_.emplace(Rows{exec, ranks, call, parts_, *routed_, workspace, travel});
    home_rows_ = rows;
  }
  ColumnsToRanks(const ColumnsToRanks&) = delete;
  ColumnsToRanks& operator=(const ColumnsToRanks&) = delete;

  /// What this rank sends and receives.
  [[nodiscard]] const RowParts& parts() const { return parts_; }
  /// How many rows come in a round of each cut, rank by rank. Empty where parts are not cut.
  [[nodiscard]] std::span<const std::uint64_t> cuts_of(std::size_t round) const {
    const std::uint64_t count = parts_.shape.cuts == 1 ? 0 : parts_.shape.ranks * parts_.shape.cuts;
    return std::span(cuts_in_).subspan(round * count, count);
  }
  /// Sends all columns in one round; see `exchange_columns`.
  [[nodiscard]] auto exchange() const {
    return std::apply([&](const auto&... columns) { return exchange_columns(*rows_, columns...); },
                      columns_);
  }
  /// All columns, to be sent in rounds. This must outlive them.
  [[nodiscard]] auto exchange_in_rounds() const {
    return std::apply(
        [&](const auto&... columns) {
          return std::make_unique<ColumnExchange<Exec, Order, Columns...>>(*rows_, put_together_,
                                                                           columns...);
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
  /// Counts the rows of cells where all columns can be brought into order together. Returns whether
  /// they can.
  template <class PartOf>
  bool find_together([[maybe_unused]] const Exec& exec, [[maybe_unused]] std::uint64_t rows,
                     [[maybe_unused]] const PartOf& part_of, [[maybe_unused]] const Travel& travel,
                     [[maybe_unused]] Workspace<MemorySpace>& workspace) {
    if constexpr (go_together<Exec, Columns...>) {
      const std::uint64_t cells = cells_.size() - 1;
      const auto bits = static_cast<unsigned>(std::bit_width(cells - 1));
      if (!travel.any_order || bits > most_bits_together<Exec, Columns...>(exec)) return false;
      cells_ = count_rows_of_parts(exec, rows, cells, part_of, workspace);
      put_together_ = [this, exec, rows, part_of, &workspace](KeyOf<Columns>*... sent) {
        const auto source = std::apply(
            [](const auto&... columns) { return ColumnsSource(key_access(columns)...); }, columns_);
        const FirstPlaces sink{parts_.out.back(), ColumnsSink<KeyOf<Columns>...>(sent...)};
        scatter_to_known_parts(exec, rows, cells_, PartOfNumber<PartOf>{part_of}, source, sink,
                               workspace);
      };
      return true;
    }
    return false;
  }
  /// Tells all ranks how the parts that they receive are cut.
  void exchange_cuts(CollectiveCall& call) {
    const PartShape& shape = parts_.shape;
    if (shape.cuts == 1) return;
    std::vector<std::uint64_t> out, in(shape.rounds * shape.ranks * shape.cuts);
    for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
      for (std::uint64_t round = 0; round < shape.rounds; ++round) {
        const std::uint64_t first = shape.first_cell(round * shape.ranks + rank);
        for (std::uint64_t cell = first; cell < first + shape.cuts; ++cell) {
          out.push_back(cells_[cell + 1] - cells_[cell]);
        }
      }
    }
    call.exchange_words(out, in, "exchange sizes of cuts");
    for (std::uint64_t round = 0; round < shape.rounds; ++round) {
      for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
        const auto from =
            in.begin() + static_cast<std::ptrdiff_t>((rank * shape.rounds + round) * shape.cuts);
        cuts_in_.insert(cuts_in_.end(), from, from + static_cast<std::ptrdiff_t>(shape.cuts));
      }
    }
  }
  static void require_part_numbers(std::uint64_t parts) {
    if (parts <= most_parts) return;
    throw CapacityError(std::to_string(parts) + " ranks, but at most " + std::to_string(most_parts),
                        parts, most_parts);
  }

  std::tuple<const Columns&...> columns_;
  std::optional<Order> routed_;
  std::vector<std::uint64_t> cells_;  // where the rows of each begin, and the end
  typename ColumnExchange<Exec, Order, Columns...>::PutTogether put_together_;
  std::vector<std::uint64_t> cuts_in_;  // rows that come, round by round, of each rank's cuts
  RowParts parts_;
  std::optional<Rows> rows_;
  std::uint64_t home_rows_ = 0;  // with those that are not sent, whose places lie behind all others
};

}  // namespace hashmill::detail
