#pragma once

#include <hashmill/backends/streaming.hpp>
#include <hashmill/detail/table_layout.hpp>
#include <hashmill/row.hpp>

namespace hashmill {

/// A HashGraph as kernels see it: trivially copyable, owns nothing, valid while its table lives and
/// is not erased from, compacted or moved.
///
/// All members may be called by any number of threads at once. A look-up reads two neighbouring
/// offsets (one random access) and then the bucket's entries (one more for every 64 bytes).
/// Source: Green 2019, algorithm 3 ("Probe-Standard").
template <class TableLayout, class Key>
class HashGraphRef {
 public:
  using key_type = Key;
  using layout_type = TableLayout;
  using Entry = typename TableLayout::Entry;
  using Index = typename TableLayout::Index;

  HashGraphRef() = default;
  HashGraphRef(TableLayout layout, const Entry* entries, const Index* offsets, const Index* lengths,
               std::uint64_t num_buckets)
      : layout_(layout),
        entries_(entries),
        offsets_(offsets),
        lengths_(lengths),
        num_buckets_(num_buckets) {}

  /// Calls `f(row)` for every live row whose key equals `key`, in table order.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const Key& key, const F& f) const
      requires(TableLayout::has_rows) {
    const std::uint64_t hash = layout_.hasher()(key);
    const std::uint64_t bucket = bucket_of(hash, num_buckets_);
    const Index last = end(bucket);
    for (Index i = begin(bucket); i < last; ++i) {
      const Entry entry = entries_[i];
      if (layout_.matches(entry, key, hash)) f(layout_.row(entry));
    }
  }

  /// The position of the first live entry with that key, or `no_row<Index>`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index find_entry(const Key& key) const {
    const std::uint64_t hash = layout_.hasher()(key);
    const std::uint64_t bucket = bucket_of(hash, num_buckets_);
    const Index last = end(bucket);
    for (Index i = begin(bucket); i < last; ++i) {
      if (layout_.matches(entries_[i], key, hash)) return i;
    }
    return no_row<Index>;
  }

  /// One row with that key, or `no_row<Row>`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index find(const Key& key) const
      requires(TableLayout::has_rows) {
    const Index position = find_entry(key);
    return position == no_row<Index> ? position : layout_.row(entries_[position]);
  }

  /// Whether any live entry has that key.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool contains(const Key& key) const {
    return find_entry(key) != no_row<Index>;
  }

  /// How many live entries have that key.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count(const Key& key) const {
    const std::uint64_t hash = layout_.hasher()(key);
    const std::uint64_t bucket = bucket_of(hash, num_buckets_);
    const Index last = end(bucket);
    Index matches = 0;
    for (Index i = begin(bucket); i < last; ++i) {
      matches += layout_.matches(entries_[i], key, hash) ? 1 : 0;
    }
    return matches;
  }

  /// Asks for the cache line that a look-up of `key` reads first; on hosts.
  void prefetch(const Key& key) const { backends::prefetch(offsets_ + bucket(key)); }

  /// Number of buckets, the hash range.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t num_buckets() const {
    return num_buckets_;
  }
  /// The bucket that a key belongs to.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t bucket(const Key& key) const {
    return bucket_of(layout_.hasher()(key), num_buckets_);
  }
  /// Whether buckets have lengths of their own, because entries were erased.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool has_lengths() const { return lengths_ != nullptr; }
  /// Position of a bucket's first entry.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index begin(std::uint64_t bucket) const {
    return offsets_[bucket];
  }
  /// Position after a bucket's last live entry.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index end(std::uint64_t bucket) const {
    return lengths_ == nullptr ? offsets_[bucket + 1] : offsets_[bucket] + lengths_[bucket];
  }
  /// The entry at a position.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Entry& entry(Index position) const {
    return entries_[position];
  }
  /// How entries are read and compared.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const TableLayout& layout() const { return layout_; }

 private:
  TableLayout layout_;
  const Entry* entries_ = nullptr;
  const Index* offsets_ = nullptr;
  const Index* lengths_ = nullptr;
  std::uint64_t num_buckets_ = 0;
};

}  // namespace hashmill
