#pragma once

#include <hashmill/backends/workspace.hpp>
#include <hashmill/primitives/detail/gather_value.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/primitives/detail/mark_valid.hpp>
#include <hashmill/primitives/detail/owner_of.hpp>
#include <hashmill/primitives/detail/place_strings.hpp>
#include <hashmill/row.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// Rows that are picked from one column; all of them, if there is no list.
template <class Column, class Row>
struct PickedPart {
  Column column;
  const Row* rows;
};

/// Rows that are picked from several columns, part after part, as one column. A row is null where
/// its number is `no_row` or the column is null there.
template <class Column, class Row>
struct PickedRows {
  using value_type = std::decay_t<decltype(std::declval<const Column&>()(0))>;
  const PickedPart<Column, Row>* parts;
  const std::uint64_t* begins;  // the first row of each part
  std::uint64_t num_parts;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    const std::uint64_t p = part_of(i);
    const Row row = row_of(p, i);
    if (row == no_row<Row>) return true;
    if constexpr (requires { parts->column.is_null(row); }) return parts[p].column.is_null(row);
    return false;
  }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator()(std::uint64_t i) const {
    const std::uint64_t p = part_of(i);
    return parts[p].column(row_of(p, i));
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t part_of(std::uint64_t i) const {
    return num_parts == 1 ? 0 : owner_of(begins, i, 0, num_parts);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row row_of(std::uint64_t part, std::uint64_t i) const {
    const Row* const rows = parts[part].rows;
    return rows != nullptr ? rows[i - begins[part]] : static_cast<Row>(i - begins[part]);
  }
};

/// Writes the value of a picked row, zero where it is null.
template <class Picked, class Out>
struct WritePickedRow {
  Picked picked;
  Out out;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    out(i) = picked.is_null(i) ? typename Picked::value_type{} : picked(i);
  }
};
/// Writes those of a part, on a host.
template <class Column, class Row, class Out>
struct WritePickedPart {
  PickedRows<Column, Row> picked;
  Out out;
  void operator()(std::int64_t p) const {
    const std::uint64_t begin = picked.begins[p], end = picked.begins[p + 1];
    const PickedRows<Column, Row> part{picked.parts + p, &begin, 1};
    for (std::uint64_t i = begin; i < end; ++i) {
      WritePickedRow<PickedRows<Column, Row>, Out>{part, out}(static_cast<std::int64_t>(i));
    }
  }
};

/// Writes the values of picked rows, zeros where they are null: a loop for each part, which
/// compilers make gathers of. Many small parts are written by one kernel.
template <class Exec, class Column, class Row, class Out>
void write_picked(const Exec& exec, const std::vector<PickedPart<Column, Row>>& parts,
                  const std::vector<std::uint64_t>& begins, const PickedRows<Column, Row>& picked,
                  const Out& out) {
  constexpr std::uint64_t small_part = 1 << 14;
  const char* const label = "hashmill::pick::write_values";
  if (parts.size() > 1 && begins.back() < parts.size() * small_part) {
    if constexpr (backends::has_wide_teams<Exec>) {
      using Write = WritePickedRow<PickedRows<Column, Row>, Out>;
      return backends::for_each_index(label, exec, begins.back(), Write{picked, out});
    } else {
      using Write = WritePickedPart<Column, Row, Out>;
      return backends::for_each_index(label, exec, parts.size(), Write{picked, out});
    }
  }
  using Rows = Kokkos::View<const Row*, typename Exec::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::uint64_t count = begins[p + 1] - begins[p];
    const auto to = Kokkos::subview(out, std::pair(begins[p], begins[p + 1]));
    const auto write = [&](const auto& rows) {
      backends::for_each_index(
          label, exec, count,
          GatherValue<Column, std::decay_t<decltype(rows)>, std::decay_t<decltype(to)>>{
              parts[p].column, rows, to, {}});
    };
    parts[p].rows != nullptr ? write(Rows(parts[p].rows, count)) : write(EveryRowNumber());
  }
}

/// Copies picked rows, `begins.back()` of them, into a column of their own: an OwnedColumn, or
/// OwnedStrings. Without nulls it has no bitmap unless `may_be_null`. Waits for `exec`. Reads each
/// row number once, for strings three times, and each value at random.
template <class Exec, class Column, class Row>
[[nodiscard]] auto pick_column(const Exec& exec, const std::vector<PickedPart<Column, Row>>& parts,
                               const std::vector<std::uint64_t>& begins, bool may_be_null,
                               Workspace<typename Exec::memory_space>& workspace) {
  using Memory = typename Exec::memory_space;
  using Picked = PickedRows<Column, Row>;
  const typename Workspace<Memory>::Frame frame(workspace);
  const auto there = [&](const auto& values) {
    using Value = typename std::decay_t<decltype(values)>::value_type;
    const auto copy = workspace.template take<Value>(exec, values.size());
    Kokkos::deep_copy(exec, copy,
                      Kokkos::View<const Value*, Kokkos::HostSpace>(values.data(), values.size()));
    return copy.data();
  };
  const Picked picked{there(parts), there(begins), parts.size()};
  const std::uint64_t rows = begins.back();
  const auto mark = [&](auto& bits) {
    if (!may_be_null) return;
    bits = backends::allocate<std::decay_t<decltype(bits)>>(exec, "hashmill::pick::valid_bits",
                                                            (rows + 7) / 8);
    mark_valid("hashmill::pick::mark_valid", exec, picked, rows, bits.data());
  };
  if constexpr (std::is_same_v<typename Picked::value_type, StringView>) {
    OwnedStrings<Memory> strings = allocate_strings<Memory>(exec, rows);
    const std::uint64_t total = place_strings(exec, picked, strings.offsets, workspace);
    strings.bytes = allocate_bytes<Memory>(exec, total);
    copy_strings<backends::has_wide_teams<Exec>>(exec, picked, strings.offsets.data(), rows, total,
                                                 strings.bytes.data());
    strings.valid_bits = {};
    mark(strings.valid_bits);
    exec.fence("hashmill: picked strings are handed to the caller");
    return strings;
  } else {
    OwnedColumn<typename Picked::value_type, Memory> column;
    column.values =
        backends::allocate<decltype(column.values)>(exec, "hashmill::pick::values", rows);
    write_picked(exec, parts, begins, picked, column.values);
    mark(column.valid_bits);
    exec.fence("hashmill: picked values are handed to the caller");
    return column;
  }
}

}  // namespace hashmill::detail
