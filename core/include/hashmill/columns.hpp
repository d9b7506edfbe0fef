#pragma once

#include <hashmill/column.hpp>
#include <hashmill/detail/arguments.hpp>
#include <hashmill/row_key.hpp>
#include <limits>

namespace hashmill {

namespace detail {

/// The number of rows of some columns. Throws InvalidArgument, which names `operation`, unless all
/// have the same number.
template <class... Cols>
[[nodiscard]] std::uint64_t common_size(const char* operation, const Cols&... cols) {
  const std::uint64_t sizes[] = {length_of(cols)...};
  for (std::size_t c = 1; c < sizeof...(Cols); ++c) {
    same_length(operation, "rows in column 0", sizes[0], ("in column " + std::to_string(c)).c_str(),
                sizes[c]);
  }
  return sizes[0];
}

}  // namespace detail

/// One or more columns as the keys of a table or of its queries: a key source, whose key i is the
/// RowKey of row i. Made by `columns(...)`. `row_table` builds a table from it. Any table that
/// leaves its keys with the caller takes it, with RowHash and RowEqual.
///
/// Rows match where all of their columns match, by these rules:
///
///     | of one row | of the other | match                                                    |
///     |------------|--------------|----------------------------------------------------------|
///     | value      | value        | where equal; integers by number; -0.0 equals 0.0         |
///     | NaN        | NaN          | yes; no after `nans_unequal()`                           |
///     | NaN        | number       | no                                                       |
///     | null       | null         | no, as in SQL; yes after `nulls_equal()`                 |
///     | null       | value        | no                                                       |
///
/// Both sides must have the same rules. Whole numbers match whole numbers of any type by value,
/// floating-point numbers match floating-point numbers, and strings match strings (see KeyEqual).
/// Sides with columns of different kinds, or with different numbers of columns, do not compile.
template <class... Cols>
class Columns {
  static_assert(sizeof...(Cols) >= 1 && sizeof...(Cols) <= 16,
                "hashmill::columns: 1 to 16 columns");
  using List = detail::ValueList<Cols...>;
  using Mask = std::uint64_t;

 public:
  using key_type = RowKey<typename detail::WidestOfKind<typename Cols::value_type>::type...>;
  using memory_space = typename decltype(List::first)::memory_space;
  static_assert((std::is_same_v<memory_space, typename Cols::memory_space> && ...),
                "hashmill::columns: columns in different memory spaces");

  Columns() = default;
  /// Throws InvalidArgument unless all columns have the same number of rows.
  explicit Columns(const Cols&... cols) : columns_(detail::list_values(cols...)) {
    size_ = detail::common_size("columns", cols...);
  }

  /// The same columns, in which nulls match nulls: in all columns, or in one. Throws
  /// InvalidArgument where there is no such column.
  [[nodiscard]] Columns nulls_equal() const { return with(~Mask{0}, nans_unequal_); }
  /// In one column only, counted from 0. Throws InvalidArgument where there is no such column.
  [[nodiscard]] Columns nulls_equal(unsigned column) const {
    return with(nulls_equal_ | bit(column), nans_unequal_);
  }
  /// The same columns, in which NaN matches nothing: in all columns, or in one. Throws
  /// InvalidArgument where there is no such column.
  [[nodiscard]] Columns nans_unequal() const { return with(nulls_equal_, ~Mask{0}); }
  /// In one column only, counted from 0. Throws InvalidArgument where there is no such column.
  [[nodiscard]] Columns nans_unequal(unsigned column) const {
    return with(nulls_equal_, nans_unequal_ | bit(column));
  }

  /// The columns themselves.
  [[nodiscard]] const List& list() const { return columns_; }
  /// Whether `nans_unequal` was asked for.
  [[nodiscard]] bool has_unequal_nans() const { return nans_unequal_ != 0; }

  /// Number of rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return size_; }
  /// The key of row i; reads each column once.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION key_type operator()(std::uint64_t i) const {
    key_type key{};
    bool is_alone = false;
    read<0>(i, columns_, key.values, key.nulls, is_alone);
    if (is_alone) key.alone = i + 1;
    return key;
  }

 private:
  static Mask bit(unsigned column) {
    if (column < sizeof...(Cols)) return Mask{1} << column;
    throw InvalidArgument("columns: no column " + std::to_string(column) + " among " +
                          std::to_string(sizeof...(Cols)));
  }
  [[nodiscard]] Columns with(Mask nulls_equal, Mask nans_unequal) const {
    Columns changed = *this;
    changed.nulls_equal_ = nulls_equal;
    changed.nans_unequal_ = nans_unequal;
    return changed;
  }

  template <unsigned C, class Values>
  KOKKOS_FORCEINLINE_FUNCTION void read(std::uint64_t, const detail::ValueList<>&, Values&,
                                        std::uint64_t&, bool&) const {}
  template <unsigned C, class First, class... Rest, class Value, class... Values>
  KOKKOS_FORCEINLINE_FUNCTION void read(std::uint64_t i,
                                        const detail::ValueList<First, Rest...>& from,
                                        detail::ValueList<Value, Values...>& to,
                                        std::uint64_t& nulls, bool& is_alone) const {
    constexpr Mask mine = Mask{1} << C;
    if (from.first.is_null(i)) {
      nulls |= mine;
      is_alone = is_alone || (nulls_equal_ & mine) == 0;
    } else {
      if constexpr (std::is_same_v<Value, StringView>) {
        to.first = from.first(i);
      } else {
        to.first = static_cast<Value>(from.first(i));
      }
      if constexpr (std::is_same_v<Value, double>) {
        is_alone = is_alone || (detail::is_nan(to.first) && (nans_unequal_ & mine) != 0);
      }
    }
    read<C + 1>(i, from.rest, to.rest, nulls, is_alone);
  }

  List columns_;
  std::uint64_t size_ = 0;
  Mask nulls_equal_ = 0;
  Mask nans_unequal_ = 0;
};

/// The keys in these columns, or in views of numbers. Throws InvalidArgument unless all have the
/// same number of rows.
template <class... Sources>
[[nodiscard]] auto columns(const Sources&... sources) {
  return Columns<decltype(as_column(sources))...>(as_column(sources)...);
}

}  // namespace hashmill
