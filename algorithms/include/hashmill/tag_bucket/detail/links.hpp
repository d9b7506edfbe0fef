#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/murmur.hpp>
#include <hashmill/primitives/detail/row_list.hpp>
#include <hashmill/primitives/insert_result.hpp>
#include <hashmill/tag_bucket/detail/writer.hpp>

namespace hashmill::detail {

// Links: for each row, the position of the next row with its key.
//
//     next_rows[i] == i        row i is the last (or only) one with its key
//     next_rows[i] == no_row   row i is not in the table

/// A sample of `count` rows of a list: one at random out of each stretch of it. A key with many
/// rows is among them, whatever order the rows have.
template <class Row>
struct RowSample {
  RowList<Row> rows;
  std::uint64_t count;
  std::uint64_t stretch;

  RowSample(const RowList<Row>& all, std::uint64_t how_many)
      : rows(all), count(how_many), stretch(all.count / how_many) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t place(std::uint64_t j) const {
    return j * stretch + murmur3_fmix64(j + 1) % stretch;
  }
  KOKKOS_FORCEINLINE_FUNCTION Row operator()(std::uint64_t j) const { return rows(place(j)); }
};

/// Row k of a list if a sample of it leaves the row out, else `no_row`.
template <class Row>
struct OutsideSample {
  RowSample<Row> sample;
  KOKKOS_FORCEINLINE_FUNCTION Row operator()(std::uint64_t k) const {
    const std::uint64_t j = k / sample.stretch;
    return j < sample.count && sample.place(j) == k ? no_row<Row> : sample.rows(k);
  }
};

/// Marks a row as the only one with its key.
template <class Row>
struct MarkPresent {
  RowList<Row> rows;
  Row* next_rows;
  KOKKOS_FUNCTION void operator()(const std::int64_t j) const {
    const Row i = rows(static_cast<std::uint64_t>(j));
    next_rows[i] = i;
  }
};
/// Neighbouring links, which a thread writes in one access.
template <class Row>
struct alignas(16) LinkPiece {
  static constexpr std::uint64_t size = 16 / sizeof(Row);
  Row rows[size];
};
/// Marks the rows of a range as the only ones with their keys. A thread writes four pieces of 16
/// bytes, and neighbouring threads neighbouring pieces. With a link per thread, 2^27 links of 4
/// bytes take 0.65 ms on an H200, whose memory copies as many bytes in 0.13 ms. `next_rows` begins
/// at a multiple of 16 bytes.
template <class Row>
struct MarkRangePresent {
  using Piece = LinkPiece<Row>;
  static constexpr std::uint64_t threads = 256, each = 4;
  Row* next_rows;
  std::uint64_t first;
  std::uint64_t end;

  /// The number of threads that it takes.
  [[nodiscard]] std::uint64_t items() const {
    const std::uint64_t pieces = (end + Piece::size - 1) / Piece::size - first / Piece::size;
    return (pieces + threads * each - 1) / (threads * each) * threads;
  }
  KOKKOS_FUNCTION void operator()(const std::int64_t index) const {
    const auto j = static_cast<std::uint64_t>(index);
    const std::uint64_t piece = first / Piece::size + j / threads * threads * each + j % threads;
    backends::unrolled<each>([&](unsigned k) { mark((piece + k * threads) * Piece::size); });
  }

 private:
  /// Marks those of the rows of a piece that are in the range.
  KOKKOS_FORCEINLINE_FUNCTION void mark(std::uint64_t begin) const {
    if (begin >= first && begin + Piece::size <= end) {
      Piece piece;
      backends::unrolled<Piece::size>(
          [&](unsigned r) { piece.rows[r] = static_cast<Row>(begin + r); });
      *reinterpret_cast<Piece*>(next_rows + begin) = piece;
      return;
    }
    for (std::uint64_t i = begin; i < begin + Piece::size; ++i) {
      if (i >= first && i < end) next_rows[i] = static_cast<Row>(i);
    }
  }
};
/// Marks a row as not in the table.
template <class Row>
struct MarkAbsent {
  RowList<Row> rows;
  Row* next_rows;
  KOKKOS_FUNCTION void operator()(const std::int64_t j) const {
    next_rows[rows(static_cast<std::uint64_t>(j))] = no_row<Row>;
  }
};
/// Reports that no row stands for the keys of rows.
template <class Row>
struct RepresentByNone {
  RowList<Row> rows;
  Representatives<Row> there;
  KOKKOS_FUNCTION void operator()(const std::int64_t j) const {
    there.set(rows(static_cast<std::uint64_t>(j)), no_row<Row>);
  }
};
/// Counts the rows that are in the table.
template <class Row>
struct CountPresent {
  const Row* next_rows;
  KOKKOS_FUNCTION void operator()(const std::int64_t j, std::uint64_t& sum) const {
    sum += next_rows[j] == no_row<Row> ? 0 : 1;
  }
};

/// Marks each row as the only one with its key. Asynchronous.
template <class Exec, class Row>
void mark_present(const Exec& exec, const RowList<Row>& rows, Row* next_rows) {
  if constexpr (backends::has_wide_teams<Exec>) {
    constexpr std::size_t alignment = sizeof(LinkPiece<Row>);
    if (rows.is_range() && reinterpret_cast<std::uintptr_t>(next_rows) % alignment == 0) {
      const std::uint64_t first = rows.first + rows.begin;
      const MarkRangePresent<Row> kernel{next_rows, first, first + rows.count};
      return backends::for_each_index("hashmill::tag_bucket::mark_present", exec, kernel.items(),
                                      kernel);
    }
  }
  backends::for_each_index("hashmill::tag_bucket::mark_present", exec, rows.count,
                           MarkPresent<Row>{rows, next_rows});
}

/// Marks rows as not in the table. Asynchronous.
template <class Exec, class Row>
void mark_absent(const Exec& exec, const RowList<Row>& rows, Row* next_rows) {
  backends::for_each_index("hashmill::tag_bucket::mark_absent", exec, rows.count,
                           MarkAbsent<Row>{rows, next_rows});
}

/// How many of the `count` rows from `first` on are in the table. Waits for `exec`.
template <class Exec, class Row>
std::uint64_t count_present(const Exec& exec, std::uint64_t first, std::uint64_t count,
                            const Row* next_rows) {
  std::uint64_t present = 0;
  Kokkos::parallel_reduce("hashmill::tag_bucket::count_present", backends::range(exec, count),
                          CountPresent<Row>{next_rows + first}, present);
  return present;
}

/// Lists those of the rows from `first` on that are not in the table.
template <class Row>
struct ListAbsent {
  const Row* next_rows;
  std::uint64_t first;
  RowAppender<Row> append;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    const std::uint64_t i = first + static_cast<std::uint64_t>(j);
    if (next_rows[i] == no_row<Row>) append(static_cast<Row>(i));
  }
};

/// Lists those of the rows from `first` on for which `predicate(j)` holds and that are not in the
/// table. Reports the outcome of each row, as if all listed rows fit. Counts the rows that are in
/// the table.
template <class Row, class Predicate, class Outcomes>
struct ListWanted {
  const Row* next_rows;
  std::uint64_t first;
  Predicate predicate;
  Outcomes outcomes;
  RowAppender<Row> append;

  KOKKOS_FUNCTION void operator()(std::int64_t index, std::uint64_t& existing) const {
    const auto j = static_cast<std::uint64_t>(index);
    if (!predicate(j)) {
      outcomes(j) = InsertOutcome::skipped;
    } else if (next_rows[first + j] != no_row<Row>) {
      outcomes(j) = InsertOutcome::existing;
      ++existing;
    } else {
      outcomes(j) = InsertOutcome::inserted;
      append(static_cast<Row>(first + j));
    }
  }
};

/// Corrects what ListWanted reported of rows that did not fit.
template <class Row, class Outcomes>
struct TellFailed {
  const Row* next_rows;
  std::uint64_t first;
  Outcomes outcomes;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto j = static_cast<std::uint64_t>(index);
    if (next_rows[first + j] == no_row<Row> && outcomes(j) == InsertOutcome::inserted) {
      outcomes(j) = InsertOutcome::full;
    }
  }
};

/// Applies `Same` to the row of item j if its key is in the table, else lists the row. Passes over
/// items for which `row_of(j)` is `no_row`. Slots are only read, so any number of threads may work
/// on one key. The rows of frequent keys take this way.
template <OnSameKey Same, class Writer, class RowOf, class Row>
struct JoinOrList {
  Writer writer;
  RowOf row_of;
  RowAppender<Row> append;

  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    const Row i = row_of(static_cast<std::uint64_t>(j));
    if (i == no_row<Row>) return;
    const auto place = writer.ref.locate(writer.ref.keys()(i));
    if (place.found()) {
      writer.template join_atomically<Same>(writer.buckets[place.bucket], place.slot,
                                            place.row - writer.ref.row_base(), i);
    } else {
      append(i);
    }
  }
};

/// Runs JoinOrList over `items` items. Asynchronous.
template <OnSameKey Same, class Exec, class Writer, class RowOf, class Row>
void join_or_list(const Exec& exec, const Writer& writer, const RowOf& row_of, std::uint64_t items,
                  const RowAppender<Row>& append) {
  backends::for_each_index("hashmill::tag_bucket::join", exec, items,
                           JoinOrList<Same, Writer, RowOf, Row>{writer, row_of, append});
}

}  // namespace hashmill::detail
