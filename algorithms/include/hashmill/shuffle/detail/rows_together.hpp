#pragma once

#include <hashmill/partition/detail/histogram.hpp>
#include <hashmill/partition/detail/known_parts.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/shuffle/detail/column_kind.hpp>
#include <hashmill/shuffle/detail/host_words.hpp>
#include <vector>

namespace hashmill::detail {

// Rows of several columns that a device brings into the order of their parts in one pass: each is
// read and written once, all its values together. Rows of a part come in any order. Nothing is
// stored for a row meanwhile, since its part is found twice.

/// The values of a row side by side.
template <class First, class... Rest>
struct RowOfValues {
  using type = TravellingPair<First, typename RowOfValues<Rest...>::type>;
};
template <class Value>
struct RowOfValues<Value> {
  using type = Value;
};

/// Reads rows of columns.
template <class First, class... Rest>
struct ColumnsSource {
  using record_type = typename RowOfValues<KeyOf<First>, KeyOf<Rest>...>::type;
  First first;
  ColumnsSource<Rest...> rest;

  ColumnsSource(const First& column, const Rest&... others) : first(column), rest(others...) {}
  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t i) const {
    return {first(i), rest(i)};
  }
};
template <class Column>
struct ColumnsSource<Column> {
  using record_type = KeyOf<Column>;
  Column column;

  explicit ColumnsSource(const Column& its_column) : column(its_column) {}
  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t i) const { return column(i); }
};

/// Writes rows as columns.
template <class First, class... Rest>
struct ColumnsSink {
  First* first;
  ColumnsSink<Rest...> rest;

  explicit ColumnsSink(First* column, Rest*... others) : first(column), rest(others...) {}
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Record& record) const {
    first[i] = first_of(record);
    rest(i, second_of(record));
  }
};
template <class Value>
struct ColumnsSink<Value> {
  Value* column;

  explicit ColumnsSink(Value* its_column) : column(its_column) {}
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Value& value) const {
    column[i] = value;
  }
};
/// Writes to the first `size` places.
template <class Sink>
struct FirstPlaces {
  std::uint64_t size;
  Sink sink;
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Record& record) const {
    if (i < size) sink(i, record);
  }
};

/// The numbers of rows.
struct RowNumbers {
  using record_type = std::uint64_t;
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i; }
};
/// The part of a row, by its number, whether that is the record or the position of one.
template <class PartOf>
struct PartOfNumber {
  PartOf part_of;
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t row) const {
    return part_of(row);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t at(std::uint64_t row) const { return part_of(row); }
};

/// Whether rows of such columns can be brought into order together: on a device, values of at most
/// 32 bytes in all, none of which can be null.
template <class Exec, class... Columns>
inline constexpr bool go_together = backends::has_wide_teams<Exec> &&
                                    ((column_kind<Columns> == ColumnKind::values) && ...) &&
                                    (sizeof(KeyOf<Columns>) + ...) <= 32;

/// log2 of the most parts of rows that go together.
template <class Exec, class... Columns>
[[nodiscard]] unsigned most_bits_together(const Exec& exec) {
  using Record = typename RowOfValues<KeyOf<Columns>...>::type;
  return max_level_bits<Exec, Record, true>(exec);
}

/// Where the rows of each of `parts` parts begin, and the end. Waits for `exec`. Reads what
/// `part_of(i)` reads of each row i.
template <class Exec, class PartOf, class MemorySpace>
[[nodiscard]] std::vector<std::uint64_t> count_rows_of_parts(const Exec& exec, std::uint64_t rows,
                                                             std::uint64_t parts,
                                                             const PartOf& part_of,
                                                             Workspace<MemorySpace>& workspace) {
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const auto bits = static_cast<unsigned>(std::bit_width(parts - 1));
  const auto counts = workspace.template take<std::uint64_t>(exec, std::uint64_t{1} << bits);
  Kokkos::deep_copy(exec, counts, std::uint64_t{0});
  count_all_parts("hashmill::shuffle::count_parts", exec, RowNumbers{}, rows,
                  PartOfNumber<PartOf>{part_of}, bits, counts.data());
  std::vector<std::uint64_t> begins(parts + 1, 0);
  const std::vector<std::uint64_t> sizes = host_words(exec, counts);
  for (std::uint64_t p = 0; p < parts; ++p) begins[p + 1] = begins[p] + sizes[p];
  return begins;
}

}  // namespace hashmill::detail
