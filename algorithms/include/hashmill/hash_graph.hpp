#pragma once

#include <hashmill/detail/handed_over.hpp>
#include <hashmill/hash.hpp>
#include <hashmill/hash_graph/detail/erase.hpp>
#include <hashmill/hash_graph/detail/numbered_layout.hpp>
#include <hashmill/hash_graph/detail/plan.hpp>
#include <hashmill/hash_graph/detail/statistics.hpp>
#include <hashmill/hash_graph/detail/storage.hpp>
#include <hashmill/hash_graph/numbered_entries.hpp>
#include <hashmill/multi_map/bulk_lookups.hpp>
#include <hashmill/primitives/detail/enter.hpp>
#include <hashmill/primitives/detail/keys_as.hpp>

namespace hashmill {

namespace detail {
enum class Engine;
template <class Table, class Exec, class Places, Engine Choice>
class BuildInRounds;
}  // namespace detail

/// A static hash table in compressed sparse rows: it maps keys to row numbers, several per key if
/// keys repeat. Buckets are the rows of a sparse matrix, entries are its values. Source: Green,
/// "Scalable Hash Tables Using A Sparse Graph Data Structure" (2019).
///
///     offsets  | 0 | 2 | 2 | 3 | …   num_buckets + 1 numbers of sizeof(row_type), 4 or 8 bytes
///                |       |
///     entries  | a b | c | …         one per key, in bucket order, without gaps
///
/// Memory: a key takes sizeof(Entry) + sizeof(row_type) / `rows_per_bucket` bytes. There are no
/// spare slots.
///
/// Choose it where keys repeat (duplicates lie side by side), where tables are intersected, or
/// where memory is scarce.
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     Kokkos::View<std::uint64_t*, Exec> keys("keys", 1000);  // the table keeps copies
///     Kokkos::deep_copy(exec, keys, 7);
///     const hashmill::HashGraph<std::uint64_t, Exec::memory_space> table(exec, keys);
///     Kokkos::View<std::uint32_t*, Exec> rows("rows", keys.extent(0));
///     table.find(exec, keys, rows);                 // rows(q): a row of key q, or no_row
///     const auto all = table.retrieve(exec, keys);  // all rows of every query, in compressed form
///
/// - `Layout`: what an entry holds, one of KeyOnly, KeyRow, FingerprintRow and PackedRow.
/// - `Hash`: a HashFor<Key>. The highest bits of a function of its family choose the bucket. The
///   number of buckets selects that function (HashLevel::buckets), so tables with the same number
///   of buckets share it. `ref().hasher()` returns it.
/// - `Equal`: device-callable equality of keys.
/// - `KeySource`: where keys are read. It is a view of keys, or a trivially copyable object with
///   `size()` and `KOKKOS_FUNCTION Key operator()(std::uint64_t) const`. FingerprintRow and
///   PackedRow keep it for comparisons, so what it refers to must outlive the table. The other
///   layouts also take any other view of keys, such as a strided one.
///
/// Any key value is legal. Row i of the keys has row number `options.row_base + i`.
///
/// Concurrency: once the constructor has returned, const members may overlap each other on any
/// execution space instances. `rebuild`, `erase`, `compact` and moving must not overlap anything.
///
/// Moving leaves a table without buckets, in which nothing is found. `rebuild` gives it keys again.
///
/// A change may end with an exception other than CapacityError and InvalidArgument, such as
/// std::bad_alloc for the bytes of a label. The table is then as before, or as one that was moved
/// from.
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
  /// Whether entries have row numbers: `find`, `retrieve` and `retrieve_all` need them.
  static constexpr bool has_rows = Policy::has_rows;
  /// The name of the table in labels of regions and fences.
  static constexpr const char* label = "hashmill::HashGraph";

  /// Builds the table of `keys` on `exec`, then fences `exec`. `keys` is never modified.
  ///
  /// Time and bytes moved: see hash_graph/detail/build_v1.hpp and build_v2.hpp. Temporary memory is
  /// freed at the end. Throws CapacityError in three cases: row numbers exceed the layout's row
  /// type, memory is short (the message names the bytes), or `rows_per_bucket` asks for more than
  /// 2^40 buckets.
  template <backends::ExecutionSpace Exec, class Keys>
  explicit HashGraph(const Exec& exec, const Keys& keys, const HashGraphOptions& options = {},
                     Hash hash = {}, Equal equal = {})
      : HashGraph(exec, keys, options, Workspace<MemorySpace>(), hash, equal) {}

  /// As above. Temporary memory comes from `workspace`, which keeps it for the next build.
  template <backends::ExecutionSpace Exec, class Keys>
  HashGraph(const Exec& exec, const Keys& keys, const HashGraphOptions& options,
            Workspace<MemorySpace>& workspace, Hash hash = {}, Equal equal = {})
      : hash_(hash), policy_(source_of<Exec>(keys), options.row_base, hash, equal) {
    const auto region = detail::enter(exec, *this, "build");
    build(exec, source_of<Exec>(keys), options, workspace);
  }

  /// Builds the table of entries that already have row numbers, on `exec`, then fences `exec`.
  /// Other tables call this to compact themselves. It needs the KeyRow layout and ignores
  /// `options.row_base`. Otherwise as above.
  template <backends::ExecutionSpace Exec>
  HashGraph(const Exec& exec, const NumberedEntries<Key, row_type>& entries,
            const HashGraphOptions& options, Workspace<MemorySpace>& workspace, Hash hash = {},
            Equal equal = {})
      : hash_(hash), policy_(KeySource(), 0, hash, equal) {
    static_assert(std::same_as<Layout, KeyRow<row_type>>,
                  "hashmill::HashGraph: entries with row numbers need the KeyRow layout");
    const auto region = detail::enter(exec, *this, "build");
    storage_.allocate(exec, entries.size(),
                      HashRange::whole(detail::bucket_count(entries.size(), options)));
    policy_ = policy(KeySource(), 0);
    storage_.build(exec, detail::NumberedLayout<Policy>(policy_), entries, options, workspace);
    storage_.num_live = entries.size();
  }

  /// Replaces the contents by a table of other keys, on `exec`, then fences `exec`. The hash
  /// function and the equality stay. Refs taken before are invalid.
  ///
  /// Allocates nothing if the numbers of keys and buckets are unchanged and `workspace` has served
  /// such a build. Throws as the constructor. The table is then empty or as before, never
  /// half-built.
  template <backends::ExecutionSpace Exec, class Keys>
  void rebuild(const Exec& exec, const Keys& keys, const HashGraphOptions& options,
               Workspace<MemorySpace>& workspace) {
    const auto region = detail::enter(exec, *this, "rebuild");
    check_rows<row_type>(options.row_base, keys.size());
    build(exec, source_of<Exec>(keys), options, workspace);
  }

  /// Moving hands the memory over and empties the source. Waits for nothing.
  HashGraph(HashGraph&&) noexcept = default;
  HashGraph& operator=(HashGraph&&) noexcept = default;

  /// The most bytes that building a table of `num_keys` keys holds at once, the table included. A
  /// skewed input whose bins outgrow a team needs up to `num_keys` records more. Allocates nothing.
  /// Throws CapacityError if the bytes exceed 64 bits or `rows_per_bucket` asks for more than
  /// 2^40 buckets.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] static std::uint64_t predicted_peak_bytes(const Exec& exec, std::uint64_t num_keys,
                                                          const HashGraphOptions& options = {}) {
    return detail::predicted_peak_bytes<Policy>(exec, num_keys, options);
  }

  /// The number of bins that building a table of `num_keys` keys will use. Allocates nothing.
  ///
  ///     | build                        | bins                                                   |
  ///     |------------------------------|--------------------------------------------------------|
  ///     | no keys, or version 1        | 0                                                      |
  ///     | version 2 with `bins`        | the most, up to `bins`, that hold 2^k buckets each     |
  ///     | version 2 without `bins`     | as detail::plan_bins chooses                           |
  ///
  /// A bin holds at most 2^13 buckets on GPUs (what a team can count) and 2^20 on hosts. Where
  /// `bins` would make bins larger than that, more bins are made. Tests: HashGraphBins.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] static std::uint64_t planned_bins(const Exec& exec, std::uint64_t num_keys,
                                                  const HashGraphOptions& options = {}) {
    return detail::planned_bins<Policy>(exec, num_keys, options);
  }

  /// The table as kernels see it. Valid until the table is modified, moved or destroyed.
  [[nodiscard]] ref_type ref() const { return storage_.template ref<ref_type>(policy_); }
  /// Number of live entries.
  [[nodiscard]] std::uint64_t size() const noexcept { return storage_.num_live; }
  /// Number of buckets.
  [[nodiscard]] std::uint64_t num_buckets() const noexcept { return storage_.range.count; }
  /// The hash range: all buckets, or those of a share of a DistributedHashGraph.
  [[nodiscard]] const HashRange& hash_range() const noexcept { return storage_.range; }
  /// Number of positions: those of live entries, and the gaps that erasing left until the next
  /// `compact`.
  [[nodiscard]] std::uint64_t num_positions() const noexcept { return storage_.entries.size(); }
  /// Bytes of memory that the table holds, without the keys of FingerprintRow and PackedRow.
  [[nodiscard]] std::uint64_t bytes() const { return storage_.bytes(); }
  /// The hash function that the constructor was given. `ref().hasher()` is the function of its
  /// family that the table uses.
  [[nodiscard]] const Hash& hash() const noexcept { return hash_; }

  /// Removes every entry whose key is among `queries`, on `exec`, and returns the number removed.
  /// Fences `exec`. Queries may be absent from the table and may repeat.
  ///
  /// Buckets shrink in place, and each has a length of its own afterwards (Green 2019, deletions).
  /// There are no tombstones, so later look-ups get faster, not slower. The first erase adds
  /// sizeof(row_type) bytes per bucket. Temporary memory: one bit per entry and one per bucket.
  /// Throws CapacityError if memory is short; no entry is removed then. Refs taken before are
  /// invalid.
  template <backends::ExecutionSpace Exec, class Queries>
  std::uint64_t erase(const Exec& exec, const Queries& queries) {
    const auto region = detail::enter(exec, *this, "erase");
    detail::check_single_keys<Exec>(queries);
    if (size() == 0) return 0;
    Workspace<MemorySpace> workspace;
    if (storage_.lengths.size() == 0) {
      const auto lengths = backends::allocate<decltype(storage_.lengths)>(
          exec, "hashmill::hash_graph::lengths", storage_.range.count);
      detail::fill_lengths(exec, storage_.offsets.data(), storage_.range.count, lengths.data());
      storage_.lengths = lengths;
    }
    return storage_.change([&] {
      const detail::ShrinkingBuckets<ref_type> buckets{ref(), storage_.entries.data(),
                                                       storage_.lengths.data()};
      const std::uint64_t removed =
          detail::erase_matches(exec, buckets, queries, storage_.entries.size(), workspace);
      storage_.num_live -= removed;
      return removed;
    });
  }

  /// Rebuilds the table without the gaps that erasing left, on `exec`, then fences `exec`. Does
  /// nothing if no entry was ever erased. Needs memory for the new table beside the old one. On
  /// CapacityError the table is as before. Refs taken before are invalid.
  template <backends::ExecutionSpace Exec>
  void compact(const Exec& exec) {
    const auto region = detail::enter(exec, *this, "compact");
    if (storage_.lengths.size() == 0) return;
    Storage compacted;
    compacted.allocate(exec, size(), storage_.range);
    const ref_type none(policy_, nullptr, nullptr, nullptr, HashRange());
    compacted.concatenate(exec, ref(), none);
    compacted.num_live = size();
    storage_ = std::move(compacted);
  }

  /// Returns bucket lengths and memory. Reads all offsets once, on `exec`, then fences `exec`.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] HashGraphStatistics statistics(const Exec& exec) const {
    const auto region = detail::enter(exec, *this, "statistics");
    HashGraphStatistics result = detail::bucket_statistics<MemorySpace>(exec, ref());
    result.num_entries = size();
    result.bytes = bytes();
    return result;
  }

 private:
  template <class, class, class>
  friend class MultiMapLookups;
  template <class, class, class, detail::Engine>
  friend class detail::BuildInRounds;
  [[nodiscard]] detail::BucketEntries<ref_type> entry_parts() const {
    return {ref(), num_positions()};
  }

  /// Builds with temporary memory that is freed afterwards.
  template <class Exec, class Keys>
  HashGraph(const Exec& exec, const Keys& keys, const HashGraphOptions& options,
            Workspace<MemorySpace>&& workspace, Hash hash, Equal equal)
      : HashGraph(exec, keys, options, workspace, hash, equal) {}

  /// What a build reads keys from: the table's own kind of source, or another view of keys if the
  /// layout stores them.
  template <class Exec, class Keys>
  [[nodiscard]] static auto source_of(const Keys& keys) {
    detail::require_keys<Keys>();
    detail::check_single_keys<Exec>(keys);
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

  /// The policy for the current number of buckets.
  template <class Keys>
  [[nodiscard]] Policy policy(const Keys& keys, std::uint64_t row_base) const {
    return Policy(keys, row_base, hash_at(hash_, HashLevel::buckets, storage_.range.total),
                  policy_.equal());
  }

  template <class Exec, class Keys>
  void build(const Exec& exec, const Keys& keys, const HashGraphOptions& options,
             Workspace<MemorySpace>& workspace) {
    const std::uint64_t size = keys.size();
    check_rows<row_type>(options.row_base, size);
    storage_.allocate(exec, size, HashRange::whole(detail::bucket_count(size, options)));
    policy_ = policy(keys, options.row_base);  // not before: the old policy reads the old entries
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

/// Returns a table of the live entries of `a` and of `b`, which stay as they are. Built on `exec`,
/// which is fenced. Reads and writes every entry once. Rows keep their numbers.
///
/// This is how a batch of keys is inserted into a static table (Green 2019, dynamic inserts). Build
/// the batch with the same hash range and with its own `row_base`, then merge.
///
/// Only for layouts that store their keys. Throws InvalidArgument if the hash ranges or hash
/// functions differ. Throws CapacityError if the entries together exceed the layout's row numbers
/// or memory is short.
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
  storage.allocate(exec, size, a.hash_range());
  storage.concatenate(exec, a.ref(), b.ref());
  storage.num_live = size;
  return Table(a.hash_, a.policy_, std::move(storage));
}

}  // namespace hashmill

#ifdef HASHMILL_INSTANCES
#include <hashmill/hash_graph/instances.hpp>
#endif
