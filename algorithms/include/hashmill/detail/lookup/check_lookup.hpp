#pragma once

#include <Kokkos_Core.hpp>
#include <hashmill/error.hpp>
#include <string>

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

/// Refuses, at compile time, queries out of reach.
template <class Exec, class Queries>
constexpr void require_accessible_queries() {
  static_assert(is_accessible<Exec, Queries>(),
                "hashmill: the execution space cannot access the memory space of the queries");
}

/// Refuses results out of reach (at compile time) or of another length than the queries.
template <class Exec, class Queries, class Out>
void check_results(const Queries& queries, const Out& out, const char* operation) {
  require_accessible_queries<Exec, Queries>();
  static_assert(is_accessible<Exec, Out>(),
                "hashmill: the execution space cannot access the memory space of the results");
  if (queries.size() != out.extent(0)) {
    throw InvalidArgument(std::string(operation) + ": " + std::to_string(queries.size()) +
                          " queries but room for " + std::to_string(out.extent(0)) + " results");
  }
}

}  // namespace hashmill::detail
