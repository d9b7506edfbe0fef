#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/row.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/host_words.hpp>
#include <hashmill/shuffle/detail/start_pieces.hpp>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// What this rank has for each rank, and what it receives from each: prefix sums.
struct RowOffsets {
  std::vector<std::uint64_t> out, in;
};

/// Tells all ranks how much they receive. `out` has zeros where the call fails.
inline RowOffsets exchange_sizes(CollectiveCall& call, std::vector<std::uint64_t> out) {
  std::vector<std::uint64_t> counts(out.size() - 1), received(out.size() - 1);
  for (std::size_t r = 0; r < counts.size(); ++r) counts[r] = out[r + 1] - out[r];
  call.exchange_words(counts, received, "exchange sizes");
  RowOffsets offsets{std::move(out), {0}};
  for (const std::uint64_t rows : received) {
    offsets.in.push_back(checked_add(offsets.in.back(), rows, "rows that a rank receives"));
  }
  return offsets;
}

/// Starts to send the parts of an array and to receive those of another. Both views live until that
/// is done.
template <class From, class To>
[[nodiscard]] StartedExchange start_exchange(const Communicator& ranks, const RowOffsets& rows,
                                             const From& from, const To& to) {
  const auto piece_of = [](const std::vector<std::uint64_t>& begins) {
    return [&](int rank, const auto& piece) {
      const auto r = static_cast<std::size_t>(rank);
      piece(begins[r], begins[r + 1]);
    };
  };
  return start_pieces(ranks, from, to, piece_of(rows.out), piece_of(rows.in));
}

/// The places of rows that lie in the order of their ranks already.
using SamePlaces = RowsFrom<>;

/// Rows that travel. `places(i)` is where row i lies once those of each rank are side by side, as
/// `offsets.out` says.
template <class Exec, class Places>
struct SentRows {
  using MemorySpace = typename Exec::memory_space;
  const Exec& exec;
  const Communicator& ranks;
  CollectiveCall& call;
  const RowOffsets& offsets;
  Places places;
  Workspace<MemorySpace>& workspace;

  /// The number of rows.
  [[nodiscard]] std::uint64_t size() const { return offsets.out.back(); }
  /// The number of rows that this rank receives.
  [[nodiscard]] std::uint64_t received() const { return offsets.in.back(); }
};

/// Writes each value of a column to its place.
template <class Column, class Places, class Value>
struct PutValue {
  Column column;
  Places places;
  Value* to;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    to[places(i)] = column(i);
  }
};

/// Writes the values of a column to `to` in the order of their ranks. Asynchronous. Reads each
/// value and its place once and writes the value once. Threads write as many runs side by side as
/// there are ranks.
template <class Exec, class Places, class Column, class Value>
void put_in_order(const Exec& exec, const Places& places, std::uint64_t rows, const Column& column,
                  Value* to) {
  backends::for_each_index("hashmill::shuffle::put_in_order", exec, rows,
                           PutValue<Column, Places, Value>{column, places, to});
}

}  // namespace hashmill::detail
