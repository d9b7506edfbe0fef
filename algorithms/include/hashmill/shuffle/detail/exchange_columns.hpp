#pragma once

#include <algorithm>
#include <functional>
#include <hashmill/shuffle/detail/rows_together.hpp>
#include <hashmill/shuffle/detail/sent_columns.hpp>
#include <hashmill/shuffle/shuffled.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// Columns that travel together, round by round. It is part of a collective call, which outlives
/// it, as the rows do. While a column of values is under way the next one is brought into order.
/// Strings are copied before the first column leaves, since their bytes size the memory of those
/// who receive them.
template <class Exec, class Order, class... Columns>
class ColumnExchange {
 public:
  /// Writes the values of all columns to these places, in the order of their parts.
  using PutTogether = std::function<void(KeyOf<Columns>*...)>;

  /// Makes room for all that is sent and received. The caller then agrees with the other ranks, and
  /// calls `start`. `put_together`: how all columns are brought into order at once, if they are.
  explicit ColumnExchange(const SentRows<Exec, Order>& rows, PutTogether put_together,
                          const Columns&... columns)
      : rows_(rows),
        put_together_(std::move(put_together)),
        sent_(columns...),
        started_(rows.parts.shape.rounds) {
    CollectiveCall& call = rows.call;
    for_each([&](auto&... column) {
      call.step("partition", [&] { (column.prepare(rows_), ...); });
      (column.exchange_sizes(call, rows_), ...);
      call.step("allocate", [&] { (column.allocate(rows_), ...); });
    });
  }

  ColumnExchange(const ColumnExchange&) = delete;
  ColumnExchange& operator=(const ColumnExchange&) = delete;
  /// Where the call failed on all ranks, waits for what is under way. The communicator can be used
  /// after that. What others may still write to is left to them.
  ~ColumnExchange() {
    const auto is_done = [](const auto& round) { return round.empty(); };
    if (std::all_of(started_.begin(), started_.end(), is_done)) return;
    try {
      for (std::size_t r = 0; rows_.call.ends_on_all() && r < started_.size(); ++r) wait_for(r);
      if (rows_.call.ends_on_all()) return;
    } catch (const std::exception&) {  // another rank ended; all further calls say so
    }
    rows_.workspace.give_up();
  }

  /// Brings columns into order, compresses them where ranks wish so, and starts to send them: the
  /// first round of each as soon as it is in order, then each further round of all. What lies in
  /// other memory than the columns' is used until the last step of this.
  void start() {
    put_all_together();
    const auto send = [&](auto& column) {
      if (!put_together_) rows_.call.step("partition", [&] { column.fill(rows_); });
      column.pack(rows_);
      column.add_pieces_of(rows_, 0, started_[0].emplace_back(rows_.ranks));
      started_[0].back().start(rows_.exec);
    };
    for_each([&](auto&... column) {
      (send(column), ...);
      for (std::size_t round = 1; round < started_.size(); ++round) {
        TravellingPieces& pieces = started_[round].emplace_back(rows_.ranks);
        (column.add_pieces_of(rows_, round, pieces), ...);
        pieces.start(rows_.exec);
      }
    });
    rows_.call.step("partition", [&] { rows_.exec.fence("hashmill: columns are sent"); });
  }
  /// Waits for a round, and returns the columns that this rank received in it. Where a step failed
  /// on any rank they hold anything, until the call agrees again.
  [[nodiscard]] auto finish(std::size_t round) {
    wait_for(round);
    return for_each([&](auto&... column) {
      rows_.call.step("unpack", [&] {
        (column.finish(rows_, round), ...);
        rows_.exec.fence("hashmill: columns are handed to the caller");
      });
      return std::tuple(column.take(round)...);
    });
  }

 private:
  void wait_for(std::size_t round) {
    for (TravellingPieces& pieces : started_[round]) pieces.pass_on();
    for (TravellingPieces& pieces : started_[round]) pieces.finish(rows_.exec);
    started_[round].clear();
  }
  void put_all_together() {
    if constexpr (go_together<Exec, Columns...> && !std::is_same_v<Order, ReadyOrder>) {
      if (!put_together_) return;
      rows_.call.step("partition", [&] {
        for_each([&](const auto&... column) { put_together_(column.sent()...); });
      });
    }
  }
  template <class Use>
  decltype(auto) for_each(const Use& use) {
    return std::apply(use, sent_);
  }

  const SentRows<Exec, Order>& rows_;
  PutTogether put_together_;
  std::tuple<SentColumn<Exec, Order, Columns>...> sent_;
  std::vector<std::vector<TravellingPieces>> started_;  // of each round
};

/// Sends columns in one round, and returns those that this rank receives.
template <class Exec, class Order, class... Columns>
[[nodiscard]] auto exchange_columns(const SentRows<Exec, Order>& rows, const Columns&... columns) {
  ColumnExchange<Exec, Order, Columns...> exchange(rows, {}, columns...);
  rows.call.agree("agree on memory");
  exchange.start();
  return std::apply(
      [&](auto&&... column) {
        return Shuffled<std::decay_t<decltype(column)>...>{{std::move(column)...},
                                                           rows.parts.in.front()};
      },
      exchange.finish(0));
}

/// Stands for the order of rows that lie in the order of their parts already.
struct ReadyColumns {};

/// Sends columns whose rows lie in the order of their parts. Views are sent from where they are.
template <class Exec, class... Columns>
[[nodiscard]] auto exchange_columns(const Exec& exec, const Communicator& ranks,
                                    CollectiveCall& call, const RowParts& parts,
                                    const std::tuple<Columns...>& columns, ReadyColumns) {
  Workspace<typename Exec::memory_space> workspace;
  const ReadyOrder order;
  const SentRows<Exec, ReadyOrder> rows{exec, ranks, call, parts, order, workspace};
  return std::apply([&](const auto&... column) { return exchange_columns(rows, column...); },
                    columns);
}

}  // namespace hashmill::detail
