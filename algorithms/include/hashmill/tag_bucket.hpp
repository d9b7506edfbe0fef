#pragma once

#include <hashmill/detail/handed_over.hpp>
#include <hashmill/hash.hpp>
#include <hashmill/multi_map/bulk_lookups.hpp>
#include <hashmill/primitives/detail/enter.hpp>
#include <hashmill/tag_bucket/detail/erase.hpp>
#include <hashmill/tag_bucket/detail/insertion.hpp>
#include <hashmill/tag_bucket/detail/statistics.hpp>

namespace hashmill {

/// The hash table of Velox: an index of the caller's rows, several per key if keys repeat. A bucket
/// has 16 slots and a one-byte tag per slot. A look-up compares all 16 tags at once. A bucket is
/// two cache lines of 64 bytes:
///
///     byte 0         16                   64                    112      124       128
///          | 16 tags | words of slots 0-7 | words of slots 8-15 | unused | chained |
///          | 16 x 1  | 8 x 6              | 8 x 6               | 12     | 4       |
///
///     tag      0 empty; 0x7F a tombstone; 0x80 and 7 bits of the hash: a key (see TagHashBits)
///     word     48 bits, lowest byte first; without remainders the number of the key's first row,
///              with remainders that number in 32 bits and 16 bits which tell keys apart
///     chained  bit s is set if the key of slot s has further rows
///
///     next_rows | 4 | 1 | 2 | 3 | 0 … |   one position of sizeof(Row) bytes per key of the source:
///                                         the next row with that key; itself for the last one;
///                                         no_row if the row is not in the table
///
/// Words have remainders if row numbers have 32 bits and keys are whole numbers of at most 32 bits
/// that `Hash` permutes, with KeyEqual and without `velox_layout`. Keys are then mostly not read
/// (see detail::TagSlotWords).
///
/// Memory: 8 bytes per slot, and sizeof(Row) bytes per row for the links. Slots take 16 bytes per
/// distinct key at load factor 0.5, and 9.1 just before the table doubles. Keys stay in the
/// caller's columns, which must outlive the table, so their width does not matter.
///
/// Buckets fill from left to right. A key that finds its bucket full goes to the next one with an
/// empty slot.
///
/// Choose it for wide keys or keys of several columns, where rows are added and erased, or where
/// many look-ups find nothing (one random access). LinearProbing is faster for 64-bit keys that are
/// found, because the key is in the slot. HashGraph is faster for keys with many rows each.
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     Kokkos::View<std::uint64_t*, Exec> keys("keys", 1000);  // must outlive the table
///     const hashmill::TagBucketOptions half{.initial_rows = 500};
///     hashmill::TagBucket<std::uint64_t, Exec::memory_space> table(exec, keys, half);
///     const auto result = table.insert(exec, 500, 500);  // the rows from position 500 on
///     Kokkos::View<std::uint32_t*, Exec> rows("rows", keys.extent(0));
///     table.find(exec, keys, rows);                 // rows(q): a row of key q, or no_row
///     const auto all = table.retrieve(exec, keys);  // the rows of all queries, in compressed form
///
/// - `Row`: the type of answers and links. 32 bits serve row numbers below 2^32 - 1, 64 bits those
///   below 2^48.
/// - `Hash`: a HashFor<Key>. Each table hashes by its own function of that family
///   (HashLevel::slots), which `ref().hasher()` returns. `Equal`: device-callable equality of keys.
/// - `KeySource`: where keys are read. It is a view of keys, or a trivially copyable object with
///   `size()` and `KOKKOS_FUNCTION Key operator()(std::uint64_t) const`. A strided view, such as a
///   column of a two-dimensional View, must be named here by its type.
///
/// Any key value is legal. Row i of the keys has row number `options.row_base + i`.
///
/// Insertion partitions rows by range of buckets and gives each range to one thread, or to one team
/// of a GPU where there is a row for each bucket. This needs no atomics on slots, and the buckets
/// of a range stay in cache or scratch. `insert_async` and `inserter` claim slots atomically
/// instead, because then the host needs no intermediate result.
///
/// Source: velox/docs/develop/hash-table.rst and velox/exec/HashTable.h (parallel join build). Rows
/// that overflow a range go into the next ranges here, in further rounds.
///
/// Concurrency: once what changed the table has finished, const members may overlap each other on
/// any instances. The other members and moving must not overlap anything. If two host threads
/// change a table at once, one of them gets InvalidArgument.
///
/// Moving leaves a table of the same keys without buckets, in which nothing is found. Its next
/// insert makes some.
///
/// A change may end with an exception other than CapacityError and InvalidArgument, such as
/// std::bad_alloc for the bytes of a label. The table is then as before, or as one that was moved
/// from.
template <class Key, class MemorySpace, RowNumber Row = std::uint32_t, class Hash = Murmur3Hash,
          class Equal = KeyEqual, class KeySource = Kokkos::View<const Key*, MemorySpace>>
class TagBucket : public MultiMapLookups<TagBucket<Key, MemorySpace, Row, Hash, Equal, KeySource>,
                                         Row, MemorySpace> {
  using Storage = detail::TagBucketInsertion<
      detail::TagBucketStorage<Key, MemorySpace, Row, Hash, Equal, KeySource>>;

  static_assert(std::is_trivially_copyable_v<Key>,
                "hashmill::TagBucket: keys must be trivially copyable");
  static_assert(HashFor<Hash, Key>,
                "hashmill::TagBucket: Hash must be callable with a key and return 64 bits");

 public:
  using key_type = Key;
  using memory_space = MemorySpace;
  using row_type = Row;
  using ref_type = typename Storage::Ref;
  /// Whether entries have row numbers.
  static constexpr bool has_rows = true;
  /// The name of the table in labels of regions and fences.
  static constexpr const char* label = "hashmill::TagBucket";
  /// Slots per bucket, and how many of them may be taken on average before the table doubles.
  static constexpr std::uint64_t slots_per_bucket = detail::tag_bucket_slots;
  static constexpr std::uint64_t most_taken_slots = Storage::most_taken_slots;
  /// The limit of row numbers: all are below it.
  static constexpr std::uint64_t row_limit = Storage::row_limit;

  /// Builds the table of `keys`, or of their first `options.initial_rows`, on `exec`, then fences
  /// `exec`.
  ///
  /// Reads every key twice and moves it once with its row into cache-sized ranges, where it is
  /// inserted. A moved row takes 8 bytes with narrow keys and rows, else 16. Temporary memory: the
  /// moved rows, twice if there are more ranges than one level of partitioning makes.
  ///
  /// Throws CapacityError if row numbers do not fit `Row` or 48 bits, or memory is short. Throws
  /// InvalidArgument if the load factor exceeds 7/8 or there are fewer keys than `initial_rows`.
  /// Also throws the errors of TagHashBits.
  template <backends::ExecutionSpace Exec, class Keys>
  explicit TagBucket(const Exec& exec, const Keys& keys, const TagBucketOptions& options = {},
                     Hash hash = {}, Equal equal = {})
      : TagBucket(exec, keys, options, Workspace<MemorySpace>(), hash, equal) {}

  /// As above. Temporary memory comes from `workspace`, which keeps it for the next build.
  template <backends::ExecutionSpace Exec, class Keys>
  TagBucket(const Exec& exec, const Keys& keys, const TagBucketOptions& options,
            Workspace<MemorySpace>& workspace, Hash hash = {}, Equal equal = {})
      : hash_(hash),
        storage_(Storage{{Storage::template source_of<Exec>(keys), options,
                          detail::own_hash(hash, HashLevel::slots), equal}}) {
    const auto region = detail::enter(exec, *this, "build");
    storage_.check_row_numbers(keys.size());
    const std::uint64_t rows = options.initial_rows.value_or(keys.size());
    storage_.check_range(0, rows);
    storage_.allocate(exec, storage_.choose_buckets(rows));
    const bool fresh = rows != 0 && rows <= storage_.room();
    if (!fresh) storage_.buckets.clear(exec);
    storage_.insert_new(exec, 0, rows, fresh, workspace);
  }

  /// Moving hands the memory over and empties the source. Waits for nothing.
  TagBucket(TagBucket&&) noexcept = default;
  TagBucket& operator=(TagBucket&&) noexcept = default;

  /// Inserts the `count` rows of the keys from position `first` on, on `exec`, then fences `exec`.
  /// Rows that are in the table already count as existing and stay as they are.
  ///
  /// The table doubles as often as the number of distinct keys requires. With `growth` off, rows
  /// with new keys fail once 7 of 8 slots are taken. Further rows of present keys do not fail.
  ///
  /// Cost: as of building. Rows that might not fit are looked up first, some at a time, so that
  /// only those with new keys require more room. Refs taken before are invalid.
  ///
  /// Throws InvalidArgument if there are fewer keys, CapacityError if memory is short. After
  /// CapacityError the rows inserted so far stay, and a second call inserts the others.
  template <backends::ExecutionSpace Exec>
  InsertResult insert(const Exec& exec, std::uint64_t first, std::uint64_t count) {
    Workspace<MemorySpace> workspace;
    return insert(exec, first, count, workspace);
  }
  /// As above, with temporary memory from the caller's `workspace`.
  template <backends::ExecutionSpace Exec>
  InsertResult insert(const Exec& exec, std::uint64_t first, std::uint64_t count,
                      Workspace<MemorySpace>& workspace) {
    const auto scope = detail::enter(exec, *this, "insert", use_);
    storage_.settle(exec);
    storage_.check_range(first, count);
    return storage_.change(
        [&] { return storage_.insert_new(exec, first, count, false, workspace); });
  }

  /// Inserts one row per new key, of the `count` rows from position `first` on. there(i) becomes
  /// the row that stands for the key of row first + i: its first row in the table, old or new, or
  /// `no_row` if it failed.
  ///
  /// This is how rows are grouped (Velox: groupProbe). Rows with one key have one representative,
  /// and it stays the same while nothing is erased. If several new rows have the key, any one of
  /// them may stand for it. Rows left out count as existing. `there` is a contiguous view of
  /// `count` rows, else InvalidArgument.
  ///
  /// A key that is found costs a look-up and nothing else. While most keys are found, rows are not
  /// partitioned and need 4 bytes each of temporary memory. Otherwise as `insert`.
  template <backends::ExecutionSpace Exec, class There>
  InsertResult find_or_insert(const Exec& exec, std::uint64_t first, std::uint64_t count,
                              const There& there) {
    Workspace<MemorySpace> workspace;
    return find_or_insert(exec, first, count, there, workspace);
  }
  /// As above, with temporary memory from the caller's `workspace`. `expected_new` is about how
  /// many keys are new, if the caller knows. The table then takes no sample of them.
  template <backends::ExecutionSpace Exec, class There>
  InsertResult find_or_insert(const Exec& exec, std::uint64_t first, std::uint64_t count,
                              const There& there, Workspace<MemorySpace>& workspace,
                              std::optional<std::uint64_t> expected_new = {}) {
    static_assert(std::same_as<typename There::value_type, Row> &&
                      !std::same_as<typename There::array_layout, Kokkos::LayoutStride>,
                  "hashmill::TagBucket::find_or_insert: `there` must be a contiguous view of Row");
    detail::check_results<Exec>(count, there, "TagBucket::find_or_insert", "rows");
    return insert_unique(exec, first, count, there.data(), workspace, expected_new);
  }
  /// `find_or_insert` without telling which row stands for a key. This makes a table of unique
  /// keys.
  template <backends::ExecutionSpace Exec>
  InsertResult insert_unique(const Exec& exec, std::uint64_t first, std::uint64_t count) {
    Workspace<MemorySpace> workspace;
    return insert_unique(exec, first, count, nullptr, workspace, {});
  }

  /// Inserts those of the `count` rows from position `first` on for which `predicate(i)` holds,
  /// where i is the position of the row less `first`. Sets `outcomes(i)` for all: inserted,
  /// existing (the row was in the table), full or skipped.
  ///
  /// `outcomes` is a view of `count` InsertOutcome, and a predicate that is a view has `count`
  /// elements, else InvalidArgument. After CapacityError outcomes are unspecified. Otherwise as
  /// `insert`.
  template <backends::ExecutionSpace Exec, class Predicate, class Outcomes>
  InsertResult insert_if(const Exec& exec, std::uint64_t first, std::uint64_t count,
                         const Predicate& predicate, const Outcomes& outcomes) {
    const auto scope = detail::enter(exec, *this, "insert_if", use_);
    storage_.settle(exec);
    detail::check_beside<Exec>(count, predicate, "TagBucket::insert_if", "predicates", "rows");
    detail::check_results<Exec>(count, outcomes, "TagBucket::insert_if", "rows");
    storage_.check_range(first, count);
    Workspace<MemorySpace> workspace;
    return storage_.change(
        [&] { return storage_.insert_wanted(exec, first, count, predicate, outcomes, workspace); });
  }

  /// `insert` that does not wait. When `exec` reaches it, the counts are added to `result()`.
  /// `size()` takes them in at the next `recount`, or when something else changes the table. Rows
  /// are inserted one by one, as TagBucketInserter describes. If a key has very many rows among
  /// them, these take turns.
  ///
  /// It does wait if the rows, each with a key of its own, might not fit. The table then grows
  /// first or, with `growth` off, is filled as by `insert`. Throws as `insert`.
  template <backends::ExecutionSpace Exec>
  void insert_async(const Exec& exec, std::uint64_t first, std::uint64_t count,
                    const Kokkos::View<InsertResult, MemorySpace>& result,
                    Workspace<MemorySpace>& workspace) {
    const auto scope = detail::enter(exec, *this, "insert_async", use_);
    storage_.check_range(first, count);
    storage_.grow_for(exec, count, workspace);
    storage_.change([&] { storage_.insert_async(exec, first, count, {result.data()}, workspace); });
  }
  /// Returns an object with which kernels insert rows of the keys, from any positions, at most
  /// `rows` of them. Makes room for these as `insert_async` does, and does not wait if there is
  /// room. Call `recount` when the kernels are done.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] auto inserter(const Exec& exec, std::uint64_t rows) {
    const auto scope = detail::enter(exec, *this, "inserter", use_);
    Workspace<MemorySpace> workspace;
    storage_.grow_for(exec, rows, workspace);
    storage_.leave_uncounted(rows);
    return storage_.inserter(exec);
  }
  /// Counts rows and keys again, after kernels or asynchronous operations changed the table. Reads
  /// all tags and the links of all rows, on `exec`, then fences `exec`.
  template <backends::ExecutionSpace Exec>
  void recount(const Exec& exec) {
    const auto scope = detail::enter(exec, *this, "recount", use_);
    storage_.settle(exec);
  }

  /// Tells the table where its keys are now, after the caller's columns moved or became longer. The
  /// new source must begin with the keys so far. `insert` adds the further rows. Fences `exec`.
  /// Throws as the constructor, and InvalidArgument if there are fewer keys than before.
  template <backends::ExecutionSpace Exec, class Keys>
  void set_keys(const Exec& exec, const Keys& keys) {
    const auto scope = detail::enter(exec, *this, "set_keys", use_);
    storage_.settle(exec);
    storage_.replace_keys(exec, Storage::template source_of<Exec>(keys));
  }

  /// Removes every row whose key is among `queries`, on `exec`, and returns the number removed.
  /// Fences `exec`. Queries may be absent from the table and may repeat. Refs taken before are
  /// invalid.
  ///
  /// An erased slot becomes empty, unless its bucket was full. Then it becomes a tombstone until a
  /// key is inserted there or the table is rehashed. Temporary memory: two bytes per bucket.
  template <backends::ExecutionSpace Exec, class Queries>
  std::uint64_t erase(const Exec& exec, const Queries& queries) {
    const auto scope = detail::enter(exec, *this, "erase", use_);
    storage_.settle(exec);
    detail::check_single_keys<Exec>(queries);
    Workspace<MemorySpace> workspace;
    typename Workspace<MemorySpace>::Frame frame(workspace);
    return storage_.change([&] {
      std::uint64_t rows = 0;
      detail::ErasedKeys erased;
      detail::erase_keys(exec, storage_.writer(), queries, rows, erased, workspace);
      erased.rows = rows;
      return storage_.forget(erased);
    });
  }
  /// `erase` that does not wait. When `exec` reaches it, `erased()` becomes the number of rows
  /// removed. `size()` takes it in at the next `recount`, or when something else changes the table.
  /// `workspace` must outlive the work and must not serve another instance meanwhile.
  template <backends::ExecutionSpace Exec, class Queries>
  void erase_async(const Exec& exec, const Queries& queries,
                   const Kokkos::View<std::uint64_t, MemorySpace>& erased,
                   Workspace<MemorySpace>& workspace) {
    const auto scope = detail::enter(exec, *this, "erase_async", use_);
    detail::check_single_keys<Exec>(queries);
    typename Workspace<MemorySpace>::Frame frame(workspace);
    const auto slots = workspace.template take<detail::ErasedKeys>(exec, 1);
    using Unread =
        Kokkos::View<detail::ErasedKeys, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    const Unread unread(slots.data());
    storage_.change([&] {
      detail::erase_keys(exec, storage_.writer(), queries, erased, unread, workspace);
      storage_.leave_uncounted(0);
    });
  }
  /// Removes every row for which `predicate(row)` holds, on `exec`, and returns the number removed.
  /// Fences `exec`. Slots become empty or tombstones as by `erase`. Reads the link of every row
  /// once, those of one key one after another, and needs no memory. Refs taken before are invalid.
  ///
  /// A predicate that is a view has one element per row number up to the last one inserted, else
  /// InvalidArgument.
  template <backends::ExecutionSpace Exec, class Predicate>
  std::uint64_t erase_if(const Exec& exec, const Predicate& predicate) {
    const auto scope = detail::enter(exec, *this, "erase_if", use_);
    storage_.settle(exec);
    storage_.check_predicate(predicate);
    return storage_.change(
        [&] { return storage_.forget(detail::erase_rows(exec, storage_.writer(), predicate)); });
  }

  /// Makes room for `keys` distinct keys in all, so that inserting up to them never doubles the
  /// table. Fences `exec`. Throws CapacityError if memory is short; the table is then as before.
  template <backends::ExecutionSpace Exec>
  void reserve(const Exec& exec, std::uint64_t keys) {
    const auto scope = detail::enter(exec, *this, "reserve", use_);
    storage_.settle(exec);
    const std::uint64_t needed = storage_.buckets_holding(keys);
    if (needed <= num_buckets()) return;
    Workspace<MemorySpace> workspace;
    storage_.rehash_to(exec, needed, workspace);
  }

  /// Gives the table another number of buckets, or as many as its keys need if that is more, and
  /// drops tombstones. Runs on `exec`, then fences `exec`. Needs memory for the new buckets beside
  /// the old ones, and for one row per key. Throws CapacityError if memory is short; the table is
  /// then as before.
  template <backends::ExecutionSpace Exec>
  void rehash(const Exec& exec, BucketCount buckets) {
    const auto scope = detail::enter(exec, *this, "rehash", use_);
    storage_.settle(exec);
    Workspace<MemorySpace> workspace;
    storage_.rehash_to(exec, std::max(buckets.value(), storage_.buckets_holding(storage_.num_keys)),
                       workspace);
  }
  /// Drops tombstones and keeps the number of buckets. Otherwise as above.
  template <backends::ExecutionSpace Exec>
  void rehash(const Exec& exec) {
    rehash(exec, BucketCount(std::max<std::uint64_t>(num_buckets(), 1)));
  }

  /// Removes all rows and keeps all memory. Fences `exec`.
  template <backends::ExecutionSpace Exec>
  void clear(const Exec& exec) {
    const auto scope = detail::enter(exec, *this, "clear", use_);
    storage_.change([&] {
      storage_.buckets.clear(exec);
      exec.fence("hashmill::TagBucket: errors must surface here");
      storage_.count_nothing();
    });
  }

  /// The table as kernels see it. Valid until the table is changed, moved or destroyed.
  [[nodiscard]] ref_type ref() const { return storage_.ref(); }
  /// Number of rows in the table. See `recount`.
  [[nodiscard]] std::uint64_t size() const noexcept { return storage_.num_rows; }
  /// Number of distinct keys in the table. See `recount`.
  [[nodiscard]] std::uint64_t num_keys() const noexcept { return storage_.num_keys; }
  /// Number of buckets of 16 slots.
  [[nodiscard]] std::uint64_t num_buckets() const noexcept { return storage_.bits.num_buckets(); }
  /// Bytes of memory that the table holds, without the keys, which are the caller's.
  [[nodiscard]] std::uint64_t bytes() const {
    return storage_.buckets.size() * sizeof(detail::TagBucketSlots) +
           storage_.next_rows.size() * sizeof(Row);
  }
  /// The hash function that the constructor was given. `ref().hasher()` is the function of its
  /// family that the table uses.
  [[nodiscard]] const Hash& hash() const noexcept { return hash_; }

  /// Returns fill, tombstones and probe lengths. Reads all buckets and keys once, on `exec`, then
  /// fences `exec`. The numbers of rows and keys are those of the last `recount`.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] TagBucketStatistics statistics(const Exec& exec) const {
    const auto region = detail::enter(exec, *this, "statistics");
    const detail::BucketSurvey survey = detail::survey_buckets(exec, ref());
    return {
        .num_rows = storage_.num_rows,
        .num_keys = storage_.num_keys,
        .num_buckets = num_buckets(),
        .tombstones = storage_.tombstones,
        .full_buckets = survey.full_buckets,
        .longest_probe = survey.longest_probe,
        .bytes = bytes(),
        .fill = static_cast<double>(storage_.num_keys) /
                static_cast<double>(std::max<std::uint64_t>(num_buckets(), 1) * slots_per_bucket)};
  }

 private:
  template <class Exec>
  InsertResult insert_unique(const Exec& exec, std::uint64_t first, std::uint64_t count, Row* there,
                             Workspace<MemorySpace>& workspace,
                             std::optional<std::uint64_t> expected_new) {
    const auto scope = detail::enter(exec, *this, "insert_unique", use_);
    storage_.settle(exec);
    storage_.check_range(first, count);
    return storage_.change(
        [&] { return storage_.insert_keys(exec, first, count, there, expected_new, workspace); });
  }

  template <class, class, class>
  friend class MultiMapLookups;
  [[nodiscard]] detail::LinkedEntries<ref_type> entry_parts() const {
    return {ref(), storage_.num_linked};
  }

  template <class Exec, class Keys>
  TagBucket(const Exec& exec, const Keys& keys, const TagBucketOptions& options,
            Workspace<MemorySpace>&& workspace, Hash hash, Equal equal)
      : TagBucket(exec, keys, options, workspace, hash, equal) {}

  Hash hash_;
  detail::HandedOver<Storage> storage_;
  detail::ExclusiveUse use_;
};

}  // namespace hashmill
