#pragma once

#include <hashmill/shuffle/detail/sent_columns.hpp>
#include <hashmill/shuffle/shuffled.hpp>
#include <tuple>
#include <vector>

namespace hashmill::detail {

/// Sends columns, and returns those that this rank receives. Where a step failed on any rank they
/// hold anything, until the call agrees again. While a column of values is under way the next one
/// is brought into order. Strings are copied before the first column leaves, since their bytes size
/// the memory of those who receive them.
template <class Exec, class Places, class... Columns>
[[nodiscard]] auto exchange_columns(const SentRows<Exec, Places>& rows, const Columns&... columns) {
  std::tuple<SentColumn<Exec, Places, Columns>...> sent(columns...);
  CollectiveCall& call = rows.call;
  const auto send = [&](auto& column, std::vector<StartedExchange>& started) {
    call.step("partition", [&] {
      column.fill(rows);
      rows.exec.fence("hashmill: columns are sent");
    });
    column.start(rows, started);
  };
  return std::apply(
      [&](auto&... column) {
        call.step("partition", [&] { (column.prepare(rows), ...); });
        (column.exchange_sizes(call, rows), ...);
        call.step("allocate", [&] { (column.allocate(rows), ...); });
        call.agree("agree on memory");
        std::vector<StartedExchange> started;
        (send(column, started), ...);
        for (StartedExchange& exchange : started) exchange.finish();
        call.step("unpack", [&] {
          (column.finish(rows), ...);
          rows.exec.fence("hashmill: columns are handed to the caller");
        });
        return Shuffled<std::decay_t<decltype(column.received())>...>{{column.received()...},
                                                                      rows.offsets.in};
      },
      sent);
}

/// Stands for the order of rows that lie in the order of their ranks already.
struct ReadyColumns {};

/// Sends columns whose rows lie in the order of their ranks. Views are sent from where they are.
template <class Exec, class... Columns>
[[nodiscard]] auto exchange_columns(const Exec& exec, const Communicator& ranks,
                                    CollectiveCall& call, const RowOffsets& offsets,
                                    const std::tuple<Columns...>& columns, ReadyColumns) {
  Workspace<typename Exec::memory_space> workspace;
  const SentRows<Exec, SamePlaces> rows{exec, ranks, call, offsets, SamePlaces{}, workspace};
  return std::apply([&](const auto&... column) { return exchange_columns(rows, column...); },
                    columns);
}

}  // namespace hashmill::detail
