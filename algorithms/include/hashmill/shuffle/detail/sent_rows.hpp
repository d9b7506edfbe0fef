#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/row.hpp>
#include <hashmill/shuffle/compression.hpp>
#include <hashmill/shuffle/detail/host_words.hpp>
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
  Compression compression = Compression::never;  ///< whether this rank compresses its parts

  /// The number of rows that are sent.
  [[nodiscard]] std::uint64_t size() const { return parts.out.back(); }
  /// The number of rows that this rank receives in a round.
  [[nodiscard]] std::uint64_t received(std::size_t round) const { return parts.in[round].back(); }
};

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
