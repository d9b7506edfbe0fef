#pragma once

#include <algorithm>
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

/// Queries that a host thread looks up together: while one waits for memory the others are fetched.
inline constexpr std::uint64_t host_queries_in_flight = 32;

/// Runs `each(i, key)` for a block of queries, after their first cache lines were asked for.
template <class Ref, class Queries, class Each>
struct HostQueryBlock {
  Ref ref;
  Queries queries;
  Each each;

  void operator()(const std::int64_t block) const {
    const std::uint64_t first = static_cast<std::uint64_t>(block) * host_queries_in_flight;
    const std::uint64_t last =
        std::min<std::uint64_t>(first + host_queries_in_flight, queries.size());
    if constexpr (requires { ref.prefetch(queries(first)); }) {
      for (std::uint64_t i = first; i < last; ++i) ref.prefetch(queries(i));
    }
    for (std::uint64_t i = first; i < last; ++i) each(i, queries(i));
  }
};

/// Runs `each(i, key)` for one query.
template <class Queries, class Each>
struct DeviceQuery {
  Queries queries;
  Each each;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    each(static_cast<std::uint64_t>(i), queries(static_cast<std::uint64_t>(i)));
  }
};

/// Runs `each(i, queries(i))` for every query: a thread each on devices, blocks of them on hosts.
template <class Exec, class Ref, class Queries, class Each>
void for_each_query(const char* label, const Exec& exec, [[maybe_unused]] const Ref& ref,
                    const Queries& queries, const Each& each) {
  const std::uint64_t n = queries.size();
  if constexpr (backends::has_wide_teams<Exec>) {
    Kokkos::parallel_for(label, backends::range(exec, n),
                         DeviceQuery<Queries, Each>{queries, each});
  } else {
    const std::uint64_t blocks = (n + host_queries_in_flight - 1) / host_queries_in_flight;
    Kokkos::parallel_for(label, backends::range(exec, blocks),
                         HostQueryBlock<Ref, Queries, Each>{ref, queries, each});
  }
}

template <class Ref, class Out>
struct ContainsEach {
  Ref ref;
  Out out;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    out(i) = ref.contains(key);
  }
};

template <class Ref, class Out>
struct CountEach {
  Ref ref;
  Out out;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    out(i) = ref.count(key);
  }
};

template <class Ref, class Out>
struct FindEach {
  Ref ref;
  Out out;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    out(i) = ref.find(key);
  }
};

template <class Exec, class Ref, class Queries, class Out>
void bulk_contains(const Exec& exec, const Ref& ref, const Queries& queries, const Out& out) {
  check_results<Exec>(queries, out, "contains");
  for_each_query("hashmill::contains", exec, ref, queries, ContainsEach<Ref, Out>{ref, out});
}

template <class Exec, class Ref, class Queries, class Out>
void bulk_count(const Exec& exec, const Ref& ref, const Queries& queries, const Out& out) {
  check_results<Exec>(queries, out, "count");
  for_each_query("hashmill::count", exec, ref, queries, CountEach<Ref, Out>{ref, out});
}

template <class Exec, class Ref, class Queries, class Out>
void bulk_find(const Exec& exec, const Ref& ref, const Queries& queries, const Out& out) {
  check_results<Exec>(queries, out, "find");
  for_each_query("hashmill::find", exec, ref, queries, FindEach<Ref, Out>{ref, out});
}

/// Writes the rows matching a query from `next` up, in a functor because nvcc takes no lambda
/// inside another.
template <class Row>
struct AppendRow {
  Row* next;
  mutable std::uint64_t written = 0;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Row row) const { next[written++] = row; }
};

/// Writes the rows of query i from rows[offsets[i]] up.
template <class Ref, class Row>
struct RetrieveEach {
  Ref ref;
  const std::uint64_t* offsets;
  Row* rows;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    ref.for_each_match(key, AppendRow<Row>{rows + offsets[i]});
  }
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
  for_each_query("hashmill::retrieve", exec, ref, queries,
                 RetrieveEach<Ref, Row>{ref, offsets.data(), result.rows.data()});
  exec.fence("hashmill::retrieve: results are handed to the caller");
  return result;
}

}  // namespace hashmill::detail
