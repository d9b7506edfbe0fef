#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <hashmill/row.hpp>
#include <type_traits>

/// What all tables have in common: each maps keys to row numbers, possibly several to a key. Joins,
/// benchmarks and tests are written over these concepts, so that tables can take each other's
/// place.
///
///     HashGraph       static; duplicates side by side; the smallest; intersects with another
///     Chaining        takes further batches without moving entries; duplicates linked
///     LinearProbing   dynamic; one random access a look-up; unique keys or duplicates
///     ArrayTable      static; integers from a small range, which index an array
///     TagBucket       dynamic; 16 slots told apart by tags at once; keys stay in the caller's
///     columns
///
/// Each is a pair: a move-only owner, whose bulk operations take an execution-space instance and
/// come in twos (`find` fences it, `find_async` does not), and a trivially copyable `ref()`, passed
/// by value to kernels, with the operations on one key. What all of them have in bulk is in
/// multi_map/bulk_lookups.hpp: contains, count, find, retrieve, for_each and retrieve_all.
///
/// Moving an owner takes its memory along and frees what its target had. The source is empty, holds
/// no memory and can be used again: it finds nothing, in kernels too, and takes entries as a new
/// table does. So do filters, row containers, aggregations and workspaces.

namespace hashmill {

namespace detail {
/// Stands for the callables that references are given.
struct AnyRowCallback {
  template <class Row>
  KOKKOS_FUNCTION void operator()(Row) const {}
};
}  // namespace detail

/// A table as kernels see it, answering whether and how often a key is there.
template <class Ref>
concept MultiMapRef = std::is_trivially_copyable_v<Ref> &&
    requires(const Ref& ref, const typename Ref::key_type& key) {
  { ref.contains(key) } -> std::same_as<bool>;
  { ref.count(key) } -> std::same_as<std::uint64_t>;
};

/// A MultiMapRef that tells the rows of a key: `find` gives one or `no_row`, `for_each_match` calls
/// a function with each.
template <class Ref>
concept RowMultiMapRef = MultiMapRef<Ref> &&
    requires(const Ref& ref, const typename Ref::key_type& key) {
  { ref.find(key) } -> RowNumber;
  ref.for_each_match(key, detail::AnyRowCallback{});
};

/// The owner of a table: how many entries it has, what it takes, and its reference.
template <class Table>
concept MultiMap = std::movable<Table> && !std::copyable<Table> && requires(const Table& table) {
  typename Table::key_type;
  typename Table::memory_space;
  requires RowNumber<typename Table::row_type>;
  requires MultiMapRef<typename Table::ref_type>;
  { table.ref() } -> std::same_as<typename Table::ref_type>;
  { table.size() } -> std::same_as<std::uint64_t>;
  { table.bytes() } -> std::same_as<std::uint64_t>;
};

/// A MultiMap whose entries come and go: Chaining, LinearProbing and TagBucket. What they take
/// differs (batches of keys, keys with rows, rows of the caller's columns), and with it the members
/// that insert; these are the same.
template <class Table, class Exec, class Queries>
concept DynamicMultiMap = MultiMap<Table> &&
    requires(Table& table, const Exec& exec, const Queries& queries, std::uint64_t count) {
  { table.erase(exec, queries) } -> std::same_as<std::uint64_t>;
  table.reserve(exec, count);
  table.clear(exec);
};

}  // namespace hashmill
