#pragma once

#include <hashmill/detail/handed_over.hpp>
#include <hashmill/hash.hpp>
#include <hashmill/multi_map/bulk_lookups.hpp>
#include <hashmill/primitives/detail/exclusive_use.hpp>
#include <hashmill/tag_bucket/detail/erase.hpp>
#include <hashmill/tag_bucket/detail/insertion.hpp>
#include <hashmill/tag_bucket/detail/statistics.hpp>

namespace hashmill {

/// The hash table of Velox: an index of the caller's rows, in buckets whose 16 slots are told apart
/// by one-byte tags, compared all at once. A bucket is two cache lines of 64 bytes:
///
///     byte 0         16                 64                   112        124       128
///          | 16 tags | words of slots 0-7| words of slots 8-15| (unused) | chained |
///          | 16 x 1  | 8 x 6             | 8 x 6              | 12       | 4       |
///
///     tag      0 empty; 0x7F a tombstone; else 0x80 and 7 bits of the hash (see TagHashBits)
///     word     48 bits, lowest byte first: the row number, row_base + i, of the key's first row;
///              when that has 32 bits and keys are whole numbers of at most 32 that `Hash`
///              permutes, the other 16 tell them apart (see detail::TagSlotWords), and keys are not
///              read
///     chained  bit s: the key of slot s has further rows
///
///     next_rows | 4 | 1 | 2 | 3 | 0 … |  for each key of the source a position of sizeof(Row)
///     bytes:
///                 the next row with that key, itself for the last, no_row when it is not there
///
/// 8 bytes a slot, so 16 a different key at load factor 0.5 (9.1 at most, after which it doubles),
/// and sizeof(Row) a row. Buckets fill from left to right; a key that finds its bucket full goes to
/// the next that is not. Keys stay in the caller's columns, which must outlive the table: what is
/// stored does not depend on how wide they are.
///
/// Choose it for wide or several-column keys, where rows are added and erased, or where many
/// look-ups find nothing (one random access). LinearProbing is faster for 64-bit keys that are
/// found (it has the key in the slot), HashGraph for keys with many rows each.
///
/// - `Row`: what answers and links are made of; 32 bits serve row numbers below 2^32 - 1, 64 bits
///   those below 2^48.
/// - `Hash`: HashFor<Key>; each table hashes by a function of its own of that family
///   (HashLevel::slots), `ref().hasher()`. `Equal`: device-callable equality of keys.
/// - `KeySource`: where keys are read: a view of them, or any trivially copyable object with
///   `size()` and `KOKKOS_FUNCTION Key operator()(std::uint64_t) const`. A view whose elements lie
///   apart, such as a column of a View of several, is named here by its type.
///
/// Any key value is legal. Row i of the keys has row number `options.row_base + i`.
///
/// Insertion partitions rows by range of buckets and gives each range to one thread: no atomics,
/// and the buckets of a range stay in cache (`insert_async` and `inserter` claim slots instead, so
/// that nothing must be known on the host). Source: velox/docs/develop/hash-table.rst and
/// velox/exec/HashTable.h (parallel join build), of which the overflow of a range goes on here into
/// the next ranges in further rounds.
///
/// Concurrency: const members may overlap each other on any instances once what changed the table
/// has finished; the others and moving must not overlap anything. Of two host threads that change a
/// table at once one gets InvalidArgument.
///
/// Moving leaves a table of the same keys without buckets, in which nothing is found and whose next
/// insert makes some.
/// So does an exception that ends a change and is neither CapacityError nor InvalidArgument, such
/// as std::bad_alloc of a label's bytes: afterwards the table is as before or empty.
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
  static constexpr bool has_rows = true;
  static constexpr const char* label = "hashmill::TagBucket";
  /// Slots of a bucket, and how many of them, on average, may be taken before the table doubles.
  static constexpr std::uint64_t slots_per_bucket = detail::tag_bucket_slots;
  static constexpr std::uint64_t most_taken_slots = Storage::most_taken_slots;
  /// Row numbers are below this.
  static constexpr std::uint64_t row_limit = Storage::row_limit;

  /// Builds the table of `keys`, or of their first `options.initial_rows`, on `exec` and fences it.
  ///
  /// Reads every key twice and moves it once with its row (8 bytes with narrow keys and rows, else
  /// 16) into cache-sized ranges, where it is inserted. Temporary memory: the moved rows, twice
  /// where there are more than 4096 ranges. Throws CapacityError when row numbers would not fit
  /// `Row` or 48 bits or memory is short, InvalidArgument when the load factor exceeds 7/8 or there
  /// are fewer keys than `initial_rows`, and the errors of TagHashBits.
  template <backends::ExecutionSpace Exec, class Keys>
  explicit TagBucket(const Exec& exec, const Keys& keys, const TagBucketOptions& options = {},
                     Hash hash = {}, Equal equal = {})
      : TagBucket(exec, keys, options, Workspace<MemorySpace>(), hash, equal) {}

  /// As above; temporary memory comes from `workspace` and stays there for the next build.
  template <backends::ExecutionSpace Exec, class Keys>
  TagBucket(const Exec& exec, const Keys& keys, const TagBucketOptions& options,
            Workspace<MemorySpace>& workspace, Hash hash = {}, Equal equal = {})
      : hash_(hash),
        storage_(Storage{{Storage::template source_of<Exec>(keys), options,
                          detail::own_hash(hash, HashLevel::slots), equal}}) {
    const auto region = this->template enter<Exec>("build");
    storage_.check_row_numbers(keys.size());
    const std::uint64_t rows = options.initial_rows.value_or(keys.size());
    storage_.check_range(0, rows);
    storage_.allocate(exec, storage_.choose_buckets(rows));
    const bool fresh = !backends::has_wide_teams<Exec> && rows != 0 && rows <= storage_.room();
    if (!fresh) storage_.clear_buckets(exec);
    storage_.insert_new(exec, 0, rows, fresh, workspace);
  }

  TagBucket(TagBucket&&) noexcept = default;
  TagBucket& operator=(TagBucket&&) noexcept = default;

  /// Inserts the `count` rows of the keys from position `first` on, on `exec`, which it fences.
  /// Rows that are in the table already are counted as existing and left alone. Doubles the table
  /// as often as the number of different keys asks for; with growth off, rows with keys that find 7
  /// of 8 slots taken fail, while further rows of present keys do not.
  ///
  /// Cost as of building; rows for which there might not be room are looked up first, some at a
  /// time, so that only those whose keys are new ask for more. Throws InvalidArgument when there
  /// are fewer keys and CapacityError when memory is short: what was inserted by then stays, and
  /// calling it again inserts the others. Refs taken before are invalid.
  template <backends::ExecutionSpace Exec>
  InsertResult insert(const Exec& exec, std::uint64_t first, std::uint64_t count) {
    Workspace<MemorySpace> workspace;
    return insert(exec, first, count, workspace);
  }
  /// As above, with temporary memory of the caller's.
  template <backends::ExecutionSpace Exec>
  InsertResult insert(const Exec& exec, std::uint64_t first, std::uint64_t count,
                      Workspace<MemorySpace>& workspace) {
    const auto region = this->template enter<Exec>("insert");
    const detail::ExclusiveUse::Scope scope(use_, "TagBucket::insert");
    storage_.settle(exec);
    storage_.check_range(first, count);
    return storage_.change(
        [&] { return storage_.insert_new(exec, first, count, false, workspace); });
  }

  /// Inserts those of the `count` rows from position `first` on whose key is not there yet, one a
  /// key, and lets there(i) be the row that stands for the key of row first + i: its first in the
  /// table, whether that was there or is one of these; `no_row` where it failed. This is how rows
  /// are grouped (Velox: groupProbe): rows with one key have one representative, for good while
  /// nothing is erased. Which of several new rows stands for their key is not specified. Counts the
  /// rows left out as existing. `there` is a contiguous view of `count` rows, else InvalidArgument.
  ///
  /// A key that is found costs a look-up and nothing else: while most are, rows are not partitioned
  /// and need 4 bytes each of temporary memory. Otherwise as `insert`.
  template <backends::ExecutionSpace Exec, class There>
  InsertResult find_or_insert(const Exec& exec, std::uint64_t first, std::uint64_t count,
                              const There& there) {
    Workspace<MemorySpace> workspace;
    return find_or_insert(exec, first, count, there, workspace);
  }
  /// As above, with temporary memory of the caller's.
  template <backends::ExecutionSpace Exec, class There>
  InsertResult find_or_insert(const Exec& exec, std::uint64_t first, std::uint64_t count,
                              const There& there, Workspace<MemorySpace>& workspace) {
    static_assert(std::same_as<typename There::value_type, Row> &&
                      !std::same_as<typename There::array_layout, Kokkos::LayoutStride>,
                  "hashmill::TagBucket::find_or_insert: `there` must be a contiguous view of Row");
    detail::check_results<Exec>(count, there, "TagBucket::find_or_insert", "rows");
    return insert_unique(exec, first, count, there.data(), workspace);
  }
  /// `find_or_insert` for those who do not ask which row stands for a key: a table of unique keys.
  template <backends::ExecutionSpace Exec>
  InsertResult insert_unique(const Exec& exec, std::uint64_t first, std::uint64_t count) {
    Workspace<MemorySpace> workspace;
    return insert_unique(exec, first, count, nullptr, workspace);
  }

  /// Inserts those of the `count` rows from position `first` on for which `predicate(i)` holds, i
  /// being the row's position less `first`, and sets `outcomes(i)` for all: inserted, existing
  /// (the row was there), full or skipped. `outcomes` is a view of as many InsertOutcome, and a
  /// predicate that is a view has as many elements, else InvalidArgument; after CapacityError
  /// outcomes are not specified. Otherwise as `insert`.
  template <backends::ExecutionSpace Exec, class Predicate, class Outcomes>
  InsertResult insert_if(const Exec& exec, std::uint64_t first, std::uint64_t count,
                         const Predicate& predicate, const Outcomes& outcomes) {
    const auto region = this->template enter<Exec>("insert_if");
    const detail::ExclusiveUse::Scope scope(use_, "TagBucket::insert_if");
    storage_.settle(exec);
    detail::check_beside<Exec>(count, predicate, "TagBucket::insert_if", "predicates", "rows");
    detail::check_results<Exec>(count, outcomes, "TagBucket::insert_if", "rows");
    storage_.check_range(first, count);
    Workspace<MemorySpace> workspace;
    return storage_.change(
        [&] { return storage_.insert_wanted(exec, first, count, predicate, outcomes, workspace); });
  }

  /// `insert` that does not wait: once `exec` gets there, what happened is added to `result()`.
  /// `size()` takes it in at the next `recount`, or whatever else changes the table. Rows are
  /// inserted one by one where they are, which TagBucketInserter describes; a key with very many
  /// rows among them makes these take turns.
  ///
  /// Where there is not room for all rows, had each a key of its own, the table grows first or,
  /// with growth off, is filled as by `insert`, and either does wait. Throws as `insert`.
  template <backends::ExecutionSpace Exec>
  void insert_async(const Exec& exec, std::uint64_t first, std::uint64_t count,
                    const Kokkos::View<InsertResult, MemorySpace>& result,
                    Workspace<MemorySpace>& workspace) {
    const auto region = this->template enter<Exec>("insert_async");
    const detail::ExclusiveUse::Scope scope(use_, "TagBucket::insert_async");
    storage_.check_range(first, count);
    storage_.grow_for(exec, count, workspace);
    storage_.change([&] { storage_.insert_async(exec, first, count, {result.data()}, workspace); });
  }
  /// What kernels insert rows of the keys with, those of any position, `rows` of them at most;
  /// makes room for these as `insert_async` does. Call `recount` when they are done. Does not wait
  /// when there is room.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] auto inserter(const Exec& exec, std::uint64_t rows) {
    const auto region = this->template enter<Exec>("inserter");
    const detail::ExclusiveUse::Scope scope(use_, "TagBucket::inserter");
    Workspace<MemorySpace> workspace;
    storage_.grow_for(exec, rows, workspace);
    storage_.leave_uncounted(rows);
    return storage_.inserter(exec);
  }
  /// Counts rows and keys anew, after kernels or asynchronous operations changed the table; fences
  /// `exec`. Reads all tags, and the links of all rows.
  template <backends::ExecutionSpace Exec>
  void recount(const Exec& exec) {
    const auto region = this->template enter<Exec>("recount");
    const detail::ExclusiveUse::Scope scope(use_, "TagBucket::recount");
    storage_.settle(exec);
  }

  /// Tells the table where its keys are now, when the caller's columns moved or became longer. The
  /// first of them must be the keys so far. Rows are added with `insert`. Fences `exec`. Throws as
  /// the constructor, and InvalidArgument when there are fewer keys than before.
  template <backends::ExecutionSpace Exec, class Keys>
  void set_keys(const Exec& exec, const Keys& keys) {
    const auto region = this->template enter<Exec>("set_keys");
    const detail::ExclusiveUse::Scope scope(use_, "TagBucket::set_keys");
    storage_.settle(exec);
    storage_.replace_keys(exec, Storage::template source_of<Exec>(keys));
  }

  /// Removes every row whose key is among `queries` and returns how many they were; fences `exec`.
  /// Absent and repeated keys are fine. A slot is empty again unless its bucket was full, where it
  /// becomes a tombstone until a key is inserted there or the table is rehashed. Takes two bytes a
  /// bucket of temporary memory. Refs taken before are invalid.
  template <backends::ExecutionSpace Exec, class Queries>
  std::uint64_t erase(const Exec& exec, const Queries& queries) {
    const auto region = this->template enter<Exec>("erase");
    const detail::ExclusiveUse::Scope scope(use_, "TagBucket::erase");
    storage_.settle(exec);
    detail::require_accessible_queries<Exec, Queries>();
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
  /// `erase` that does not wait: once `exec` gets there, `erased()` is the number of rows removed.
  /// `size()` takes it in at the next `recount`, or whatever else changes the table. `workspace`
  /// must outlive the work and serve no other instance meanwhile.
  template <backends::ExecutionSpace Exec, class Queries>
  void erase_async(const Exec& exec, const Queries& queries,
                   const Kokkos::View<std::uint64_t, MemorySpace>& erased,
                   Workspace<MemorySpace>& workspace) {
    const auto region = this->template enter<Exec>("erase_async");
    const detail::ExclusiveUse::Scope scope(use_, "TagBucket::erase_async");
    detail::require_accessible_queries<Exec, Queries>();
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
  /// Removes every row for which `predicate(row)` holds and returns how many they were; fences
  /// `exec`. Slots as above. Reads every row's link once, those of one key after another, and needs
  /// no memory. A predicate that is a view has an element for every row number up to the last
  /// inserted, else InvalidArgument. Refs taken before are invalid.
  template <backends::ExecutionSpace Exec, class Predicate>
  std::uint64_t erase_if(const Exec& exec, const Predicate& predicate) {
    const auto region = this->template enter<Exec>("erase_if");
    const detail::ExclusiveUse::Scope scope(use_, "TagBucket::erase_if");
    storage_.settle(exec);
    storage_.check_predicate(predicate);
    return storage_.change(
        [&] { return storage_.forget(detail::erase_rows(exec, storage_.writer(), predicate)); });
  }

  /// Makes room for `keys` different keys in all, so that inserting up to them never doubles the
  /// table; fences `exec`. Throws CapacityError; the table is then as before.
  template <backends::ExecutionSpace Exec>
  void reserve(const Exec& exec, std::uint64_t keys) {
    const auto region = this->template enter<Exec>("reserve");
    const detail::ExclusiveUse::Scope scope(use_, "TagBucket::reserve");
    storage_.settle(exec);
    const std::uint64_t needed = storage_.buckets_holding(keys);
    if (needed <= num_buckets()) return;
    Workspace<MemorySpace> workspace;
    storage_.rehash_to(exec, needed, workspace);
  }

  /// Gives the table another number of buckets, or as many as its keys need if that is more, and
  /// drops tombstones, on `exec`, which it fences. Needs memory for the new buckets beside the old,
  /// and for the rows of all keys. Throws CapacityError; the table is then as before.
  template <backends::ExecutionSpace Exec>
  void rehash(const Exec& exec, BucketCount buckets) {
    const auto region = this->template enter<Exec>("rehash");
    const detail::ExclusiveUse::Scope scope(use_, "TagBucket::rehash");
    storage_.settle(exec);
    Workspace<MemorySpace> workspace;
    storage_.rehash_to(exec, std::max(buckets.value(), storage_.buckets_holding(storage_.num_keys)),
                       workspace);
  }
  /// Drops tombstones, keeping the number of buckets.
  template <backends::ExecutionSpace Exec>
  void rehash(const Exec& exec) {
    rehash(exec, BucketCount(std::max<std::uint64_t>(num_buckets(), 1)));
  }

  /// Removes all rows and keeps all memory; fences `exec`.
  template <backends::ExecutionSpace Exec>
  void clear(const Exec& exec) {
    const auto region = this->template enter<Exec>("clear");
    const detail::ExclusiveUse::Scope scope(use_, "TagBucket::clear");
    storage_.change([&] {
      storage_.clear_buckets(exec);
      exec.fence("hashmill::TagBucket: errors must surface here");
      storage_.count_nothing();
    });
  }

  /// The table as kernels see it; valid until it is changed, moved or destroyed.
  [[nodiscard]] ref_type ref() const { return storage_.ref(); }
  /// Rows in the table; see `recount`.
  [[nodiscard]] std::uint64_t size() const noexcept { return storage_.num_rows; }
  /// Different keys in the table; see `recount`.
  [[nodiscard]] std::uint64_t num_keys() const noexcept { return storage_.num_keys; }
  /// Buckets of 16 slots.
  [[nodiscard]] std::uint64_t num_buckets() const noexcept { return storage_.bits.num_buckets(); }
  /// Bytes of memory held; keys are the caller's.
  [[nodiscard]] std::uint64_t bytes() const {
    return storage_.buckets.extent(0) * sizeof(detail::TagBucketSlots) +
           storage_.next_rows.extent(0) * sizeof(Row);
  }
  /// The hash function that it was given; `ref().hasher()` is that of its level.
  [[nodiscard]] const Hash& hash() const noexcept { return hash_; }

  /// Fill, tombstones and probe lengths; reads all buckets and keys once and fences `exec`. Rows
  /// and keys are as many as at the last `recount`.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] TagBucketStatistics statistics(const Exec& exec) const {
    const auto region = this->template enter<Exec>("statistics");
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
                             Workspace<MemorySpace>& workspace) {
    const auto region = this->template enter<Exec>("insert_unique");
    const detail::ExclusiveUse::Scope scope(use_, "TagBucket::insert_unique");
    storage_.settle(exec);
    storage_.check_range(first, count);
    return storage_.change(
        [&] { return storage_.insert_keys(exec, first, count, there, workspace); });
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
