#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <hashmill/row.hpp>
#include <type_traits>

/// What all tables have in common: each maps keys to row numbers, possibly several per key. Joins,
/// benchmarks and tests are written over these concepts, so that tables can replace each other.
///
///     HashGraph       static; duplicates side by side; the smallest; intersects with another
///     Chaining        takes further batches without moving entries; duplicates linked
///     LinearProbing   dynamic; one random access per look-up; unique keys or duplicates
///     ArrayTable      static; integers from a small range, which index an array
///     TagBucket       dynamic; compares 16 tags at once; keys stay in the caller's columns
///
/// Each table is a pair. The owner is move-only. Its bulk operations take an execution-space
/// instance and come in twos: `find` fences the instance, `find_async` does not. Its `ref()` is
/// trivially copyable, is passed by value to kernels, and has the operations on one key. The bulk
/// operations that all tables share are in multi_map/bulk_lookups.hpp: contains, count, find,
/// retrieve, for_each and retrieve_all.
///
/// Moving an owner moves its memory and frees the memory of its target. The source is empty, holds
/// no memory and can be used again: it finds nothing, in kernels too, and takes entries as a new
/// table does. The same holds for filters, row containers, aggregations and workspaces.

namespace hashmill {

namespace detail {
/// Stands for the callables that are passed to references.
struct AnyRowCallback {
  template <class Row>
  KOKKOS_FUNCTION void operator()(Row) const {}
};
}  // namespace detail

/// A table as kernels see it: tells whether, and how often, it contains a key.
template <class Ref>
concept MultiMapRef = std::is_trivially_copyable_v<Ref> &&
    requires(const Ref& ref, const typename Ref::key_type& key) {
  { ref.contains(key) } -> std::same_as<bool>;
  { ref.count(key) } -> std::same_as<std::uint64_t>;
};

/// A MultiMapRef that also yields the rows of a key: `find` returns one or `no_row`, and
/// `for_each_match` calls a function with each.
template <class Ref>
concept RowMultiMapRef = MultiMapRef<Ref> &&
    requires(const Ref& ref, const typename Ref::key_type& key) {
  { ref.find(key) } -> RowNumber;
  ref.for_each_match(key, detail::AnyRowCallback{});
};

/// The owner of a table: its types, the number of its entries, its bytes of memory, and its
/// reference.
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

/// A MultiMap whose entries come and go: Chaining, LinearProbing and TagBucket. Their members that
/// insert differ, since they take different things: batches of keys, keys with rows, or rows of the
/// caller's columns. The members here are the same for all.
template <class Table, class Exec, class Queries>
concept DynamicMultiMap = MultiMap<Table> &&
    requires(Table& table, const Exec& exec, const Queries& queries, std::uint64_t count) {
  { table.erase(exec, queries) } -> std::same_as<std::uint64_t>;
  table.reserve(exec, count);
  table.clear(exec);
};

}  // namespace hashmill
