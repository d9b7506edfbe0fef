#pragma once

#include <concepts>
#include <cstdint>

namespace hashmill::detail {

/// A join that has been counted, and then writes its pairs: what every strategy comes to.
///
///     size()           number of pairs
///     num_found()      number of pairs with a left row; the others come after them
///     in_left_order()  whether those come by left row
///     write(l, r)      writes the rows of all pairs, asynchronously, into arrays of size()
template <class Join, class Row>
concept CountedJoin = requires(const Join& join, Row* rows) {
  { join.size() } -> std::same_as<std::uint64_t>;
  { join.num_found() } -> std::same_as<std::uint64_t>;
  { join.in_left_order() } -> std::same_as<bool>;
  join.write(rows, rows);
};

/// One whose left rows may be some of a side, such as those that passed a filter.
///
///     gives_places           whether left rows are written as places among them
///     write_found(l, r)      writes the pairs with a left row only, asynchronously
///     write_unmatched(l, r)  writes those without one
///     exec()                 the instance that writes
template <class Join, class Row>
concept CountedJoinOfSome = CountedJoin<Join, Row> && requires(const Join& join, Row* rows) {
  { Join::gives_places } -> std::convertible_to<bool>;
  join.write_found(rows, rows);
  join.write_unmatched(rows, rows);
  join.exec();
};

}  // namespace hashmill::detail
