#pragma once

#include <concepts>
#include <cstdint>

namespace hashmill::detail {

/// A join whose pairs are counted and can be written. Every strategy ends in one.
///
///     size()           number of pairs
///     num_found()      number of pairs with a left row; the others come after them
///     in_left_order()  whether the pairs with a left row come in the order of their left rows
///     write(l, r)      writes the left and right rows of all pairs into arrays of size() elements;
///                      asynchronous
template <class Join, class Row>
concept CountedJoin = requires(const Join& join, Row* rows) {
  { join.size() } -> std::same_as<std::uint64_t>;
  { join.num_found() } -> std::same_as<std::uint64_t>;
  { join.in_left_order() } -> std::same_as<bool>;
  join.write(rows, rows);
};

/// A counted join whose left rows may be only some of a side, such as those that passed a filter.
///
///     gives_places           whether left rows are written as places in the list of these rows
///     write_found(l, r)      writes only the pairs with a left row; asynchronous
///     write_unmatched(l, r)  writes only the pairs without one; asynchronous
///     exec()                 the execution-space instance that writes
template <class Join, class Row>
concept CountedJoinOfSome = CountedJoin<Join, Row> && requires(const Join& join, Row* rows) {
  { Join::gives_places } -> std::convertible_to<bool>;
  join.write_found(rows, rows);
  join.write_unmatched(rows, rows);
  join.exec();
};

}  // namespace hashmill::detail
