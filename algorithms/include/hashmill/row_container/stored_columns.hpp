#pragma once

#include <hashmill/columns.hpp>
#include <hashmill/row_container/ref.hpp>

namespace hashmill {

/// A column of a RowContainer, in the form in which `columns`, joins, aggregations and `gather`
/// read columns. Valid as long as the container's `ref()`.
template <class Ref, unsigned C>
class StoredColumn {
 public:
  using memory_space = typename Ref::memory_space;
  using value_type = typename Ref::template value_type<C>;

  StoredColumn() = default;
  /// A column of those rows.
  explicit StoredColumn(const Ref& rows) : rows_(rows) {}

  /// Number of rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return rows_.size(); }
  /// Whether row i is null.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    return rows_.template is_null<C>(i);
  }
  /// The value of row i; see `RowContainerRef::value`.
  KOKKOS_FORCEINLINE_FUNCTION value_type operator()(std::uint64_t i) const {
    return rows_.template value<C>(i);
  }
  /// The address of the value, for prefetching.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const auto* address(std::uint64_t i) const {
    return rows_.template address<C>(i);
  }

 private:
  Ref rows_;
};

/// Columns of a RowContainer as keys: a key source like `Columns`, with its rules for nulls and
/// NaN. Valid as long as the container's `ref()`. A look-up that compares the key of a row brings
/// the row's other columns into the cache, too. That is why Velox stores rows.
template <class Ref, unsigned... Cs>
class StoredKeys {
  using Keys = Columns<StoredColumn<Ref, Cs>...>;

 public:
  using key_type = typename Keys::key_type;
  using memory_space = typename Ref::memory_space;

  StoredKeys() = default;
  /// Keys of those rows.
  explicit StoredKeys(const Ref& rows) : StoredKeys(rows, Keys(StoredColumn<Ref, Cs>(rows)...)) {}

  /// The same keys with other rules; see Columns. `column` is the column's index among the keys.
  [[nodiscard]] StoredKeys nulls_equal() const { return {rows_, keys_.nulls_equal()}; }
  /// As `Columns::nulls_equal` of one column.
  [[nodiscard]] StoredKeys nulls_equal(unsigned column) const {
    return {rows_, keys_.nulls_equal(column)};
  }
  /// As `Columns::nans_unequal`.
  [[nodiscard]] StoredKeys nans_unequal() const { return {rows_, keys_.nans_unequal()}; }
  /// As `Columns::nans_unequal` of one column.
  [[nodiscard]] StoredKeys nans_unequal(unsigned column) const {
    return {rows_, keys_.nans_unequal(column)};
  }

  /// Number of rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return rows_.size(); }
  /// The key of row i.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION key_type operator()(std::uint64_t i) const {
    return keys_(i);
  }
  /// The address of the row, for prefetching.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const std::byte* address(std::uint64_t i) const {
    return rows_.row_address(i);
  }

 private:
  StoredKeys(const Ref& rows, const Keys& keys) : rows_(rows), keys_(keys) {}

  Ref rows_;
  Keys keys_;
};

}  // namespace hashmill
