#pragma once

#include <hashmill/backends/workspace.hpp>
#include <hashmill/multi_map/hashed_key.hpp>
#include <hashmill/primitives/detail/mark_and_close.hpp>
#include <hashmill/row.hpp>

namespace hashmill::detail {

/// First step of an erase, one thread per query: marks the nodes with its key, and their chain. If
/// several queries have one key, the first to mark the first match also marks the rest.
template <class Ref, class Queries>
struct MarkErasedNodes {
  Ref ref;
  Queries queries;
  Bitmap erased;   // one bit per node
  Bitmap touched;  // one bit per chain

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    using Row = typename Ref::row_type;
    const auto& query = queries(static_cast<std::uint64_t>(q));
    if (!can_be_key<typename Ref::key_type>(query)) return;
    const auto key = homed(ref, query);
    const std::uint64_t bucket = key.home;
    bool first = true;
    Row n = ref.head(bucket);
    for (Row left = ref.num_nodes(); n != no_row<Row> && left != 0; --left) {
      const auto node = ref.node(n);
      if (ref.equal()(node.first, key.key)) {
        if (erased.test_and_set(n) && first) return;
        if (first) touched.test_and_set(bucket);
        first = false;
      }
      n = node.second;
    }
  }
};

/// Second step: the first query to reach a touched chain takes the marked nodes out of it. Each
/// becomes its own successor, which distinguishes it from the nodes that stay.
template <class Ref, class Queries>
struct UnlinkErasedNodes {
  Ref ref;
  Queries queries;
  Bitmap erased;
  Bitmap touched;
  typename Ref::row_type* heads;
  typename Ref::Node* nodes;

  KOKKOS_FUNCTION void operator()(std::int64_t q, std::uint64_t& removed) const {
    using Row = typename Ref::row_type;
    const auto& query = queries(static_cast<std::uint64_t>(q));
    if (!can_be_key<typename Ref::key_type>(query)) return;
    const std::uint64_t bucket = homed(ref, query).home;
    if (!touched.test_and_clear(bucket)) return;
    Row* link = &heads[bucket];
    Row n = *link;
    for (Row left = ref.num_nodes(); n != no_row<Row> && left != 0; --left) {
      const Row next = nodes[n].second;
      if (erased.test(n)) {
        nodes[n].second = n;
        ++removed;
      } else {
        *link = n;
        link = &nodes[n].second;
      }
      n = next;
    }
    *link = no_row<Row>;
  }
};

/// Unlinks the nodes whose key is among `queries` and returns their number. Waits for `exec`.
///
/// Makes two passes over the queries, with one bitmap of nodes and one of chains, each one bit per
/// element. The bitmaps are allocated before anything is changed. Reads and writes nothing else of
/// the table than the chains of the queries.
template <class Exec, class Ref, class Queries, class MemorySpace>
std::uint64_t unlink_matches(const Exec& exec, const Ref& ref, const Queries& queries,
                             typename Ref::row_type* heads, typename Ref::Node* nodes,
                             Workspace<MemorySpace>& workspace) {
  return mark_and_close(
      exec, queries.size(), ref.num_nodes(), ref.num_buckets(),
      [&](Bitmap erased, Bitmap touched) {
        return MarkErasedNodes<Ref, Queries>{ref, queries, erased, touched};
      },
      [&](Bitmap erased, Bitmap touched) {
        return UnlinkErasedNodes<Ref, Queries>{ref, queries, erased, touched, heads, nodes};
      },
      workspace);
}

}  // namespace hashmill::detail
