#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <hashmill/column.hpp>
#include <type_traits>

namespace hashmill {

/// A column with one value in all rows, of any type, such as an accumulator before its first row.
/// Takes no memory.
template <class Value, class MemorySpace>
class ConstantColumn {
  static_assert(std::is_trivially_copyable_v<Value>,
                "hashmill::ConstantColumn: the value must be trivially copyable");

 public:
  using memory_space = MemorySpace;
  using value_type = Value;

  ConstantColumn() = default;
  /// `size` rows of `value`.
  ConstantColumn(const Value& value, std::uint64_t size) : value_(value), size_(size) {}

  /// Number of rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return size_; }
  /// No row is null.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t) const { return false; }
  /// Which rows have values: all.
  [[nodiscard]] Validity validity() const { return {}; }
  /// The value, whatever the row.
  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::uint64_t) const { return value_; }

 private:
  Value value_{};
  std::uint64_t size_ = 0;
};

/// A column of `size` rows of `value`, to stand beside columns in `MemorySpace`.
template <class MemorySpace, class Value>
[[nodiscard]] ConstantColumn<Value, MemorySpace> constant_column(const Value& value,
                                                                 std::uint64_t size) {
  return {value, size};
}

}  // namespace hashmill
