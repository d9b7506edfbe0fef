#pragma once

#include <algorithm>
#include <hashmill/backends/execution.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/streaming.hpp>
#include <hashmill/hash_bits.hpp>
#include <hashmill/primitives/detail/records.hpp>
#include <hashmill/row.hpp>

namespace hashmill::detail {

/// The arrays of a Chaining table as the kernels that link its nodes see them.
template <class Key, class Row, class Hash>
struct Chains {
  using Node = RecordPair<Key, Row>;
  using row_type = Row;
  using key_type = Key;
  Row* heads;
  std::uint64_t num_buckets;
  Node* nodes;
  Hash hash;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t bucket(const Key& key) const {
    return bucket_of(hash(key), num_buckets);
  }
  /// Writes a node.
  KOKKOS_FORCEINLINE_FUNCTION void put(Row row, const Key& key, Row next) const {
    nodes[row] = {key, next};
  }
};

/// New nodes: key i becomes node first + i.
template <class KeySource, class Row>
struct NewNodes {
  KeySource keys;
  std::uint64_t first;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto key(std::uint64_t i) const { return keys(i); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row row(std::uint64_t i) const {
    return static_cast<Row>(first + i);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_live(std::uint64_t) const { return true; }
};

/// Existing nodes, to be linked again. An erased node is its own successor.
template <class Key, class Row>
struct OldNodes {
  const RecordPair<Key, Row>* nodes;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Key key(std::uint64_t i) const {
    return nodes[i].first;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row row(std::uint64_t i) const {
    return static_cast<Row>(i);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_live(std::uint64_t i) const {
    return nodes[i].second != row(i);
  }
};

/// Puts a node at the front of its chain, one thread per node. On devices.
template <class Chains, class Source>
struct LinkNode {
  Chains chains;
  Source source;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    if (!source.is_live(i)) return;
    const typename Chains::key_type key = source.key(i);
    const auto row = source.row(i);
    chains.put(row, key, Kokkos::atomic_exchange(&chains.heads[chains.bucket(key)], row));
  }
};

/// Number of nodes that a host thread links together, after it prefetched their heads.
inline constexpr std::uint64_t host_nodes_in_flight = 64;

/// Puts a block of nodes at the front of their chains. On hosts. A single thread needs no atomics.
template <class Chains, class Source>
struct LinkNodeBlock {
  Chains chains;
  Source source;
  std::uint64_t count;
  bool shared;

  void operator()(std::int64_t block) const {
    const std::uint64_t first = static_cast<std::uint64_t>(block) * host_nodes_in_flight;
    const std::uint64_t last = std::min(first + host_nodes_in_flight, count);
    std::uint64_t buckets[host_nodes_in_flight];
    for (std::uint64_t i = first; i < last; ++i) buckets[i - first] = chains.bucket(source.key(i));
    for (std::uint64_t i = first; i < last; ++i) {
      backends::prefetch(chains.heads + buckets[i - first]);
    }
    for (std::uint64_t i = first; i < last; ++i) {
      if (!source.is_live(i)) continue;
      const typename Chains::key_type key = source.key(i);
      const auto row = source.row(i);
      chains.put(row, key, exchange(chains.heads[buckets[i - first]], row));
    }
  }

 private:
  using Row = typename Chains::row_type;
  [[nodiscard]] Row exchange(Row& head, Row row) const {
    if (shared) return Kokkos::atomic_exchange(&head, row);
    const Row before = head;
    head = row;
    return before;
  }
};

/// Links `count` nodes into their chains, asynchronously on `exec`. Allocates nothing. Per node:
/// its key and its place in order, and one random access to a head.
///
/// Partitioning first, as HashGraph does, does not pay on hosts. Nodes lie in the order of their
/// rows, so if heads are visited in order, nodes are visited at random, and a node is larger than a
/// head. Measured with 2^24 keys of 4 bytes on an EPYC:
///
///     | cores | as here | through bins of 2^16 heads, without atomics |
///     |-------|---------|---------------------------------------------|
///     | 2     | 110 M/s | 66 M/s                                      |
///     | 1     | 66 M/s  | 44 M/s                                      |
template <class Exec, class Chains, class Source>
void link_nodes(const Exec& exec, const Chains& chains, const Source& source, std::uint64_t count) {
  if constexpr (backends::has_wide_teams<Exec>) {
    backends::for_each_index("hashmill::chaining::link", exec, count,
                             LinkNode<Chains, Source>{chains, source});
  } else {
    const std::uint64_t blocks = (count + host_nodes_in_flight - 1) / host_nodes_in_flight;
    backends::for_each_index(
        "hashmill::chaining::link", exec, blocks,
        LinkNodeBlock<Chains, Source>{chains, source, count, exec.concurrency() > 1});
  }
}

}  // namespace hashmill::detail
