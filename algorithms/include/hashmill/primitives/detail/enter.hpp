#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/primitives/detail/exclusive_use.hpp>
#include <string>

namespace hashmill::detail {

/// Opens the profiling region of an operation of a table, after checking at compile time that
/// `Exec` can access the table. `Table::label` begins the region's name.
template <class Exec, class Table>
[[nodiscard]] Kokkos::Profiling::ScopedRegion enter(const Exec&, const Table&,
                                                    const char* operation) {
  require_accessible_table<Exec, typename Table::memory_space>();
  return Kokkos::Profiling::ScopedRegion(std::string(Table::label) + "::" + operation);
}

/// The region of an operation that changes a table, which no other thread may change meanwhile.
class ChangeScope {
 public:
  template <class Exec, class Table>
  ChangeScope(const Exec& exec, const Table& table, const char* operation, ExclusiveUse& use)
      : region_(enter(exec, table, operation)), in_use_(use, Table::label, operation) {}

 private:
  Kokkos::Profiling::ScopedRegion region_;
  ExclusiveUse::Scope in_use_;
};

/// `enter` for an operation that changes the table. Throws InvalidArgument if another thread is
/// changing it.
template <class Exec, class Table>
[[nodiscard]] ChangeScope enter(const Exec& exec, const Table& table, const char* operation,
                                ExclusiveUse& use) {
  return ChangeScope(exec, table, operation, use);
}

}  // namespace hashmill::detail
