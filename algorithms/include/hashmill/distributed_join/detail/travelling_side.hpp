#pragma once

#include <hashmill/distributed_join/detail/cut_rows.hpp>
#include <hashmill/distributed_join/detail/local_columns.hpp>
#include <hashmill/distributed_join/detail/rows_here.hpp>
#include <hashmill/distributed_join/join_side.hpp>
#include <hashmill/shuffle/detail/columns_to_ranks.hpp>
#include <memory>
#include <span>
#include <utility>

namespace hashmill::detail {

/// A side of a join on its way to other ranks.
template <class Exec, class Side>
class TravellingSide;
template <class Exec, class KeyColumns, class... Columns>
class TravellingSide<Exec, JoinSide<KeyColumns, Columns...>> {
 public:
  using MemorySpace = typename Exec::memory_space;

  /// Row i belongs to part `part_of(i)`. Makes room for what arrives and agrees with the other
  /// ranks, then starts to send.
  template <class PartOf>
  TravellingSide(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                 const PartShape& shape, const PartOf& part_of, const Travel& travel,
                 Workspace<MemorySpace>& workspace, const JoinSide<KeyColumns, Columns...>& side)
      : exec_(exec),
        call_(call),
        rows_(std::apply(
            [&](const auto&... columns) {
              return std::make_unique<Rows>(exec, ranks, call, length_of(std::get<0>(side.columns)),
                                            shape, part_of, travel, workspace, columns...);
            },
            side.columns)),
        exchange_(rows_->exchange_in_rounds()) {
    call.agree("agree on memory");
    exchange_->start();
  }

  /// Sends answers back, of one round; see `ColumnsToRanks::answer`.
  template <class Answers, class Out>
  void answer(const Answers& answers, const Out& out) const {
    rows_->answer(answers, out);
  }
  /// Waits for a round. Returns its RowsHere.
  [[nodiscard]] auto finish(std::size_t round) {
    using Received = decltype(exchange_->finish(round));
    const auto received = std::make_shared<std::pair<Received, CutRows<MemorySpace>>>(
        exchange_->finish(round), CutRows<MemorySpace>());
    RowsHere here{local_columns<MemorySpace>(received->first), rows_->parts().replicated(round),
                  std::shared_ptr<const void>(received)};
    if (const auto cuts = rows_->cuts_of(round); !cuts.empty()) {
      call_.step("join", [&] {
        const RowParts& parts = rows_->parts();
        const std::span begins(parts.in[round].data(), parts.shape.ranks);
        received->second = CutRows<MemorySpace>(exec_, begins, cuts, parts.shape.ranks);
        here.cuts = received->second.parts();
      });
    }
    return here;
  }

 private:
  using Rows = ColumnsToRanks<Exec, Columns...>;
  const Exec& exec_;
  CollectiveCall& call_;
  std::unique_ptr<Rows> rows_;
  std::decay_t<decltype(std::declval<const Rows&>().exchange_in_rounds())> exchange_;
};

}  // namespace hashmill::detail
