#pragma once

#include <hashmill/backends/workspace.hpp>
#include <hashmill/chaining/detail/link.hpp>
#include <hashmill/hash_graph/numbered_entries.hpp>
#include <hashmill/primitives/detail/with_room.hpp>

namespace hashmill::detail {

/// One step of the scan that gathers the live nodes with their row numbers.
template <class Key, class Row>
struct GatherLiveNodes {
  OldNodes<Key, Row> old;
  RecordPair<Key, Row>* gathered;
  std::uint64_t row_base;

  KOKKOS_FUNCTION void operator()(const std::int64_t i, std::uint64_t& place,
                                  const bool last) const {
    const auto n = static_cast<std::uint64_t>(i);
    if (!old.is_live(n)) return;
    if (last) gathered[place] = {old.key(n), static_cast<Row>(row_base + n)};
    ++place;
  }
};

/// The arrays of a Chaining table, how they grow, and how they are read as a whole.
template <class Key, class Row, class MemorySpace>
struct ChainingStorage {
  using Node = RecordPair<Key, Row>;
  using Heads = Kokkos::View<Row*, MemorySpace>;
  using Nodes = Kokkos::View<Node*, MemorySpace>;

  Heads heads;
  Nodes nodes;                  // as many as fit, used or not
  std::uint64_t num_nodes = 0;  // nodes in use, erased ones included
  std::uint64_t num_live = 0;

  [[nodiscard]] std::uint64_t bytes() const {
    return heads.size() * sizeof(Row) + nodes.size() * sizeof(Node);
  }

  /// Allocates heads of empty chains. Asynchronous.
  template <class Exec>
  [[nodiscard]] static Heads empty_heads(const Exec& exec, std::uint64_t num_buckets) {
    const auto heads = backends::allocate<Heads>(exec, "hashmill::chaining::heads", num_buckets);
    Kokkos::deep_copy(exec, heads, no_row<Row>);
    return heads;
  }

  /// Returns an array with room for `capacity` nodes that begins with the present ones. See
  /// `detail::with_room`.
  template <class Exec>
  [[nodiscard]] Nodes with_room(const Exec& exec, std::uint64_t capacity) const {
    return hashmill::detail::with_room(exec, "hashmill::chaining::nodes", nodes, num_nodes,
                                       capacity);
  }

  /// The capacity to grow to for `needed` nodes: at least 1.5 times the present one, but no more
  /// than rows can be numbered. So appending batch after batch copies every node only a few times.
  [[nodiscard]] std::uint64_t grown_capacity(std::uint64_t needed, std::uint64_t row_base) const {
    if (num_nodes == 0 || needed <= nodes.size()) return needed;
    const std::uint64_t grown = nodes.size() + nodes.size() / 2;
    return std::max(needed, std::min<std::uint64_t>(grown, no_row<Row> - row_base));
  }

  /// The live entries with their row numbers. Asynchronous. Without erased nodes they are the nodes
  /// themselves. Otherwise they are gathered in `workspace`, in one pass over the nodes.
  template <class Exec>
  [[nodiscard]] NumberedEntries<Key, Row> entries(const Exec& exec, std::uint64_t row_base,
                                                  Workspace<MemorySpace>& workspace) const {
    if (num_live == num_nodes) return {nodes.data(), num_nodes, true, row_base};
    const auto gathered = workspace.template take<Node>(exec, num_live);
    Kokkos::parallel_scan("hashmill::chaining::gather", backends::range(exec, num_nodes),
                          GatherLiveNodes<Key, Row>{{nodes.data()}, gathered.data(), row_base});
    return {gathered.data(), num_live, false, 0};
  }
};

}  // namespace hashmill::detail
