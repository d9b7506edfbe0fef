#pragma once

#include <hashmill/backends/streaming.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/hash_graph/detail/table_layout.hpp>
#include <hashmill/multi_map/hashed_key.hpp>
#include <hashmill/row.hpp>

namespace hashmill {

/// A HashGraph as kernels see it: trivially copyable, owns nothing. Valid until its table is
/// rebuilt, erased from, compacted, moved or destroyed.
///
/// Any number of threads may call any members at once. A look-up reads two neighbouring offsets
/// (one random access), then the entries of the bucket (one more access per 64 bytes). Source:
/// Green 2019, algorithm 3 ("Probe-Standard").
template <class TableLayout, class Key>
class HashGraphRef {
 public:
  using key_type = Key;
  using layout_type = TableLayout;
  using Entry = typename TableLayout::Entry;
  using Index = typename TableLayout::Index;
  using row_type = Index;

  /// A vacant ref, in which nothing is found. HashGraph::ref() makes the others.
  HashGraphRef() = default;
  /// Used by its table, whose `ref()` makes one.
  HashGraphRef(TableLayout layout, const Entry* entries, const Index* offsets, const Index* lengths,
               const HashRange& range)
      : layout_(layout), entries_(entries), offsets_(offsets), lengths_(lengths), range_(range) {}

  /// Calls `f(row)` for every live row whose key equals `key`, in table order. A `SearchKey` is a
  /// Key, a key with its hash (HashedKey), or a key with its hash and bucket (HomedKey).
  template <class SearchKey = Key, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const SearchKey& search_key, const F& f) const
      requires(TableLayout::has_rows) {
    if (detail::is_nowhere(*this, search_key)) return;
    const HomedKey<Key> key = detail::homed(*this, search_key);
    const Index last = end(key.home);
    for (Index i = begin(key.home); i < last; ++i) {
      const Entry entry = entries_[i];
      if (layout_.matches(entry, key.key, key.hash)) f(layout_.row(entry));
    }
  }
  /// Calls `f(position, row)` for the same entries, where a position numbers entries of the table.
  template <class SearchKey = Key, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_position(const SearchKey& search_key, const F& f) const
      requires(TableLayout::has_rows) {
    if (detail::is_nowhere(*this, search_key)) return;
    const HomedKey<Key> key = detail::homed(*this, search_key);
    const Index last = end(key.home);
    for (Index i = begin(key.home); i < last; ++i) {
      const Entry entry = entries_[i];
      if (layout_.matches(entry, key.key, key.hash)) f(i, layout_.row(entry));
    }
  }

  /// The position of the first live entry with that key, or `no_row<Index>`.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index find_entry(const SearchKey& search_key) const {
    if (detail::is_nowhere(*this, search_key)) return no_row<Index>;
    const HomedKey<Key> key = detail::homed(*this, search_key);
    const Index last = end(key.home);
    for (Index i = begin(key.home); i < last; ++i) {
      if (layout_.matches(entries_[i], key.key, key.hash)) return i;
    }
    return no_row<Index>;
  }

  /// One row with that key, or `no_row<Row>`.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index find(const SearchKey& key) const
      requires(TableLayout::has_rows) {
    const Index position = find_entry(key);
    return position == no_row<Index> ? position : layout_.row(entries_[position]);
  }

  /// Whether any live entry has that key.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool contains(const SearchKey& key) const {
    return find_entry(key) != no_row<Index>;
  }

  /// How many live entries have that key.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count(const SearchKey& search_key) const {
    if (detail::is_nowhere(*this, search_key)) return 0;
    const HomedKey<Key> key = detail::homed(*this, search_key);
    const Index last = end(key.home);
    Index matches = 0;
    for (Index i = begin(key.home); i < last; ++i) {
      matches += layout_.matches(entries_[i], key.key, key.hash) ? 1 : 0;
    }
    return matches;
  }

  /// The entries of a bucket, read four per step, with the steps in any order. See
  /// detail::StepwiseRef.
  class Walk {
   public:
    static constexpr unsigned width = 4;
    /// What one step found: bit i of `matches` says that entry i matches.
    struct Step {
      Index rows[width];
      unsigned matches;
      bool last;  // no later step has matches
      /// The row of a match.
      [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index row(unsigned i) const { return rows[i]; }
    };

    /// `ref` must outlive the walk.
    KOKKOS_FORCEINLINE_FUNCTION Walk(const HashGraphRef& ref, const HomedKey<Key>& key)
        : ref_(ref),
          key_(key),
          begin_(ref.is_vacant() ? 0 : ref.begin(key.home)),
          size_(ref.is_vacant() ? 0 : ref.end(key.home) - begin_) {}

    /// The number of steps: no step with this number or a higher one has matches.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t steps() const {
      return (std::uint64_t{size_} + width - 1) / width;
    }
    /// Takes a step, of any number.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Step step(std::uint64_t s) const {
      Step step{{}, 0, (s + 1) * width >= size_};
      HASHMILL_UNROLL(4)
      for (unsigned i = 0; i < width; ++i) {
        const std::uint64_t at = s * width + i;
        if (at >= size_) continue;
        const Entry entry = ref_.entries_[begin_ + at];
        step.rows[i] = ref_.layout_.row(entry);
        const bool match = ref_.layout_.matches(entry, key_.key, key_.hash);
        step.matches |= static_cast<unsigned>(match) << i;
      }
      return step;
    }

   private:
    const HashGraphRef& ref_;
    HashedKey<Key> key_;
    Index begin_;
    Index size_;
  };
  /// Most buckets are short, so counting uses one thread per query.
  static constexpr bool long_searches = false;
  /// The walk over the entries that may have a key.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Walk walk(const SearchKey& key) const
      requires(TableLayout::has_rows) {
    return Walk(*this, detail::homed(*this, key));
  }

  /// Prefetches the offset that a look-up in a bucket reads first. On hosts only.
  void prefetch_home(std::uint64_t bucket) const { backends::prefetch_far(offsets_ + bucket); }
  /// Prefetches the first entry of a bucket. On hosts only, once the offset has arrived.
  void prefetch_candidate(std::uint64_t bucket) const {
    backends::prefetch_far(entries_ + offsets_[bucket]);
  }

  /// Whether the table has no buckets, because it was moved from.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_vacant() const { return range_.count == 0; }
  /// Number of buckets.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t num_buckets() const {
    return range_.count;
  }
  /// The function that hashes keys in this table.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION decltype(auto) hasher() const {
    return layout_.hasher();
  }
  /// The bucket that a key belongs to.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t bucket(const Key& key) const {
    return home_of_hash(layout_.hasher()(key));
  }
  /// The bucket of a hash, by `hasher()`. In a share of a table, any bucket stands for those that
  /// are elsewhere, whose keys are not in it.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t home_of_hash(std::uint64_t hash) const {
    const std::uint64_t place = range_.place_of(hash);
    return place < range_.count ? place : 0;
  }
  /// A key with its hash and bucket, for a key whose bucket is known to be in this table. Every
  /// key's is, unless the table is a share or was moved from. Saves the checks for both.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HomedKey<Key> homed_inside(const Key& key) const {
    const std::uint64_t hash = layout_.hasher()(key);
    return {{key, hash}, range_.place_of(hash)};
  }
  /// Whether buckets have lengths of their own, because entries were erased.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool has_lengths() const { return lengths_ != nullptr; }
  /// The position of the first entry of a bucket.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index begin(std::uint64_t bucket) const {
    return offsets_[bucket];
  }
  /// The position after the last live entry of a bucket.
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
  HashRange range_;
};

}  // namespace hashmill
