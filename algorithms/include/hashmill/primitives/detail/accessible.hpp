#pragma once

#include <Kokkos_Core.hpp>
#include <hashmill/detail/arguments.hpp>
#include <limits>

namespace hashmill::detail {

template <class Source>
concept NamesMemorySpace = requires {
  typename Source::memory_space;
};

/// Whether `Exec` may read what a key source or view refers to; sources that do not name a memory
/// space answer for themselves.
template <class Exec, class Source>
[[nodiscard]] consteval bool is_accessible() {
  if constexpr (NamesMemorySpace<Source>) {
    return Kokkos::SpaceAccessibility<Exec, typename Source::memory_space>::accessible;
  }
  return true;
}

/// Refuses, at compile time, a table out of reach.
template <class Exec, class MemorySpace>
constexpr void require_accessible_table() {
  static_assert(Kokkos::SpaceAccessibility<Exec, MemorySpace>::accessible,
                "hashmill: the execution space cannot access the table's memory space");
}

/// Refuses, at compile time, queries out of reach or of another number of dimensions.
template <class Exec, class Queries>
constexpr void require_accessible_queries() {
  require_one_dimension<Queries>();
  static_assert(is_accessible<Exec, Queries>(),
                "hashmill: the execution space cannot access the memory space of the queries");
}

/// The same of keys and of what is read beside them, rows or predicates; throws InvalidArgument
/// unless both are equally long.
template <class Exec, class Keys, class Beside>
void check_beside(const Keys& keys, const Beside& beside, std::string_view operation,
                  const char* other, const char* what = "keys") {
  require_accessible_queries<Exec, Keys>();
  require_accessible_queries<Exec, Beside>();
  same_length(operation, what, keys, other, beside);
}

/// Refuses results out of reach (at compile time) or of another length than the queries.
template <class Exec, class Queries, class Out>
void check_results(const Queries& queries, const Out& out, std::string_view operation,
                   const char* what = "queries") {
  require_accessible_queries<Exec, Queries>();
  static_assert(is_accessible<Exec, Out>(),
                "hashmill: the execution space cannot access the memory space of the results");
  same_room(operation, what, queries, "results", out);
}

/// Whether a type of numbers holds every value of another.
template <class Out, class Value>
inline constexpr bool holds_every = std::numeric_limits<Out>::digits >=
                                        std::numeric_limits<Value>::digits &&
                                    (std::is_signed_v<Out> || !std::is_signed_v<Value>);

/// Refuses, at compile time, results that would cut row numbers.
template <class Row, class Out>
constexpr void require_room_for_rows() {
  if constexpr (Kokkos::is_view_v<Out>) {
    static_assert(holds_every<typename Out::non_const_value_type, Row>,
                  "hashmill: results hold every row number and count of the table, as its row_type "
                  "does and 64 bits do");
  }
}

}  // namespace hashmill::detail
