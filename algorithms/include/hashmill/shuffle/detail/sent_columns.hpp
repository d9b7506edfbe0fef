#pragma once

#include <hashmill/shuffle/detail/column_kind.hpp>
#include <hashmill/shuffle/detail/sent_strings.hpp>
#include <hashmill/shuffle/detail/sent_values.hpp>

namespace hashmill::detail {

template <class Exec, class Order, class Column>
[[nodiscard]] consteval auto choose_sent_column() {
  if constexpr (column_kind<Column> == ColumnKind::strings) {
    return std::type_identity<SentStrings<Exec, Column>>();
  } else if constexpr (column_kind<Column> == ColumnKind::nullable) {
    return std::type_identity<SentNullable<Exec, Column>>();
  } else if constexpr (std::is_same_v<Order, ReadyOrder> && is_contiguous_view<Column>) {
    return std::type_identity<SentView<Exec, Column>>();
  } else {
    return std::type_identity<SentValues<Exec, KeyAccess<Column>>>();
  }
}
/// How a column travels.
template <class Exec, class Order, class Column>
using SentColumn = typename decltype(choose_sent_column<Exec, Order, Column>())::type;

}  // namespace hashmill::detail
