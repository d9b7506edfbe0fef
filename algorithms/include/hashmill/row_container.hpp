#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/constant_column.hpp>
#include <hashmill/detail/handed_over.hpp>
#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/primitives/detail/enter.hpp>
#include <hashmill/row_container/detail/extract_columns.hpp>
#include <hashmill/row_container/detail/fields.hpp>
#include <hashmill/row_container/detail/storage.hpp>
#include <hashmill/row_container/stored_columns.hpp>

namespace hashmill {

/// Rows of keys and of the values that belong to them, each row in one piece of memory (see the
/// picture in `RowLayout`). A table finds a row by its key and has the rest of the row in the same
/// cache lines. Columns would cost one random access each. Velox keeps the build side of joins and
/// the groups of aggregations in this way. There, as here, the table is a TagBucket, whose keys are
/// `keys<...>()`:
///
///     hashmill::RowContainer<Memory, std::uint64_t, double> rows;       // a key, a payload
///     rows.append(exec, ids, prices);
///     const auto keys = rows.keys<0>();
///     hashmill::TagBucket<decltype(keys)::key_type, Memory, std::uint32_t, hashmill::RowHash,
///                         hashmill::RowEqual, std::decay_t<decltype(keys)>> table(exec, keys);
///     table.find(exec, hashmill::columns(queries), found);              // row numbers
///     rows.extract<1>(exec, found, prices_found);                       // payloads
///
/// Columns become rows (`append`) and rows become columns (`extract`) in bulk, both at the speed of
/// memory. GPUs go through team scratch, so that columns and rows are read and written in whole
/// sectors. Hosts work in pieces that fit a cache, and write past the caches where there is much.
///
/// Rows are numbered from 0 in the order of `append`, with 64 bits, and keep their numbers. Growth
/// moves the rows and so invalidates addresses, refs and key sources. Take those again afterwards,
/// and pass key sources to tables with `set_keys`. A string takes 16 bytes in its row for place and
/// size. The bytes of all strings lie one after the other in a second array. Only `clear` and
/// `truncate` remove rows.
///
/// - `Values`: the types of columns, 1 to 32: numbers and enumerations, StringView for strings, and
///   trivially copyable structures. Any value may be null.
///
/// Source: velox/exec/RowContainer.h and velox/docs/develop/hash-table.rst. Differences: rows are
/// numbered, not pointed to; strings are never stored within a row; keys are chosen by `keys`; rows
/// with the same key are linked by the table, not by the row.
///
/// Concurrency: const members may overlap each other on any instances, once all changes to the
/// container have finished. Non-const members, and moving, must not overlap anything. If two host
/// threads change a container at the same time, one of them gets InvalidArgument.
///
/// A moved-from container is empty and takes rows as a new one does.
template <class MemorySpace, class... Values>
class RowContainer {
 public:
  using memory_space = MemorySpace;
  using layout_type = RowLayout<Values...>;
  using ref_type = RowContainerRef<MemorySpace, Values...>;
  /// The type of column C.
  template <unsigned C>
  using value_type = typename layout_type::template Value<C>;
  /// The name of the container in labels of regions and fences.
  static constexpr const char* label = "hashmill::RowContainer";
  /// Number of columns.
  static constexpr unsigned num_columns = sizeof...(Values);

  RowContainer() = default;
  RowContainer(RowContainer&&) noexcept = default;
  RowContainer& operator=(RowContainer&&) noexcept = default;

  /// Appends rows on `exec`, which it fences, and returns the number of the first. There is one
  /// column for each of `Values`, of that type: a view, a column of any kind, or a
  /// `constant_column`. It must not be a column of this container.
  ///
  /// Reads each value once and writes each byte of the rows once: with columns of 8, 8, 4 and 4
  /// bytes it reads 24 and writes 32 bytes per row. Strings are read twice, once for their sizes.
  ///
  /// When rows, or bytes of strings, need more memory, that memory at least doubles and the old
  /// contents are copied. Temporary memory: 8 bytes per string. Throws InvalidArgument where
  /// columns differ in length, and CapacityError when memory does not suffice. Then no row is
  /// appended.
  template <backends::ExecutionSpace Exec, class... Sources>
  std::uint64_t append(const Exec& exec, const Sources&... sources) {
    Workspace<MemorySpace> workspace;
    return append_sources(exec, workspace, true, sources...);
  }
  /// `append` with temporary memory of the caller. Waits only where memory grows, and for the sizes
  /// of strings. The columns must outlive the work.
  template <backends::ExecutionSpace Exec, class... Sources>
  std::uint64_t append_async(const Exec& exec, Workspace<MemorySpace>& workspace,
                             const Sources&... sources) {
    return append_sources(exec, workspace, false, sources...);
  }

  /// Columns Cs of some rows, to views or `nullable(view, bits)` in the order of Cs, on `exec`,
  /// which it fences: `rows.extract<0, 2>(exec, found, keys, nullable(prices, bits))`. `which` is
  /// one of:
  ///
  /// - a view of row numbers below `size()`, in any order, with repetitions; `no_row` yields null,
  /// - a RowRange, such as `all_rows()`.
  ///
  /// Values of nulls are zeros or empty strings. Strings are StringViews of bytes in this
  /// container. Reads the memory of each row once for all columns; rows of a list are read at
  /// random. Throws InvalidArgument where an output does not have one element per row, bits are too
  /// few, or the range exceeds the container.
  template <unsigned... Cs, backends::ExecutionSpace Exec, class Which, class... Outs>
  void extract(const Exec& exec, const Which& which, const Outs&... outs) const {
    extract_async<Cs...>(exec, which, outs...);
    exec.fence("hashmill::RowContainer::extract: results are handed to the caller");
  }
  /// `extract` without the fence.
  template <unsigned... Cs, backends::ExecutionSpace Exec, class Which, class... Outs>
  void extract_async(const Exec& exec, const Which& which, const Outs&... outs) const {
    static_assert(sizeof...(Cs) >= 1 && sizeof...(Cs) == sizeof...(Outs),
                  "hashmill::RowContainer::extract: as many outputs as columns");
    static_assert((detail::is_accessible<Exec, Outs>() && ...),
                  "hashmill::RowContainer::extract: the execution space cannot access the memory "
                  "space of an output");
    const auto region = detail::enter(exec, *this, "extract");
    const std::uint64_t count = check_which<Exec>(which);
    (detail::check_extracted(outs, count), ...);
    const bool any_bits = (detail::has_bits(outs) || ...);
    detail::read_rows<backends::has_wide_teams<Exec>>(
        exec, ref(), detail::numbers_of(which), count,
        detail::list_values(detail::column_out<Cs, ref_type>(outs)...), any_bits);
  }

  /// The strings of column C in some rows, with copies of their bytes, on `exec`, which it fences.
  /// Reads rows twice and bytes once. Throws as `extract`, and CapacityError when memory does not
  /// suffice.
  template <unsigned C, backends::ExecutionSpace Exec, class Which>
  [[nodiscard]] OwnedStrings<MemorySpace> extract_strings(const Exec& exec,
                                                          const Which& which) const {
    static_assert(layout_type::template is_string<C>,
                  "hashmill::RowContainer::extract_strings: a column of strings");
    const auto region = detail::enter(exec, *this, "extract_strings");
    const std::uint64_t count = check_which<Exec>(which);
    Workspace<MemorySpace> workspace;
    auto result = detail::allocate_strings<MemorySpace>(exec, count);
    const auto strings = detail::strings_of_rows<C>(ref(), detail::numbers_of(which));
    const std::uint64_t total = detail::place_strings(exec, strings, result.offsets, workspace);
    result.bytes = detail::allocate_bytes<MemorySpace>(exec, total);
    constexpr bool wide = backends::has_wide_teams<Exec>;
    detail::copy_strings<wide>(exec, strings, result.offsets.data(), count, total,
                               result.bytes.data());
    detail::mark_valid("hashmill::row_container::mark_valid", exec, strings, count,
                       result.valid_bits.data());
    exec.fence("hashmill::RowContainer::extract_strings: results are handed to the caller");
    return result;
  }

  /// The rows as kernels see them.
  [[nodiscard]] ref_type ref() const {
    return {reinterpret_cast<std::byte*>(held_.rows.data()), held_.strings.data(), held_.size};
  }
  /// A column to join, group, aggregate or gather by. Valid as long as `ref()`.
  template <unsigned C>
  [[nodiscard]] StoredColumn<ref_type, C> column() const {
    return StoredColumn<ref_type, C>(ref());
  }
  /// Columns Cs as the keys of a table: a key source. Valid as long as `ref()`.
  template <unsigned... Cs>
  [[nodiscard]] StoredKeys<ref_type, Cs...> keys() const {
    return StoredKeys<ref_type, Cs...>(ref());
  }
  /// The numbers of all rows.
  [[nodiscard]] RowRange all_rows() const noexcept { return {0, held_.size}; }

  /// Reserves memory for `rows` rows in total and for `string_bytes` bytes of strings. Fences
  /// `exec` where it copies. Throws CapacityError; the container is then unchanged.
  template <backends::ExecutionSpace Exec>
  void reserve(const Exec& exec, std::uint64_t rows, std::uint64_t string_bytes = 0) {
    const auto scope = detail::enter(exec, *this, "reserve", use_);
    held_.make_room(exec, held_.size, rows, held_.string_bytes, string_bytes);
  }
  /// Removes all rows and keeps the memory. Does not wait.
  void clear() {
    const detail::ExclusiveUse::Scope scope(use_, label, "clear");
    held_.size = held_.string_bytes = 0;
  }

  /// Removes the rows from number `rows` on, if there are any, and keeps the memory. The bytes of
  /// their strings stay in use until `clear`. Does not wait.
  void truncate(std::uint64_t rows) {
    const detail::ExclusiveUse::Scope scope(use_, label, "truncate");
    held_.size = std::min(held_.size, rows);
  }

  /// Number of rows.
  [[nodiscard]] std::uint64_t size() const noexcept { return held_.size; }
  /// The number of rows for which there is memory.
  [[nodiscard]] std::uint64_t capacity() const { return held_.rows.size(); }
  /// Bytes of strings, including up to 15 unused bytes between batches.
  [[nodiscard]] std::uint64_t string_bytes() const noexcept { return held_.string_bytes; }
  /// Bytes of memory held.
  [[nodiscard]] std::uint64_t bytes() const {
    return held_.rows.size() * layout_type::row_bytes + held_.strings.size();
  }

 private:
  template <class Exec, class Which>
  [[nodiscard]] std::uint64_t check_which(const Which& which) const {
    static_assert(detail::is_accessible<Exec, Which>(),
                  "hashmill::RowContainer: the execution space cannot access the row numbers");
    return detail::count_rows(which, held_.size);
  }

  template <class Exec, class... Sources>
  std::uint64_t append_sources(const Exec& exec, Workspace<MemorySpace>& workspace, bool wait,
                               const Sources&... sources) {
    static_assert(sizeof...(Sources) == num_columns,
                  "hashmill::RowContainer::append: as many columns as rows have values");
    const auto scope = detail::enter(exec, *this, "append", use_);
    return append_columns(exec, workspace, wait, as_column(sources)...);
  }
  /// Appends the columns. The container counts the new rows only when nothing can fail any more.
  template <class Exec, class... Cols>
  std::uint64_t append_columns(const Exec& exec, Workspace<MemorySpace>& workspace, bool wait,
                               const Cols&... cols) {
    static_assert((std::is_same_v<typename Cols::value_type, Values> && ...),
                  "hashmill::RowContainer::append: columns of the types of the container");
    static_assert((detail::is_accessible<Exec, Cols>() && ...),
                  "hashmill::RowContainer::append: the execution space cannot access the memory "
                  "space of a column");
    constexpr bool wide = backends::has_wide_teams<Exec>;
    const std::uint64_t count = detail::common_size("RowContainer::append", cols...);
    const std::uint64_t first = held_.size;
    check_rows<std::uint64_t>(first, count);
    if (count == 0) return first;
    typename Workspace<MemorySpace>::Frame frame(workspace);
    std::uint64_t string_bytes = held_.string_bytes;
    const auto fields = detail::list_fields(exec, workspace, string_bytes, cols...);
    held_.make_room(exec, held_.size, first + count, held_.string_bytes, string_bytes);
    detail::copy_strings_of<wide>(exec, fields, count, held_.strings.data());
    detail::write_rows<layout_type, wide>(exec, fields, ref().row_address(first), count);
    if (wait) exec.fence("hashmill::RowContainer: the columns appended may go");
    held_.size = first + count;
    held_.string_bytes = string_bytes;
    return first;
  }

  struct Held : detail::RowStorage<layout_type, MemorySpace> {
    std::uint64_t size = 0;
    std::uint64_t string_bytes = 0;
  };

  detail::HandedOver<Held> held_;
  detail::ExclusiveUse use_;
};

}  // namespace hashmill
