#pragma once

#include <hashmill/backends/streaming.hpp>
#include <hashmill/hash_bits.hpp>
#include <hashmill/multi_map/hashed_key.hpp>
#include <hashmill/primitives/detail/records.hpp>
#include <hashmill/row.hpp>

namespace hashmill {

/// A Chaining table as kernels see it: trivially copyable, owns nothing. Valid until its table is
/// changed, moved or destroyed.
///
/// Any number of threads may call any members at once. A look-up reads one head, then the nodes of
/// the chain. Each of these is a random access. No chain is followed for more steps than there are
/// nodes.
template <class Key, RowNumber Row, class Hash, class Equal>
class ChainingRef {
 public:
  using key_type = Key;
  using row_type = Row;
  /// A key and the number of the next node of its chain, or `no_row<Row>`.
  using Node = detail::RecordPair<Key, Row>;

  /// A vacant ref, in which nothing is found. Chaining::ref() makes the others.
  ChainingRef() = default;
  /// Used by its table, whose `ref()` makes one.
  ChainingRef(const Row* heads, std::uint64_t num_buckets, const Node* nodes,
              std::uint64_t num_nodes, std::uint64_t row_base, Hash hash, Equal equal)
      : heads_(heads),
        num_buckets_(num_buckets),
        nodes_(nodes),
        num_nodes_(static_cast<Row>(num_nodes)),
        row_base_(static_cast<Row>(row_base)),
        hash_(hash),
        equal_(equal) {}

  /// Calls `f(row)` for every row whose key equals `key`, in no particular order. A `SearchKey` is
  /// a Key, a key with its hash (HashedKey), or a key with its hash and bucket (HomedKey).
  template <class SearchKey = Key, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const SearchKey& key, const F& f) const {
    visit_nodes(key, [&](Row n) {
      f(static_cast<Row>(row_base_ + n));
      return false;
    });
  }

  /// One row with that key, or `no_row<Row>`.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row find(const SearchKey& key) const {
    Row row = no_row<Row>;
    visit_nodes(key, [&](Row n) {
      row = static_cast<Row>(row_base_ + n);
      return true;
    });
    return row;
  }

  /// Whether any row has that key.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool contains(const SearchKey& key) const {
    return find(key) != no_row<Row>;
  }

  /// How many rows have that key.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count(const SearchKey& key) const {
    std::uint64_t matches = 0;
    visit_nodes(key, [&](Row) {
      ++matches;
      return false;
    });
    return matches;
  }

  /// Calls `visit(n)` for the number n of each node with that key, until it returns true.
  template <class SearchKey = Key, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void visit_nodes(const SearchKey& search_key,
                                               const Visit& visit) const {
    if (detail::is_nowhere(*this, search_key)) return;
    const HomedKey<Key> key = detail::homed(*this, search_key);
    Row n = head(key.home);
    for (Row left = num_nodes_; n != no_row<Row> && left != 0; --left) {
      const Node node = nodes_[n];
      if (equal_(node.first, key.key) && visit(n)) return;
      n = node.second;
    }
  }

  /// Prefetches the head that a look-up in a bucket reads first. On hosts only.
  void prefetch_home(std::uint64_t bucket) const { backends::prefetch_far(heads_ + bucket); }
  /// Prefetches the first node of a chain. On hosts only, once the head has arrived.
  void prefetch_candidate(std::uint64_t bucket) const {
    const Row n = head(bucket);
    if (n != no_row<Row>) backends::prefetch_far(nodes_ + n);
  }

  /// Whether the table has no chains, because it was moved from.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_vacant() const { return num_buckets_ == 0; }
  /// Number of chains, the hash range.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t num_buckets() const {
    return num_buckets_;
  }
  /// Number of nodes, linked or not: the longest that a chain can be.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row num_nodes() const { return num_nodes_; }
  /// The chain that a key belongs to.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t bucket(const Key& key) const {
    return home_of_hash(hash_(key));
  }
  /// The chain of a hash, by `hasher()`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t home_of_hash(std::uint64_t hash) const {
    return bucket_of(hash, num_buckets_);
  }
  /// The number of a chain's first node, or `no_row<Row>`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row head(std::uint64_t bucket) const {
    return heads_[bucket];
  }
  /// A node by its number.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Node& node(Row n) const { return nodes_[n]; }
  /// The function that hashes keys in this table, and their equality.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Hash& hasher() const { return hash_; }
  /// The functor that compares keys.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Equal& equal() const { return equal_; }

 private:
  const Row* heads_ = nullptr;
  std::uint64_t num_buckets_ = 0;
  const Node* nodes_ = nullptr;
  Row num_nodes_ = 0;
  Row row_base_ = 0;
  Hash hash_;
  Equal equal_;
};

}  // namespace hashmill
