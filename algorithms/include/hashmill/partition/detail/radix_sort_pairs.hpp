#pragma once

#include <bit>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/partition/detail/columns.hpp>
#include <hashmill/row.hpp>
#include <vector>

namespace hashmill::detail {

/// The row of a pair by which a sorting pass orders it.
struct RowOfPair {
  bool is_right;
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Record& pair) const {
    return is_right ? pair.second : pair.first;
  }
};

/// The largest row number, ignoring `no_row`.
template <class Row>
struct LargestRow {
  const Row* rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& largest) const {
    if (rows[i] != no_row<Row> && rows[i] > largest) largest = rows[i];
  }
};

template <class Row>
struct UnpackPairs {
  const RecordPair<Row, Row>* pairs;
  ColumnSink<Row, Row> columns;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    columns(static_cast<std::uint64_t>(i), pairs[i]);
  }
};

/// Sorts pairs of rows, stored in two columns, by right or left rows. A radix sort, least
/// significant digit first, whose passes are the stable partition. The first pass reads the columns
/// and the last one writes them, so there are no further copies. `no_row` has no special place in
/// the order.
///
/// Each pass reads a pair twice and writes it once: 3 sizeof(record) bytes per pair and pass. A
/// pass takes 8 bits of the largest row number on GPUs and up to 12 on CPUs. Memory: one or two
/// arrays of records, in a frame that `sort` opens and closes.
template <class Exec, class Row, class MemorySpace>
class RadixSortPairs {
  using Record = RecordPair<Row, Row>;
  static constexpr bool team = backends::has_wide_teams<Exec>;

 public:
  RadixSortPairs(const Exec& exec, Row* left, Row* right, std::uint64_t count,
                 Workspace<MemorySpace>& workspace)
      : exec_(exec), left_(left), right_(right), count_(count), workspace_(workspace) {}

  /// Adds a column to sort by; columns added later take precedence. Waits for `exec`.
  void add(bool is_right) {
    std::uint64_t largest = 0;
    Kokkos::parallel_reduce("hashmill::join::largest_row", backends::range(exec_, count_),
                            LargestRow<Row>{is_right ? right_ : left_},
                            Kokkos::Max<std::uint64_t>(largest));
    const auto bits = static_cast<unsigned>(std::bit_width(largest));
    if (bits == 0) return;
    const LevelPlan plan(bits, max_level_bits<Exec, Record, team, team>(exec_));
    for (unsigned l = plan.levels; l-- > 0;) {
      passes_.push_back({{is_right}, plan.shift_of(l), plan.bits_of(l)});
    }
  }

  /// Sorts; asynchronous.
  void sort() const {
    if (passes_.empty() || count_ < 2) return;
    const typename Workspace<MemorySpace>::Frame frame(workspace_);
    const std::size_t last = passes_.size() - 1;
    Record* records[2] = {workspace_.template take<Record>(exec_, count_).data(), nullptr};
    if (last > 1) records[1] = workspace_.template take<Record>(exec_, count_).data();
    const auto all = whole_range<std::uint64_t>(exec_, count_, workspace_);
    const ColumnSink<Row, Row> columns{left_, right_};
    using Rows = KeyPointer<Row, false>;
    const ColumnSource<Rows, Rows> pairs{{left_, count_, 1}, {right_, count_, 1}};
    pass(all, passes_[0], pairs, RecordSink<Record>{records[0]});
    for (std::size_t p = 1; p < last; ++p) {
      pass(all, passes_[p], RecordSource<Record>{records[(p - 1) % 2]},
           RecordSink<Record>{records[p % 2]});
    }
    if (last == 0) {
      backends::for_each_index("hashmill::join::unpack_pairs", exec_, count_,
                               UnpackPairs<Row>{records[0], columns});
    } else {
      pass(all, passes_[last], RecordSource<Record>{records[(last - 1) % 2]}, columns);
    }
  }

 private:
  template <class Source, class Sink>
  void pass(const Ranges<std::uint64_t>& all, const Digit<RowOfPair>& digit, const Source& source,
            const Sink& sink) const {
    partition_level<team, team>(
        exec_, all, count_, digit, source, sink, Ranges<std::uint64_t>::one_group,
        static_cast<std::uint64_t*>(nullptr), PartSums<std::uint64_t>{}, workspace_);
  }

  const Exec& exec_;
  Row* left_;
  Row* right_;
  std::uint64_t count_;
  Workspace<MemorySpace>& workspace_;
  std::vector<Digit<RowOfPair>> passes_;
};

}  // namespace hashmill::detail
