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

/// Borrowed arrays for what a rank passes on of one whose parts are `parts`, of each round; empty
/// where nothing is passed on.
template <class View, class Rows>
[[nodiscard]] std::vector<View> borrow_cells(const Rows& rows, const RowParts& parts) {
  std::vector<View> cells(parts.shape.rounds);
  for (std::size_t round = 0; round < parts.cells.size(); ++round) {
    cells[round] = rows.template borrow<typename View::value_type>(parts.cells[round].back());
  }
  return cells;
}

/// Adds a round of an array whose parts are `parts`; see TravellingPieces. What is borrowed is kept
/// for exchanges that do not end.
template <class Rows, class From, class To, class Which = EveryPart>
void add_pieces(TravellingPieces& pieces, const Rows& rows, const RowParts& parts,
                std::size_t round, const From& from, const To& cells, const To& to,
                const Which& which = {}) {
  pieces.add(parts, round, from, cells, to, which, rows.workspace.hold());
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
