#pragma once

#include <Kokkos_Core.hpp>
#include <hashmill/column.hpp>
#include <hashmill/detail/arguments.hpp>
#include <limits>
#include <type_traits>

namespace hashmill::detail {

template <class Source>
concept NamesMemorySpace = requires {
  typename Source::memory_space;
};

/// Whether `Exec` can read what a key source or view refers to. Sources that do not name a memory
/// space are assumed to be readable.
template <class Exec, class Source>
[[nodiscard]] consteval bool is_accessible() {
  if constexpr (NamesMemorySpace<Source>) {
    return Kokkos::SpaceAccessibility<Exec, typename Source::memory_space>::accessible;
  }
  return true;
}

/// Refuses, at compile time, a table that `Exec` cannot access.
template <class Exec, class MemorySpace>
constexpr void require_accessible_table() {
  static_assert(Kokkos::SpaceAccessibility<Exec, MemorySpace>::accessible,
                "hashmill: the execution space cannot access the table's memory space");
}

/// Refuses, at compile time, queries that `Exec` cannot access or that do not have one dimension.
template <class Exec, class Queries>
constexpr void require_accessible_queries() {
  require_one_dimension<Queries>();
  static_assert(
      is_accessible<Exec, Queries>(),
      "hashmill: the execution space cannot access the memory space of the keys or queries");
}

/// As above, for what a table of single keys takes as keys or queries. Throws InvalidArgument where
/// they are a column that may have nulls: such tables would read values that mean nothing.
template <class Exec, class Keys>
void check_single_keys(const Keys& keys) {
  require_accessible_queries<Exec, Keys>();
  if (!may_have_nulls(keys)) return;
  throw InvalidArgument(
      "hashmill: keys of a column with nulls, which a table of single keys does not know; use "
      "columns(key) with row_table, hash_join or group_by");
}

/// As above, for keys and for what is read beside them: rows or predicates. Throws InvalidArgument
/// also unless both have the same length.
template <class Exec, class Keys, class Beside>
void check_beside(const Keys& keys, const Beside& beside, std::string_view operation,
                  const char* other, const char* what = "keys") {
  check_single_keys<Exec>(keys);
  require_accessible_queries<Exec, Beside>();
  same_length(operation, what, keys, other, beside);
}

/// As above, for queries and for results, which `Exec` must be able to access. Throws
/// InvalidArgument also where their length differs from that of the queries.
template <class Exec, class Queries, class Out>
void check_results(const Queries& queries, const Out& out, std::string_view operation,
                   const char* what = "queries") {
  check_single_keys<Exec>(queries);
  static_assert(is_accessible<Exec, Out>(),
                "hashmill: the execution space cannot access the memory space of the results");
  same_room(operation, what, queries, "results", out);
}

/// Whether one number type holds every value of another.
template <class Out, class Value>
inline constexpr bool holds_every = std::numeric_limits<Out>::digits >=
                                        std::numeric_limits<Value>::digits &&
                                    (std::is_signed_v<Out> || !std::is_signed_v<Value>);

/// The same for any types; those that are not numbers hold what converts to them.
template <class Out, class Value>
inline constexpr bool holds_all_of = true;
template <class Out, class Value>
  requires(std::is_arithmetic_v<Out>&& std::is_arithmetic_v<Value>)
inline constexpr bool holds_all_of<Out, Value> =
    holds_every<Out, Value> && (std::is_floating_point_v<Out> || !std::is_floating_point_v<Value>);

/// Refuses, at compile time, results of a type that cannot hold every row number.
template <class Row, class Out>
constexpr void require_room_for_rows() {
  if constexpr (Kokkos::is_view_v<Out>) {
    static_assert(holds_every<typename Out::non_const_value_type, Row>,
                  "hashmill: results hold every row number and count of the table, as its row_type "
                  "does and 64 bits do");
  }
}

}  // namespace hashmill::detail
