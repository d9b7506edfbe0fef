#pragma once

#include <hashmill/backends/scan.hpp>
#include <hashmill/csr.hpp>
#include <hashmill/error.hpp>
#include <hashmill/row.hpp>
#include <string>

namespace hashmill::detail {

// Bulk look-ups over anything whose ref() offers the per-element operations: one thread a query,
// results in the order of the queries, asynchronous on `exec`.

/// Whether `Exec` may read what a key source or view refers to; sources that are no views answer
/// for themselves.
template <class Exec, class Source>
[[nodiscard]] consteval bool is_accessible() {
  if constexpr (Kokkos::is_view_v<Source>) {
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

template <class Exec, class Ref, class Queries, class Out>
void bulk_contains(const Exec& exec, const Ref& ref, const Queries& queries, const Out& out) {
  check_results<Exec>(queries, out, "contains");
  Kokkos::parallel_for(
      "hashmill::contains", backends::range(exec, queries.size()),
      KOKKOS_LAMBDA(const std::int64_t i) { out(i) = ref.contains(queries(i)); });
}

template <class Exec, class Ref, class Queries, class Out>
void bulk_count(const Exec& exec, const Ref& ref, const Queries& queries, const Out& out) {
  check_results<Exec>(queries, out, "count");
  Kokkos::parallel_for(
      "hashmill::count", backends::range(exec, queries.size()),
      KOKKOS_LAMBDA(const std::int64_t i) { out(i) = ref.count(queries(i)); });
}

template <class Exec, class Ref, class Queries, class Out>
void bulk_find(const Exec& exec, const Ref& ref, const Queries& queries, const Out& out) {
  check_results<Exec>(queries, out, "find");
  Kokkos::parallel_for(
      "hashmill::find", backends::range(exec, queries.size()),
      KOKKOS_LAMBDA(const std::int64_t i) { out(i) = ref.find(queries(i)); });
}

/// Writes the rows matching a query from `next` up, in a functor because nvcc takes no lambda
/// inside another.
template <class Row>
struct AppendRow {
  Row* next;
  mutable std::uint64_t written = 0;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Row row) const { next[written++] = row; }
};

/// Counts, scans, fills: every query's rows, as CSR. Waits for `exec` to learn the total.
template <class Row, class MemorySpace, class Exec, class Ref, class Queries>
CsrRows<Row, MemorySpace> bulk_retrieve(const Exec& exec, const Ref& ref, const Queries& queries,
                                        Workspace<MemorySpace>& workspace) {
  require_accessible_queries<Exec, Queries>();
  using Result = CsrRows<Row, MemorySpace>;
  const std::uint64_t n = queries.size();
  Result result;
  result.offsets = backends::allocate<decltype(result.offsets)>(exec, "hashmill::retrieve::offsets",
                                                                checked_add(n, 1, "retrieve"));
  const auto offsets = result.offsets;
  Kokkos::deep_copy(exec, Kokkos::subview(offsets, n), std::uint64_t{0});
  bulk_count(exec, ref, queries, Kokkos::subview(offsets, std::make_pair(std::uint64_t{0}, n)));
  backends::exclusive_scan(exec, offsets, workspace);
  std::uint64_t total = 0;
  Kokkos::deep_copy(exec, total, Kokkos::subview(offsets, n));
  exec.fence("hashmill::retrieve: the total sizes the result");
  result.rows = backends::allocate<decltype(result.rows)>(exec, "hashmill::retrieve::rows", total);
  const auto rows = result.rows;
  Kokkos::parallel_for(
      "hashmill::retrieve", backends::range(exec, n), KOKKOS_LAMBDA(const std::int64_t i) {
        ref.for_each_match(queries(i), AppendRow<Row>{rows.data() + offsets(i)});
      });
  exec.fence("hashmill::retrieve: results are handed to the caller");
  return result;
}

}  // namespace hashmill::detail
