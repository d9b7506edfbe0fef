#pragma once

#include <Kokkos_Core.hpp>
#include <hashmill/detail/arguments.hpp>
#include <limits>

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
  static_assert(is_accessible<Exec, Queries>(),
                "hashmill: the execution space cannot access the memory space of the queries");
}

/// As above, for keys and for what is read beside them: rows or predicates. Throws InvalidArgument
/// unless both have the same length.
template <class Exec, class Keys, class Beside>
void check_beside(const Keys& keys, const Beside& beside, std::string_view operation,
                  const char* other, const char* what = "keys") {
  require_accessible_queries<Exec, Keys>();
  require_accessible_queries<Exec, Beside>();
  same_length(operation, what, keys, other, beside);
}

/// Refuses results that `Exec` cannot access, at compile time. Throws InvalidArgument where their
/// length differs from that of the queries.
template <class Exec, class Queries, class Out>
void check_results(const Queries& queries, const Out& out, std::string_view operation,
                   const char* what = "queries") {
  require_accessible_queries<Exec, Queries>();
  static_assert(is_accessible<Exec, Out>(),
                "hashmill: the execution space cannot access the memory space of the results");
  same_room(operation, what, queries, "results", out);
}

/// Whether one number type holds every value of another.
template <class Out, class Value>
inline constexpr bool holds_every = std::numeric_limits<Out>::digits >=
                                        std::numeric_limits<Value>::digits &&
                                    (std::is_signed_v<Out> || !std::is_signed_v<Value>);

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
