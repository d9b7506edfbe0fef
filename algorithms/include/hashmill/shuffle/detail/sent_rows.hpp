#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/row.hpp>
#include <hashmill/shuffle/detail/host_words.hpp>
#include <hashmill/shuffle/detail/travel.hpp>
#include <hashmill/shuffle/detail/travelling_pieces.hpp>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// The places of rows that lie in the order of their parts already.
using SamePlaces = RowsFrom<>;

/// Rows that travel. `places(i)` is where row i lies once those of each part are side by side.
template <class Exec, class Places>
struct SentRows {
  using MemorySpace = typename Exec::memory_space;
  const Exec& exec;
  const Communicator& ranks;
  CollectiveCall& call;
  const RowParts& parts;
  Places places;
  std::uint64_t home_rows;  ///< those that are not sent, whose places lie behind all others,
                            ///< among them
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

/// Writes each value of a column to its place, if that is below `size`.
template <class Column, class Places, class Value>
struct PutValue {
  Column column;
  Places places;
  std::uint64_t size;
  Value* to;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    const std::uint64_t place = places(i);
    if (place < size) to[place] = column(i);
  }
};

/// Writes the values of a column that are sent to `to`, in the order of their parts. Asynchronous.
/// Reads each value and its place once and writes the value once. Threads write as many runs side
/// by side as there are parts.
template <class Exec, class Places, class Column, class Value>
void put_in_order(const SentRows<Exec, Places>& rows, const Column& column, Value* to) {
  backends::for_each_index("hashmill::shuffle::put_in_order", rows.exec, rows.home_rows,
                           PutValue<Column, Places, Value>{column, rows.places, rows.size(), to});
}

}  // namespace hashmill::detail
