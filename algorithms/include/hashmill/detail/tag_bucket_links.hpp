#pragma once

#include <hashmill/backends/workspace.hpp>
#include <hashmill/detail/tag_bucket_writer.hpp>

namespace hashmill::detail {

// Links: for each row the position of the next with its key; a row that is its own next is the last
// (or only) one, and `no_row` means that the row is not in the table.

/// Positions of rows: those listed, or `count` from `first`.
template <class Row>
struct RowList {
  const Row* rows;
  std::uint64_t first;
  std::uint64_t count;

  KOKKOS_FORCEINLINE_FUNCTION Row operator()(std::uint64_t j) const {
    return rows == nullptr ? static_cast<Row>(first + j) : rows[j];
  }
  /// The rows from the n-th on.
  [[nodiscard]] RowList without_first(std::uint64_t n) const {
    return {rows == nullptr ? nullptr : rows + n, first + n, count - n};
  }
  [[nodiscard]] RowList first_few(std::uint64_t n) const { return {rows, first, n}; }
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
  Kokkos::parallel_for("hashmill::tag_bucket::mark_present", backends::range(exec, rows.count),
                       MarkPresent<Row>{rows, next_rows});
}

/// Marks rows as not in the table.
template <class Exec, class Row>
void mark_absent(const Exec& exec, const RowList<Row>& rows, Row* next_rows) {
  Kokkos::parallel_for("hashmill::tag_bucket::mark_absent", backends::range(exec, rows.count),
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

/// Appends rows to a list, in any order.
template <class Row>
struct RowAppender {
  Row* rows;
  std::uint64_t* count;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Row row) const {
    rows[Kokkos::atomic_fetch_add(count, std::uint64_t{1})] = row;
  }
};

/// A list of at most `most` rows that `fill(appender)` launches kernels to write, cut to its
/// length; waits for `exec`.
template <class Row, class Exec, class Fill, class MemorySpace>
Kokkos::View<Row*, MemorySpace> list_rows(const Exec& exec, std::uint64_t most, const Fill& fill,
                                          Workspace<MemorySpace>& workspace) {
  using List = Kokkos::View<Row*, MemorySpace>;
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const auto counter = workspace.template take<std::uint64_t>(exec, 1);
  const auto list = backends::allocate<List>(exec, "hashmill::tag_bucket::rows", most);
  Kokkos::deep_copy(exec, counter, std::uint64_t{0});
  fill(RowAppender<Row>{list.data(), counter.data()});
  std::uint64_t count = 0;
  Kokkos::deep_copy(exec, count, Kokkos::subview(counter, 0));
  exec.fence("hashmill::tag_bucket: the length of a list decides what is launched next");
  return Kokkos::subview(list, std::make_pair(std::uint64_t{0}, count));
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

/// Links the row of item j behind the first row with its key, or lists it where there is none.
/// `row_of(j)` is `no_row` for items to pass over. Slots are only read, so that any number of
/// threads may work on one key: this is what rows of frequent keys go through.
template <class Writer, class RowOf, class Row>
struct LinkOrList {
  Writer writer;
  RowOf row_of;
  RowAppender<Row> append;

  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    const Row i = row_of(static_cast<std::uint64_t>(j));
    if (i == no_row<Row>) return;
    const auto& key = writer.ref.keys()(i);
    const auto place = writer.ref.locate(key, writer.ref.hasher()(key));
    if (place.found()) {
      writer.link_atomically(writer.buckets[place.bucket], place.slot,
                             place.row - writer.ref.row_base(), i);
    } else {
      append(i);
    }
  }
};

/// Runs LinkOrList over `items` items, of which at most `most` are listed; waits for `exec`.
template <class Exec, class Writer, class RowOf, class MemorySpace>
auto link_or_list(const Exec& exec, const Writer& writer, const RowOf& row_of, std::uint64_t items,
                  std::uint64_t most, Workspace<MemorySpace>& workspace) {
  using Row = decltype(Writer::Record::second);
  const auto fill = [&](const RowAppender<Row>& append) {
    Kokkos::parallel_for("hashmill::tag_bucket::link", backends::range(exec, items),
                         LinkOrList<Writer, RowOf, Row>{writer, row_of, append});
  };
  return list_rows<Row>(exec, most, fill, workspace);
}

}  // namespace hashmill::detail
