#pragma once

#include <cstdint>
#include <hashmill/column.hpp>
#include <hashmill/murmur.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <initializer_list>
#include <type_traits>

namespace hashmill::detail {

/// How a column travels.
enum class ColumnKind : std::uint64_t {
  values,    ///< values only
  nullable,  ///< values, and a bit per row
  strings    ///< lengths, bytes, and a bit per row
};
template <class Column>
inline constexpr ColumnKind column_kind = ColumnKind::values;
template <ColumnOfValues Column>
inline constexpr ColumnKind column_kind<Column> =
    std::is_same_v<typename Column::value_type, StringView> ? ColumnKind::strings
                                                            : ColumnKind::nullable;

/// A number by which ranks compare the types of values.
template <class Value>
inline constexpr std::uint64_t type_number =
    sizeof(Value) * 4 + std::is_floating_point_v<Value> * 2 + std::is_signed_v<Value> + 1;

/// A number by which ranks compare what they call.
[[nodiscard]] constexpr std::uint64_t signature_of(std::uint64_t options,
                                                   std::initializer_list<std::uint64_t> numbers) {
  for (const std::uint64_t number : numbers) options = murmur3_fmix64(options + number);
  return options;
}
/// By the types of values.
template <class... Values>
[[nodiscard]] constexpr std::uint64_t types_signature(std::uint64_t options = 0) {
  return signature_of(options, {type_number<Values>...});
}
/// By the types and kinds of columns. Dictionaries are as what they refer to.
template <class... Columns>
[[nodiscard]] constexpr std::uint64_t columns_signature(std::uint64_t options = 0) {
  return signature_of(options, {(type_number<KeyOf<Columns>> << 2) +
                                static_cast<std::uint64_t>(column_kind<Columns>)...});
}

}  // namespace hashmill::detail
