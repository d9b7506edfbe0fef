#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/murmur.hpp>
#include <hashmill/primitives/detail/row_list.hpp>
#include <hashmill/primitives/insert_result.hpp>
#include <hashmill/tag_bucket/detail/writer.hpp>

namespace hashmill::detail {

// Links: for each row the position of the next with its key; a row that is its own next is the last
// (or only) one, and `no_row` means that the row is not in the table.

/// `count` rows of a list, one at random out of each stretch of it: a key with many rows is among
/// them, whatever order the rows are in.
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

/// The rows of a list that a sample of it leaves out, and `no_row` for the others.
template <class Row>
struct OutsideSample {
  RowSample<Row> sample;
  KOKKOS_FORCEINLINE_FUNCTION Row operator()(std::uint64_t k) const {
    const std::uint64_t j = k / sample.stretch;
    return j < sample.count && sample.place(j) == k ? no_row<Row> : sample.rows(k);
  }
};

template <class Row>
struct MarkPresent {
  RowList<Row> rows;
  Row* next_rows;
  KOKKOS_FUNCTION void operator()(const std::int64_t j) const {
    const Row i = rows(static_cast<std::uint64_t>(j));
    next_rows[i] = i;
  }
};
template <class Row>
struct MarkAbsent {
  RowList<Row> rows;
  Row* next_rows;
  KOKKOS_FUNCTION void operator()(const std::int64_t j) const {
    next_rows[rows(static_cast<std::uint64_t>(j))] = no_row<Row>;
  }
};
/// Tells that no row stands for the keys of rows.
template <class Row>
struct RepresentByNone {
  RowList<Row> rows;
  Representatives<Row> there;
  KOKKOS_FUNCTION void operator()(const std::int64_t j) const {
    there.set(rows(static_cast<std::uint64_t>(j)), no_row<Row>);
  }
};
template <class Row>
struct CountPresent {
  const Row* next_rows;
  KOKKOS_FUNCTION void operator()(const std::int64_t j, std::uint64_t& sum) const {
    sum += next_rows[j] == no_row<Row> ? 0 : 1;
  }
};

/// Marks rows as in the table, without further rows behind them.
template <class Exec, class Row>
void mark_present(const Exec& exec, const RowList<Row>& rows, Row* next_rows) {
  backends::for_each_index("hashmill::tag_bucket::mark_present", exec, rows.count,
                           MarkPresent<Row>{rows, next_rows});
}

/// Marks rows as not in the table.
template <class Exec, class Row>
void mark_absent(const Exec& exec, const RowList<Row>& rows, Row* next_rows) {
  backends::for_each_index("hashmill::tag_bucket::mark_absent", exec, rows.count,
                           MarkAbsent<Row>{rows, next_rows});
}

/// How many of `count` rows from `first` are in the table; waits for `exec`.
template <class Exec, class Row>
std::uint64_t count_present(const Exec& exec, std::uint64_t first, std::uint64_t count,
                            const Row* next_rows) {
  std::uint64_t present = 0;
  Kokkos::parallel_reduce("hashmill::tag_bucket::count_present", backends::range(exec, count),
                          CountPresent<Row>{next_rows + first}, present);
  return present;
}

/// Lists those of `count` rows from `first` that are not in the table.
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

/// Lists those of the rows from `first` that `predicate(j)` wants and that are not in the table;
/// tells what becomes of each if all of those go in, and counts those that are there.
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

/// Corrects what ListWanted told of rows that there was no room for.
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

/// Does for the row of item j, whose key is in the table, what `Same` says, or lists the row where
/// the key is not. `row_of(j)` is `no_row` for items to pass over. Slots are only read, so that any
/// number of threads may work on one key: this is what rows of frequent keys go through.
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

/// Runs JoinOrList over `items` items; asynchronous.
template <OnSameKey Same, class Exec, class Writer, class RowOf, class Row>
void join_or_list(const Exec& exec, const Writer& writer, const RowOf& row_of, std::uint64_t items,
                  const RowAppender<Row>& append) {
  backends::for_each_index("hashmill::tag_bucket::join", exec, items,
                           JoinOrList<Same, Writer, RowOf, Row>{writer, row_of, append});
}

}  // namespace hashmill::detail
