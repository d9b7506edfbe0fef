#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/row.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/host_words.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// What this rank has for each rank, and what it receives from each: prefix sums.
struct RowOffsets {
  std::vector<std::uint64_t> out, in;
};

/// Tells all ranks how much they receive. `out` has zeros where the call fails.
inline RowOffsets exchange_sizes(const CollectiveCall& call, std::vector<std::uint64_t> out) {
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
  using Value = typename To::value_type;
  std::vector<backends::Send> sends;
  std::vector<backends::Receive> receives;
  // Each rank begins with the rank behind it, so that not all send to the same one.
  for (int k = 1; k <= ranks.size(); ++k) {
    const auto next = static_cast<std::size_t>((ranks.rank() + k) % ranks.size());
    const auto previous =
        static_cast<std::size_t>((ranks.rank() + ranks.size() - k) % ranks.size());
    if (const std::uint64_t n = rows.out[next + 1] - rows.out[next]; n != 0) {
      sends.push_back({static_cast<int>(next),
                       reinterpret_cast<const std::byte*>(from.data() + rows.out[next]),
                       n * sizeof(Value)});
    }
    if (const std::uint64_t n = rows.in[previous + 1] - rows.in[previous]; n != 0) {
      receives.push_back({static_cast<int>(previous),
                          reinterpret_cast<std::byte*>(to.data() + rows.in[previous]),
                          n * sizeof(Value)});
    }
  }
  return ranks.start({sends, receives, 0, backends::memory_kind<typename To::memory_space>,
                      std::make_shared<std::pair<From, To>>(from, to)},
                     "exchange rows");
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
