#pragma once

#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/publish.hpp>
#include <hashmill/partition/detail/columns.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/route.hpp>
#include <string>
#include <vector>

namespace hashmill::detail {

/// The number of a rank, as partitions read it.
using RankNumber = std::uint16_t;
inline constexpr int most_ranks = 1 << 16;

/// The rank that owns a key.
template <class Keys, class Hash>
struct RankOfKey {
  Keys keys;
  Hash hash;
  std::uint32_t ranks;
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return rank_of_hash(hash(keys(i)), ranks);
  }
};

/// Writes the rank of each row. Rank 0 stands for one that does not exist, which is reported.
template <class RankOf, class Out>
struct WriteRanks {
  RankOf rank_of;
  Out out;
  std::uint64_t ranks;
  std::uint64_t* wrong;  // a row with a rank that does not exist, + 1
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto rank = static_cast<std::uint64_t>(rank_of(static_cast<std::uint64_t>(i)));
    if (rank >= ranks) backends::store_relaxed(wrong, static_cast<std::uint64_t>(i) + 1);
    out(i) = rank < ranks ? static_cast<RankNumber>(rank) : RankNumber{0};
  }
};

/// Keeps the values of records of a rank and a value.
template <class Value>
struct ValueSink {
  Value* values;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i,
                                              const RecordPair<RankNumber, Value>& record) const {
    values[i] = record.second;
  }
};

struct SameRank {
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(RankNumber rank) const { return rank; }
};

/// The rank of each row of some columns, which are then brought into the order of the ranks. Rows
/// of one rank keep their order, so that all columns get the same one.
template <class Exec>
class RoutedRows {
 public:
  using MemorySpace = typename Exec::memory_space;

  /// `rank_of(i)` is the rank of row i. Throws InvalidArgument where that is not below `ranks`.
  template <class RankOf>
  RoutedRows(const Exec& exec, std::uint64_t rows, int ranks, const RankOf& rank_of,
             Workspace<MemorySpace>& workspace)
      : exec_(exec), workspace_(workspace), ranks_(static_cast<std::uint64_t>(ranks)) {
    typename Workspace<MemorySpace>::Frame frame(workspace);
    rank_of_ = backends::allocate<decltype(rank_of_)>(exec, "hashmill::shuffle::ranks", rows);
    const auto wrong = workspace.template take<std::uint64_t>(exec, 1);
    Kokkos::deep_copy(exec, wrong, std::uint64_t{0});
    backends::for_each_index(
        "hashmill::shuffle::ranks", exec, rows,
        WriteRanks<RankOf, decltype(rank_of_)>{rank_of, rank_of_, ranks_, wrong.data()});
    const std::uint64_t found = backends::fetch(exec, wrong, 0, "hashmill: ranks are checked");
    if (found == 0) return;
    throw InvalidArgument("shuffle: row " + std::to_string(found - 1) +
                          " is for a rank that is not below " + std::to_string(ranks));
  }

  /// Writes the values of a column to `to` in the order of their ranks. Returns where those of each
  /// rank begin, and the end. Reads each value and its rank twice and writes the value once.
  template <class Column, class To>
  std::vector<std::uint64_t> order(const Column& column, const To& to) const {
    using Value = KeyOf<Column>;
    using Ranks = KeyAccess<decltype(rank_of_)>;
    const auto offsets = partition_checked<Engine::automatic, FirstOfPair>(
        exec_, rank_of_.extent(0),
        ColumnSource<Ranks, KeyAccess<Column>>{key_access(rank_of_), key_access(column)},
        ValueSink<Value>{to.data()}, SameRank{}, PartCount(ranks_), {.stable = true}, workspace_);
    std::vector<std::uint64_t> begins(ranks_ + 1);
    Kokkos::deep_copy(exec_,
                      Kokkos::View<std::uint64_t*, Kokkos::HostSpace>(begins.data(), begins.size()),
                      offsets);
    exec_.fence("hashmill: sizes of parts are sent");
    return begins;
  }

 private:
  Exec exec_;
  Workspace<MemorySpace>& workspace_;
  std::uint64_t ranks_;
  Kokkos::View<RankNumber*, MemorySpace> rank_of_;
};

}  // namespace hashmill::detail
