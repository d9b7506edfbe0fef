#pragma once

#include <hashmill/join_filter/ref.hpp>
#include <hashmill/multi_map/detail/lookup.hpp>
#include <hashmill/primitives/detail/select_rows.hpp>

namespace hashmill::detail {

/// Adds one key to a set.
template <class Set>
struct AddToSet {
  Set set;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t, const Key& key) const {
    set.add(key);
  }
};

/// Adds every key of a source to the set of a filter. Asynchronous.
template <class Exec, class Key, class Hash, class Keys>
void add_to_filter(const Exec& exec, const JoinFilterRef<Key, Hash>& filter, const Keys& keys) {
  const auto stored = stored_keys<Key>(keys);
  filter.with_set([&](const auto& set) {
    for_each_key("hashmill::join_filter::add", exec, set, key_access(stored),
                 AddToSet<std::decay_t<decltype(set)>>{set});
  });
}

/// out(i) = whether key i of the queries may pass. Asynchronous.
template <class Exec, class Key, class Hash, class Queries, class Out>
void mark_passing(const Exec& exec, const JoinFilterRef<Key, Hash>& filter, const Queries& queries,
                  const Out& out) {
  filter.with_set([&](const auto& set) { bulk_contains(exec, set, queries, out); });
}

/// The rows of a side that a filter lets through, in memory of a workspace.
template <class Row>
struct PassingRows {
  const bool* passes;      // for each row of the side
  std::uint64_t num_rows;  // of the side
  const Row* rows;         // those that pass, in ascending order
  std::uint64_t count;
};

/// Which rows of a side pass, and where each tile of them begins in a list.
template <class MemorySpace>
struct MarkedRows {
  typename Workspace<MemorySpace>::template Array<bool> passes;
  PlacedTiles<MemorySpace> placed;
  [[nodiscard]] IsMarked keep() const { return {passes.data(), true}; }
};

/// Marks and counts the rows that pass a filter, in memory of `workspace`. Waits for `exec`.
template <class Row, class Exec, class Key, class Hash, class Queries, class MemorySpace>
[[nodiscard]] MarkedRows<MemorySpace> count_passing(const Exec& exec,
                                                    const JoinFilterRef<Key, Hash>& filter,
                                                    const Queries& queries,
                                                    Workspace<MemorySpace>& workspace) {
  MarkedRows<MemorySpace> marked{workspace.template take<bool>(exec, queries.size()), {}};
  mark_passing(exec, filter, queries, marked.passes);
  marked.placed = place_kept<Row>("hashmill::join_filter::count_passing", exec, queries.size(),
                                  marked.keep(), workspace);
  return marked;
}

/// Lists them, in ascending order. Asynchronous.
template <class Exec, class Row, class MemorySpace>
void list_passing(const Exec& exec, const MarkedRows<MemorySpace>& marked, Row* rows) {
  write_kept("hashmill::join_filter::list_passing", exec, marked.passes.extent(0), marked.keep(),
             marked.placed, 0, rows);
}

/// Returns the rows of a side that pass a filter. Waits for `exec`. Takes from the caller's frame
/// one byte per row of the side, and the numbers of the rows that pass.
template <class Row, class Exec, class Key, class Hash, class Queries, class MemorySpace>
[[nodiscard]] PassingRows<Row> passing_rows(const Exec& exec,
                                            const JoinFilterRef<Key, Hash>& filter,
                                            const Queries& queries,
                                            Workspace<MemorySpace>& workspace) {
  const auto marked = count_passing<Row>(exec, filter, queries, workspace);
  const auto rows = workspace.template take<Row>(exec, marked.placed.total);
  list_passing(exec, marked, rows.data());
  return {marked.passes.data(), queries.size(), rows.data(), marked.placed.total};
}

}  // namespace hashmill::detail
