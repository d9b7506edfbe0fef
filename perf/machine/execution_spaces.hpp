#pragma once

#include <Kokkos_Core.hpp>
#include <tuple>

namespace hashmill::perf {

/// Names a type without making an object of it.
template <class T>
struct TypeTag {
  using type = T;
};

/// The execution spaces that the programs here compare: the default one and, where that is a GPU,
/// the host's. Calls `f(TypeTag<Exec>{})` for each.
template <class F>
void for_each_execution_space(F&& f) {
  f(TypeTag<Kokkos::DefaultHostExecutionSpace>{});
  if constexpr (!std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>) {
    f(TypeTag<Kokkos::DefaultExecutionSpace>{});
  }
}

/// Whether host code can read what `Exec` works on.
template <class Exec>
inline constexpr bool is_host_space =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

}  // namespace hashmill::perf
