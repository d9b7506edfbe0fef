#pragma once

#include <cstddef>
#include <cstdint>
#include <hashmill/string_view.hpp>
#include <tuple>
#include <type_traits>

namespace hashmill {

/// A string as a row holds it: where its bytes lie among the bytes of all strings.
struct StoredString {
  std::uint64_t begin;
  std::uint64_t size;
};

namespace detail {

template <class Value>
struct StoredAs {
  using type = Value;
};
template <>
struct StoredAs<StringView> {
  using type = StoredString;
};

}  // namespace detail

/// How the values of one row lie side by side in a `RowContainer`; all known at compile time.
/// Beside the values a row has one bit per column that tells whether it is null.
///
/// Fields of the widest alignment come first, so that no padding lies between fields. Fields of
/// equal alignment follow in this order: the columns in theirs, the null bits (4 bytes). Zeros fill
/// a row up to a multiple of 8 bytes, or of 16 where a value needs that alignment.
///
/// A row of a uint32 key, a string, a double and an int16 uses 34 of its 40 bytes:
///
///     byte 0            16       24    28      32      34    40
///          | string     | double | key | nulls | int16 | 0 … |
///            begin, size                bit c: column c
///
/// A uint64 key with a payload of 4 bytes makes a row of 16 bytes, and so do two values of 4 bytes.
/// Values are of any trivially copyable type: numbers, enumerations, StringView (stored as
/// StoredString) and structures, such as the accumulator of an aggregation.
///
/// Source: the constructor of RowContainer in velox/exec/RowContainer.cpp. It puts keys first, then
/// flags, accumulators and dependents. A pointer to the next row of the same key ends its rows;
/// here a TagBucket links them.
template <class... Values>
class RowLayout {
  static_assert(sizeof...(Values) >= 1 && sizeof...(Values) <= 32,
                "hashmill::RowLayout: 1 to 32 columns");
  static_assert((std::is_trivially_copyable_v<Values> && ...),
                "hashmill::RowLayout: values must be trivially copyable");
  static_assert(((alignof(Values) <= 16) && ...),
                "hashmill::RowLayout: values aligned to 16 bytes at most");

 public:
  /// Number of columns.
  static constexpr unsigned num_columns = sizeof...(Values);
  /// The type that column C takes and returns.
  template <unsigned C>
  using Value = std::tuple_element_t<C, std::tuple<Values...>>;
  /// The type in which a row stores column C.
  template <unsigned C>
  using Stored = typename detail::StoredAs<Value<C>>::type;
  /// Whether column C holds strings.
  template <unsigned C>
  static constexpr bool is_string = std::is_same_v<Value<C>, StringView>;

 private:
  struct Field {
    std::size_t size;
    std::size_t alignment;
  };
  /// The byte at which a field begins. Fields are numbered: the columns, then the null bits.
  static constexpr std::size_t place(unsigned field) {
    constexpr Field fields[] = {{sizeof(typename detail::StoredAs<Values>::type),
                                 alignof(typename detail::StoredAs<Values>::type)}...,
                                {sizeof(std::uint32_t), alignof(std::uint32_t)}};
    std::size_t before = 0;
    for (unsigned f = 0; f < num_columns + 1; ++f) {
      const bool is_first = fields[f].alignment > fields[field].alignment ||
                            (fields[f].alignment == fields[field].alignment && f < field);
      if (is_first) before += fields[f].size;
    }
    return before;
  }

 public:
  /// The bytes of a row at which column C and the null bits begin.
  template <unsigned C>
  static constexpr std::size_t offset = place(C);
  static constexpr std::size_t nulls_offset = place(num_columns);

  /// Bytes of a row that are in use, the alignment of rows, and bytes from one row to the next.
  static constexpr std::size_t used_bytes =
      (sizeof(typename detail::StoredAs<Values>::type) + ...) + sizeof(std::uint32_t);
  static constexpr std::size_t alignment = ((alignof(Values) == 16) || ...) ? 16 : 8;
  static constexpr std::size_t row_bytes = (used_bytes + alignment - 1) / alignment * alignment;
  static_assert(row_bytes <= 1024, "hashmill::RowLayout: rows of 1024 bytes at most");
};

}  // namespace hashmill
