#pragma once

#include <hashmill/detail/handed_over.hpp>
#include <hashmill/hash.hpp>
#include <hashmill/hash_graph/detail/erase.hpp>
#include <hashmill/hash_graph/detail/numbered_entries.hpp>
#include <hashmill/hash_graph/detail/plan.hpp>
#include <hashmill/hash_graph/detail/statistics.hpp>
#include <hashmill/hash_graph/detail/storage.hpp>
#include <hashmill/multi_map/bulk_lookups.hpp>
#include <hashmill/primitives/detail/keys_as.hpp>
#include <memory>

namespace hashmill {

/// A static hash table in compressed sparse rows: Green, "Scalable Hash Tables Using A Sparse Graph
/// Data Structure" (2019). Buckets are the rows of a sparse matrix, entries its values:
///
///     offsets  | 0 | 2 | 2 | 3 | …           num_buckets + 1 of 4 or 8 bytes
///                |       |
///     entries  | a b | c | …                 one for each key, in bucket order, without gaps
///
/// Duplicates lie side by side, so it wins where keys repeat, where tables are intersected, and
/// where memory matters: sizeof(Entry) + sizeof(Index) / load factor bytes a key, no spare slots.
///
/// - `Layout` says what an entry holds: KeyOnly, KeyRow, FingerprintRow or PackedRow.
/// - `Hash`: HashFor<Key>; buckets come from the highest bits of a function of its family that goes
///   with their number (HashLevel::buckets), `ref().hasher()`: tables of as many buckets share it.
///   `Equal`: device-callable equality.
/// - `KeySource`: where keys are read: a view of them, or any trivially copyable object with
///   `size()` and `KOKKOS_FUNCTION Key operator()(std::uint64_t) const`. FingerprintRow and
///   PackedRow keep it for comparisons, so what it refers to must outlive the table; the other
///   layouts take any view of keys, such as one whose elements lie apart, beside it.
///
/// Any key value is legal. Row i of the keys gets row number `options.row_base + i`.
///
/// Concurrency: const members may overlap each other on any instances once the constructor has
/// returned; `erase`, `compact` and moving must not overlap anything.
///
/// Moving leaves a table without buckets, in which nothing is found; `rebuild` makes it one of keys
/// again.
/// So does an exception that ends a change and is neither CapacityError nor InvalidArgument, such
/// as std::bad_alloc of a label's bytes: afterwards the table is as before or empty.
template <class Key, class MemorySpace, class Layout = KeyRow<std::uint32_t>,
          class Hash = Murmur3Hash, class Equal = KeyEqual,
          class KeySource = Kokkos::View<const Key*, MemorySpace>>
class HashGraph
    : public MultiMapLookups<
          HashGraph<Key, MemorySpace, Layout, Hash, Equal, KeySource>,
          typename detail::TableLayout<Layout, Key, Hash, Equal, KeySource>::Index, MemorySpace> {
  using Policy = detail::TableLayout<Layout, Key, Hash, Equal, KeySource>;
  using Storage = detail::HashGraphStorage<Policy, MemorySpace>;

  static_assert(std::is_trivially_copyable_v<Key>,
                "hashmill::HashGraph: keys must be trivially copyable");
  static_assert(HashFor<Hash, Key>,
                "hashmill::HashGraph: Hash must be callable with a key and return 64 bits");
  static_assert(!Policy::stores_keys || sizeof(Key) <= 16,
                "hashmill::HashGraph: keys above 16 bytes need the FingerprintRow or PackedRow "
                "layout, which keep them with the caller");

 public:
  using key_type = Key;
  using memory_space = MemorySpace;
  using layout_type = Layout;
  using row_type = typename Policy::Index;
  using ref_type = HashGraphRef<Policy, Key>;
  static constexpr bool has_rows = Policy::has_rows;
  static constexpr const char* label = "hashmill::HashGraph";

  /// Builds the table of `keys` on `exec` and fences it.
  ///
  /// Time and bytes: see detail/hash_graph/build_v1.hpp and _v2.hpp. Throws CapacityError when rows
  /// would not fit the layout's row number or memory is short (naming the bytes), and the options'
  /// own errors. `keys` is never modified.
  template <backends::ExecutionSpace Exec, class Keys>
  explicit HashGraph(const Exec& exec, const Keys& keys, const HashGraphOptions& options = {},
                     Hash hash = {}, Equal equal = {})
      : HashGraph(exec, keys, options, std::make_unique<Workspace<MemorySpace>>(), hash, equal) {}

  /// As above; temporary memory comes from `workspace` and stays there for the next build.
  template <backends::ExecutionSpace Exec, class Keys>
  HashGraph(const Exec& exec, const Keys& keys, const HashGraphOptions& options,
            Workspace<MemorySpace>& workspace, Hash hash = {}, Equal equal = {})
      : hash_(hash), policy_(source_of<Exec>(keys), options.row_base, hash, equal) {
    detail::require_accessible_table<Exec, MemorySpace>();
    Kokkos::Profiling::ScopedRegion region("hashmill::HashGraph::build");
    build(exec, source_of<Exec>(keys), options, workspace);
  }

  /// Builds the table of entries whose rows have numbers already, on `exec`, which it fences: what
  /// other tables compact to. For the KeyRow layout. `options.row_base` is not used; otherwise as
  /// above.
  template <backends::ExecutionSpace Exec>
  HashGraph(const Exec& exec, const detail::NumberedEntries<Key, row_type>& entries,
            const HashGraphOptions& options, Workspace<MemorySpace>& workspace, Hash hash = {},
            Equal equal = {})
      : hash_(hash), policy_(KeySource(), 0, hash, equal) {
    static_assert(std::same_as<Layout, KeyRow<row_type>>,
                  "hashmill::HashGraph: entries with row numbers need the KeyRow layout");
    detail::require_accessible_table<Exec, MemorySpace>();
    storage_.allocate(exec, entries.size(), detail::bucket_count(entries.size(), options));
    policy_ = policy(KeySource(), 0);
    storage_.build(exec, detail::NumberedLayout<Policy>(policy_), entries, options, workspace);
    storage_.num_live = entries.size();
  }

  /// Replaces the table by that of other keys, on `exec`, which it fences; hash and equality stay.
  /// Allocates nothing when the numbers of keys and buckets are as before and `workspace` has
  /// served such a build. When it throws, the table is empty or as before, never half-built.
  template <backends::ExecutionSpace Exec, class Keys>
  void rebuild(const Exec& exec, const Keys& keys, const HashGraphOptions& options,
               Workspace<MemorySpace>& workspace) {
    detail::require_accessible_table<Exec, MemorySpace>();
    Kokkos::Profiling::ScopedRegion region("hashmill::HashGraph::rebuild");
    check_rows<row_type>(options.row_base, keys.size());
    build(exec, source_of<Exec>(keys), options, workspace);
  }

  HashGraph(HashGraph&&) noexcept = default;
  HashGraph& operator=(HashGraph&&) noexcept = default;

  /// The most bytes that building a table of `num_keys` keys will hold at once, the table included;
  /// a skewed input whose bins outgrow a team needs up to `num_keys` records more. Nothing is
  /// allocated.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] static std::uint64_t predicted_peak_bytes(const Exec& exec, std::uint64_t num_keys,
                                                          const HashGraphOptions& options = {}) {
    return detail::predicted_peak_bytes<Policy>(exec, num_keys, options);
  }

  /// The bins that building a table of `num_keys` keys will make: none by version 1, else
  /// `options.bins` or the nearest number that bins of a power of two of buckets, and on GPUs of
  /// what a team can count, come to. Nothing is allocated.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] static std::uint64_t planned_bins(const Exec& exec, std::uint64_t num_keys,
                                                  const HashGraphOptions& options = {}) {
    return detail::planned_bins<Policy>(exec, num_keys, options);
  }

  /// The table as kernels see it; valid until it is modified, moved or destroyed.
  [[nodiscard]] ref_type ref() const { return storage_.template ref<ref_type>(policy_); }
  /// Live entries.
  [[nodiscard]] std::uint64_t size() const noexcept { return storage_.num_live; }
  /// The hash range.
  [[nodiscard]] std::uint64_t num_buckets() const noexcept { return storage_.num_buckets; }
  /// Positions that entries have: live ones, and what erasing left until the next `compact`.
  [[nodiscard]] std::uint64_t num_positions() const noexcept { return storage_.entries.extent(0); }
  /// Bytes of memory held.
  [[nodiscard]] std::uint64_t bytes() const { return storage_.bytes(); }
  /// The hash function that it was given; `ref().hasher()` is that of its level.
  [[nodiscard]] const Hash& hash() const noexcept { return hash_; }

  /// Removes every entry whose key is among `queries` and returns how many they were; fences
  /// `exec`. Absent and repeated keys are fine. Buckets shrink in place behind a length each (Green
  /// 2019, deletions): no tombstones, so later look-ups get faster, not slower; the first erase
  /// adds sizeof(row_type) bytes a bucket. Refs taken before are invalid.
  template <backends::ExecutionSpace Exec, class Queries>
  std::uint64_t erase(const Exec& exec, const Queries& queries) {
    detail::require_accessible_table<Exec, MemorySpace>();
    Kokkos::Profiling::ScopedRegion region("hashmill::HashGraph::erase");
    detail::require_accessible_queries<Exec, Queries>();
    if (size() == 0) return 0;
    Workspace<MemorySpace> workspace;
    if (storage_.lengths.extent(0) == 0) {
      auto lengths = backends::allocate<decltype(storage_.lengths)>(
          exec, "hashmill::hash_graph::lengths", storage_.num_buckets);
      detail::fill_lengths(exec, storage_.offsets.data(), storage_.num_buckets, lengths.data());
      storage_.lengths = lengths;
    }
    return storage_.change([&] {
      const std::uint64_t removed =
          detail::erase_matches(exec, ref(), queries, storage_.entries.extent(0),
                                storage_.entries.data(), storage_.lengths.data(), workspace);
      storage_.num_live -= removed;
      return removed;
    });
  }

  /// Rebuilds the table without the gaps that erasing left, on `exec`, and fences it. Needs memory
  /// for the new table beside the old; on CapacityError the table is as before.
  template <backends::ExecutionSpace Exec>
  void compact(const Exec& exec) {
    detail::require_accessible_table<Exec, MemorySpace>();
    if (storage_.lengths.extent(0) == 0) return;
    Kokkos::Profiling::ScopedRegion region("hashmill::HashGraph::compact");
    Storage compacted;
    compacted.allocate(exec, size(), storage_.num_buckets);
    const ref_type none(policy_, nullptr, nullptr, nullptr, 0);
    compacted.concatenate(exec, ref(), none);
    compacted.num_live = size();
    storage_ = std::move(compacted);
  }

  /// Bucket lengths and memory; reads all offsets once and fences `exec`.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] HashGraphStatistics statistics(const Exec& exec) const {
    detail::require_accessible_table<Exec, MemorySpace>();
    Kokkos::Profiling::ScopedRegion region("hashmill::HashGraph::statistics");
    HashGraphStatistics result = detail::bucket_statistics<MemorySpace>(exec, ref());
    result.num_entries = size();
    result.bytes = bytes();
    return result;
  }

 private:
  template <class, class, class>
  friend class MultiMapLookups;
  [[nodiscard]] detail::BucketEntries<ref_type> entry_parts() const {
    return {ref(), num_positions()};
  }

  template <class Exec, class Keys>
  HashGraph(const Exec& exec, const Keys& keys, const HashGraphOptions& options,
            std::unique_ptr<Workspace<MemorySpace>> workspace, Hash hash, Equal equal)
      : HashGraph(exec, keys, options, *workspace, hash, equal) {}

  /// What a build reads keys from: the table's own kind of source, or another view of keys where
  /// the layout stores them.
  template <class Exec, class Keys>
  [[nodiscard]] static auto source_of(const Keys& keys) {
    detail::require_keys<Keys>();
    static_assert(detail::is_accessible<Exec, Keys>(),
                  "hashmill::HashGraph: the execution space cannot access the memory space of the "
                  "keys");
    static_assert(
        detail::becomes_source<KeySource, Keys> || (Policy::stores_keys && Kokkos::is_view_v<Keys>),
        "hashmill::HashGraph: keys are the table's KeySource or, where the layout stores "
        "keys, any view of them; name the type of other views as KeySource");
    if constexpr (detail::becomes_source<KeySource, Keys>) {
      return KeySource(keys);
    } else {
      return detail::key_access(detail::stored_keys<Key>(keys));
    }
  }

  /// The policy that goes with the number of buckets there are.
  template <class Keys>
  [[nodiscard]] Policy policy(const Keys& keys, std::uint64_t row_base) const {
    return Policy(keys, row_base, hash_at(hash_, HashLevel::buckets, num_buckets()),
                  policy_.equal());
  }

  template <class Exec, class Keys>
  void build(const Exec& exec, const Keys& keys, const HashGraphOptions& options,
             Workspace<MemorySpace>& workspace) {
    const std::uint64_t size = keys.size();
    check_rows<row_type>(options.row_base, size);
    storage_.allocate(exec, size, detail::bucket_count(size, options));
    policy_ = policy(keys, options.row_base);  // not before: the entries there are read by theirs
    storage_.overwrite([&] { storage_.build(exec, policy_, keys, options, workspace); });
    storage_.num_live = size;
  }

  HashGraph(const Hash& hash, Policy policy, Storage storage)
      : hash_(hash), policy_(policy), storage_(std::move(storage)) {}

  template <class Exec, class K, class M, class L, class H, class E, class S>
    requires(detail::TableLayout<L, K, H, E, S>::stores_keys)
  friend HashGraph<K, M, L, H, E, S> merge(const Exec& exec, const HashGraph<K, M, L, H, E, S>& a,
                                           const HashGraph<K, M, L, H, E, S>& b);

  Hash hash_;
  Policy policy_;
  detail::HandedOver<Storage> storage_;
};

/// The table that holds the live entries of `a` and of `b`, which stay as they are; on `exec`,
/// which it fences. This is how a batch of keys is inserted into a static table (Green 2019,
/// dynamic inserts): build the batch with the same hash range and a `row_base` of its own, and
/// merge. Rows keep their numbers. Only for layouts that store their keys. Reads and writes every
/// entry once. Throws InvalidArgument when the hash ranges or hash functions differ, CapacityError
/// when the entries together exceed the layout's row numbers or memory is short.
template <class Exec, class K, class M, class L, class H, class E, class S>
  requires(detail::TableLayout<L, K, H, E, S>::stores_keys)
[[nodiscard]] HashGraph<K, M, L, H, E, S> merge(const Exec& exec,
                                                const HashGraph<K, M, L, H, E, S>& a,
                                                const HashGraph<K, M, L, H, E, S>& b) {
  using Table = HashGraph<K, M, L, H, E, S>;
  detail::require_accessible_table<Exec, M>();
  Kokkos::Profiling::ScopedRegion region("hashmill::merge");
  detail::check_same_hash_range("merge", a, b);
  const std::uint64_t size = checked_add(a.size(), b.size(), "entries of merged tables");
  check_rows<typename Table::row_type>(0, size);
  typename Table::Storage storage;
  storage.allocate(exec, size, a.num_buckets());
  storage.concatenate(exec, a.ref(), b.ref());
  storage.num_live = size;
  return Table(a.hash_, a.policy_, std::move(storage));
}

}  // namespace hashmill
