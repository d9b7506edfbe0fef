#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/primitives/detail/on_device.hpp>
#include <hashmill/shuffle/detail/host_words.hpp>
#include <hashmill/shuffle/detail/route_rows.hpp>
#include <hashmill/shuffle/detail/travel.hpp>
#include <hashmill/shuffle/detail/travelling_pieces.hpp>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// Rows that travel. `order` brings their columns into the order of their parts.
template <class Exec, class Order>
struct SentRows {
  using MemorySpace = typename Exec::memory_space;
  const Exec& exec;
  const Communicator& ranks;
  CollectiveCall& call;
  const RowParts& parts;
  const Order& order;
  Workspace<MemorySpace>& workspace;
  Travel travel{.compression = Compression::never};

  /// The number of rows that are sent.
  [[nodiscard]] std::uint64_t size() const { return parts.out.back(); }
  /// The number of rows that this rank receives in a round.
  [[nodiscard]] std::uint64_t received(std::size_t round) const { return parts.in[round].back(); }

  /// An array in the workspace, until the frame closes that is open now.
  template <class T>
  [[nodiscard]] Kokkos::View<T*, MemorySpace> borrow(std::uint64_t count) const {
    return Kokkos::View<T*, MemorySpace>(workspace.template take<T>(exec, count).data(), count);
  }
  /// An array for what arrives.
  template <class View>
  [[nodiscard]] View make_received(const char* label, std::uint64_t count) const {
    if (travel.borrows) return borrow<typename View::value_type>(count);
    return backends::allocate<View>(exec, label, count);
  }
};

/// Borrowed arrays for what lies between ranks of an array whose parts are `parts`, of each round;
/// empty where nothing does.
template <class View, class Rows>
[[nodiscard]] std::vector<Stops<View>> borrow_stops(const Rows& rows, const RowParts& parts) {
  const auto borrow = [&](std::uint64_t count) {
    return rows.template borrow<typename View::value_type>(count);
  };
  std::vector<Stops<View>> stops(parts.shape.rounds);
  for (std::size_t round = 0; round < stops.size(); ++round) {
    if (parts.relay != nullptr) stops[round].cells = borrow(parts.cells[round].back());
    const auto led = led_pieces<View>(parts, round, rows.ranks.rank());
    if (!led.empty())
      stops[round].led = borrow(led.back().at + led.back().lead + led.back().size());
  }
  return stops;
}

/// Adds a round of an array whose parts are `parts`; see TravellingPieces. What is borrowed is kept
/// for exchanges that do not end.
template <class Rows, class From, class To, class Which = EveryPart>
void add_pieces(TravellingPieces& pieces, const Rows& rows, const RowParts& parts,
                std::size_t round, const From& from, const Stops<To>& stops, const To& to,
                const Which& which = {}) {
  pieces.add(parts, round, from, stops, to, which, rows.workspace.hold());
}

/// Writes the values of a column that are sent to `to`, in the order of their parts. Asynchronous.
/// Reads each value once and writes it once, in as many runs side by side as there are parts.
template <class Exec, class Order, class Column, class Value>
void put_in_order(const SentRows<Exec, Order>& rows, const Column& column, Value* to) {
  rows.order.put(rows.exec, column, rows.size(), to);
}

}  // namespace hashmill::detail
