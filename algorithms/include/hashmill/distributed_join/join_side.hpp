#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

namespace hashmill {

/// One side of a join whose rows are columns: made by `join_side`. It refers to the columns, which
/// must outlive it.
template <class KeyColumns, class... Columns>
struct JoinSide {
  using key_columns = KeyColumns;  ///< std::index_sequence of those that are the key
  std::tuple<Columns...> columns;
};

/// A side of a distributed join: columns of one length, and the numbers of those that are its key.
/// Columns are of any kind that `shuffle` sends. Those of the key are views or columns.
///
///     hashmill::join_side<0>(order_keys, dates, comments)     // the key is order_keys
///     hashmill::join_side<0, 1>(country, city, price)         // country and city together
template <std::size_t... KeyColumns, class... Columns>
[[nodiscard]] JoinSide<std::index_sequence<KeyColumns...>, Columns...> join_side(
    const Columns&... columns) {
  static_assert(sizeof...(KeyColumns) > 0, "hashmill::join_side<0>(...): name the key columns");
  static_assert(((KeyColumns < sizeof...(Columns)) && ...),
                "hashmill::join_side: a key column is not among the columns");
  return {{columns...}};
}

}  // namespace hashmill
