#pragma once

#include <hashmill/detail/handed_over.hpp>
#include <hashmill/hash.hpp>
#include <hashmill/linear_probing/detail/insertion.hpp>
#include <hashmill/multi_map/bulk_lookups.hpp>
#include <hashmill/primitives/detail/enter.hpp>

namespace hashmill {

/// A dynamic hash table with open addressing: it maps keys to row numbers. Probing is linear over
/// windows of 32 bytes, the sector that memory transfers at once. At moderate load a look-up is one
/// random access.
///
///     windows  | slot slot slot slot | slot slot slot slot | …      32 bytes each, aligned
///     slot     | key (<= 4) row (4) |       8 bytes, 4 per window, changed by one atomic
///              | key (8)    row (4 or 8) |  16 bytes, 2 per window
///              | key (16)   row (4 or 8) |  32 bytes, 1 per window
///
/// Choose it where keys come and go, or where a look-up should cost one access. With many rows per
/// key, HashGraph is smaller and faster.
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     Kokkos::View<std::uint32_t*, Exec> keys("keys", 1000), rows("rows", 1000);
///     hashmill::LinearProbing<std::uint32_t, Exec::memory_space> table(exec, 1000);
///     const auto result = table.insert(exec, keys, rows);  // inserted, existing, failed
///     Kokkos::View<std::uint32_t*, Exec> found("found", keys.extent(0));
///     table.find(exec, keys, found);                // found(q): the row of key q, or no_row
///     const auto all = table.retrieve(exec, keys);  // the rows of all queries, in compressed form
///     table.erase(exec, keys);
///
/// - `Kind`: UniqueKeys (a map; a set if nobody asks for rows) or RepeatedKeys (a multi-map).
/// - `Row`: 32 or 64 bits. A key maps to any number below `no_row<Row> - 2`.
/// - `Hash`: a HashFor<Key>. `Equal`: device-callable equality. Keys have 1 to 16 bytes.
///
/// The home window of a key comes from the highest bits of its hash. So the table is in hash order,
/// except for collisions. Each table hashes by its own function of the family of `Hash`
/// (HashLevel::slots), which `ref().hasher()` returns. Thus the entries of one table can go into
/// another in any order, at a constant cost each.
///
/// No key is reserved. The three largest row numbers stand for empty, erased and being written.
/// Erasing leaves a tombstone, which counts as used until the next `rehash`. Growing rehashes.
///
/// Concurrency: const members may overlap each other; for operations on `ref()` see
/// LinearProbingRef. Other members must not overlap anything. One that is called while a second
/// host thread runs another on this table throws InvalidArgument.
///
/// Moving leaves a table without slots, in which nothing is found. Its next insert makes some.
///
/// A change may end with an exception other than CapacityError and InvalidArgument, such as
/// std::bad_alloc for the bytes of a label. The table is then as before, or as one that was moved
/// from.
///
/// Source: the design of NVIDIA's cuCollections (static_map, static_multimap), here with windows as
/// sectors and partitioned bulk inserts.
template <class Key, class MemorySpace, class Kind = UniqueKeys, RowNumber Row = std::uint32_t,
          class Hash = Murmur3Hash, class Equal = KeyEqual>
class LinearProbing
    : public MultiMapLookups<LinearProbing<Key, MemorySpace, Kind, Row, Hash, Equal>, Row,
                             MemorySpace> {
  static_assert(std::is_trivially_copyable_v<Key> && sizeof(Key) <= 16,
                "hashmill::LinearProbing: keys must be trivially copyable, of at most 16 bytes");
  static_assert(HashFor<Hash, Key>,
                "hashmill::LinearProbing: Hash must be callable with a key and return 64 bits");
  using Storage = detail::LinearProbingInsertion<
      detail::LinearProbingStorage<Key, MemorySpace, Kind, Row, Hash, Equal>>;

 public:
  using key_type = Key;
  using memory_space = MemorySpace;
  using row_type = Row;
  using ref_type = typename Storage::Ref;
  using Window = typename Storage::Window;
  /// Whether entries have row numbers, and whether a key has at most one.
  static constexpr bool has_rows = true;
  static constexpr bool unique = ref_type::unique;
  /// The name of the table in labels of regions and fences.
  static constexpr const char* label = "hashmill::LinearProbing";

  /// Makes an empty table with room for `capacity` entries at the load factor of the options, on
  /// `exec`, then fences `exec`. Throws InvalidArgument if the load factor is above 0.95,
  /// CapacityError if memory is short.
  template <backends::ExecutionSpace Exec>
  LinearProbing(const Exec& exec, std::uint64_t capacity, const LinearProbingOptions& options = {},
                Hash hash = {}, Equal equal = {})
      : storage_(Storage{{options, detail::own_hash(hash, HashLevel::slots), equal}}) {
    const auto region = detail::enter(exec, *this, "build");
    storage_.check_load_factor();
    storage_.windows = storage_.make_windows(exec, capacity);
    storage_.clear(exec);
  }

  /// Makes the table of `keys`, a view of keys or another key source (see HashGraph), on `exec`,
  /// then fences `exec`. Row i has number `options.row_base + i`. Throws as above, and
  /// CapacityError if a row number does not fit.
  ///
  /// Temporary memory: the keys with their rows, once or twice. Twice if two levels cut the table
  /// into parts.
  template <backends::ExecutionSpace Exec, class Keys>
    requires(!std::is_integral_v<Keys>)
  LinearProbing(const Exec& exec, const Keys& keys, const LinearProbingOptions& options = {},
                Hash hash = {}, Equal equal = {})
      : LinearProbing(exec, keys, options, Workspace<MemorySpace>(), hash, equal) {}

  /// As above. Temporary memory comes from `workspace`, which keeps it for the next build.
  template <backends::ExecutionSpace Exec, class Keys>
    requires(!std::is_integral_v<Keys>)
  LinearProbing(const Exec& exec, const Keys& keys, const LinearProbingOptions& options,
                Workspace<MemorySpace>& workspace, Hash hash = {}, Equal equal = {})
      : storage_(Storage{{options, detail::own_hash(hash, HashLevel::slots), equal}}) {
    const auto region = detail::enter(exec, *this, "build");
    storage_.check_load_factor();
    storage_.check_numbered_rows(keys.size());
    storage_.windows = storage_.make_windows(exec, keys.size());
    storage_.insert_first(exec, keys, RowsFrom<Row>{options.row_base}, workspace);
  }

  /// Moving hands the memory over and empties the source. Waits for nothing.
  LinearProbing(LinearProbing&&) noexcept = default;
  LinearProbing& operator=(LinearProbing&&) noexcept = default;

  /// The table as kernels see it. Valid until the table grows or is rehashed, cleared, moved or
  /// destroyed.
  [[nodiscard]] ref_type ref() const { return storage_.ref(); }
  /// Number of live entries, as far as bulk operations and `recount` know.
  [[nodiscard]] std::uint64_t size() const noexcept { return storage_.num_entries; }
  /// Number of slots of erased entries.
  [[nodiscard]] std::uint64_t num_tombstones() const noexcept { return storage_.num_tombstones; }
  /// Number of slots.
  [[nodiscard]] std::uint64_t num_slots() const { return storage_.num_slots(); }
  /// Bytes of memory held.
  [[nodiscard]] std::uint64_t bytes() const { return storage_.windows.size() * sizeof(Window); }

  /// Inserts keys(i) with rows(i), on `exec`, then fences `exec`. `rows` is a view or a callable.
  /// If rows have the same key, a table of unique keys keeps any one of them.
  ///
  ///     | case                                 | result                                   |
  ///     |--------------------------------------|------------------------------------------|
  ///     | load factor reached, `growth` set    | the table grows                          |
  ///     | load factor reached, `growth` unset  | rows whose keys need a further slot fail |
  ///     | a row number from `no_row<Row> - 2`  | the row fails                            |
  ///     | a row number that `Row` cannot hold  | the row fails                            |
  ///     | `Key` cannot hold all values of the  | does not compile                         |
  ///     | type of `keys`                       |                                          |
  ///
  /// With `growth` not set, tombstones that take the room of rows are rehashed away. A row that
  /// fails costs a look-up or a few, and 16 bytes of temporary memory.
  ///
  /// Throws InvalidArgument, before anything changes, unless there are as many rows as keys. This
  /// also holds for the members below, for every rows, predicates and results argument that is a
  /// view. On CapacityError what was inserted before stays, and nothing is half-written.
  template <backends::ExecutionSpace Exec, class Keys, class Rows>
  InsertResult insert(const Exec& exec, const Keys& keys, const Rows& rows) {
    Workspace<MemorySpace> workspace;
    return insert(exec, keys, rows, workspace);
  }
  /// As above. Temporary memory comes from `workspace`, which keeps it.
  template <backends::ExecutionSpace Exec, class Keys, class Rows>
  InsertResult insert(const Exec& exec, const Keys& keys, const Rows& rows,
                      Workspace<MemorySpace>& workspace) {
    const auto scope = detail::enter(exec, *this, "insert", use_);
    detail::check_beside<Exec>(keys, rows, "LinearProbing::insert", "rows");
    return storage_.change([&] { return storage_.insert_rows(exec, keys, rows, workspace); });
  }

  /// `insert` that does not wait. When `exec` reaches it, the counts are added to `result()`.
  /// `size()` takes them in at the next `recount` or growth.
  ///
  /// It does wait if the table might not hold all rows. The table then grows first or, if it may
  /// not grow, is filled as by `insert`. `workspace` must outlive the work and must not serve
  /// another instance meanwhile. Throws as `insert`.
  template <backends::ExecutionSpace Exec, class Keys, class Rows>
  void insert_async(const Exec& exec, const Keys& keys, const Rows& rows,
                    const Kokkos::View<InsertResult, MemorySpace>& result,
                    Workspace<MemorySpace>& workspace) {
    const auto scope = detail::enter(exec, *this, "insert_async", use_);
    detail::check_beside<Exec>(keys, rows, "LinearProbing::insert_async", "rows");
    storage_.change([&] { storage_.insert_async(exec, keys, rows, {result.data()}, workspace); });
  }

  /// `insert` for those keys for which `predicate(i)` holds. Sets `outcomes(i)` for each key:
  /// inserted, existing, full, refused or skipped. If the table may not grow and has no room for
  /// all, the predicate is asked more than once. Fences `exec`.
  template <backends::ExecutionSpace Exec, class Keys, class Rows, class Predicate, class Outcomes>
  InsertResult insert_if(const Exec& exec, const Keys& keys, const Rows& rows,
                         const Predicate& predicate, const Outcomes& outcomes) {
    const auto scope = detail::enter(exec, *this, "insert_if", use_);
    detail::check_beside<Exec>(keys, rows, "LinearProbing::insert_if", "rows");
    detail::check_beside<Exec>(keys, predicate, "LinearProbing::insert_if", "predicates");
    detail::check_results<Exec>(keys, outcomes, "LinearProbing::insert_if", "keys");
    return insert_each(exec, detail::InsertIf<ref_type, Keys, Rows, Predicate, Outcomes>{
                                 {ref(), keys, rows}, predicate, outcomes});
  }
  /// Inserts each key, or gives its entry the new row. If rows have the same key, any one is kept.
  /// Otherwise as `insert`.
  template <backends::ExecutionSpace Exec, class Keys, class Rows>
    requires(unique)
  InsertResult insert_or_assign(const Exec& exec, const Keys& keys, const Rows& rows) {
    return apply(exec, keys, rows, detail::AssignRow{}, "insert_or_assign");
  }
  /// Inserts each key, or replaces the row r of its entry by op(r, row). This is an aggregation if
  /// `op` is associative and commutative. Rows whose key has an entry count as existing. Otherwise
  /// as `insert`.
  template <backends::ExecutionSpace Exec, class Keys, class Rows, class Op>
    requires(unique)
  InsertResult insert_or_apply(const Exec& exec, const Keys& keys, const Rows& rows, const Op& op) {
    return apply(exec, keys, rows, op, "insert_or_apply");
  }
  /// Inserts the keys that are absent. there(i) becomes the row that keys(i) has afterwards, or
  /// `no_row` where the insert failed. Otherwise as `insert`.
  ///
  /// `expected_new` is about how many keys are new, if the caller knows. The table then takes no
  /// sample of them. It grows further if they are more.
  template <backends::ExecutionSpace Exec, class Keys, class Rows, class There>
    requires(unique)
  InsertResult find_or_insert(const Exec& exec, const Keys& keys, const Rows& rows,
                              const There& there, std::optional<std::uint64_t> expected_new = {}) {
    const auto scope = detail::enter(exec, *this, "find_or_insert", use_);
    detail::check_beside<Exec>(keys, rows, "LinearProbing::find_or_insert", "rows");
    detail::check_results<Exec>(keys, there, "LinearProbing::find_or_insert", "keys");
    detail::require_room_for_rows<Row, There>();
    return insert_each(
        exec, detail::FindOrInsertEach<ref_type, Keys, Rows, There>{{ref(), keys, rows}, there},
        expected_new);
  }

  /// Erases every entry whose key is among `queries`, on `exec`, and returns the number erased.
  /// Fences `exec`. Queries may be absent from the table and may repeat.
  template <backends::ExecutionSpace Exec, class Queries>
  std::uint64_t erase(const Exec& exec, const Queries& queries) {
    const auto scope = detail::enter(exec, *this, "erase", use_);
    return storage_.change([&] {
      std::uint64_t erased = 0;
      detail::erase_keys(exec, ref(), queries, erased);
      return storage_.forget(erased);
    });
  }

  /// `erase` that does not wait. When `exec` reaches it, `erased()` becomes the number of entries
  /// erased. `size()` and `num_tombstones()` take it in at the next `recount` or growth.
  template <backends::ExecutionSpace Exec, class Queries>
  void erase_async(const Exec& exec, const Queries& queries,
                   const Kokkos::View<std::uint64_t, MemorySpace>& erased) {
    const auto scope = detail::enter(exec, *this, "erase_async", use_);
    storage_.change([&] { detail::erase_keys(exec, ref(), queries, erased); });
  }
  /// Erases every entry for which `predicate(key, row)` holds, on `exec`, and returns the number
  /// erased. Fences `exec`. Reads all slots once.
  template <backends::ExecutionSpace Exec, class Predicate>
  std::uint64_t erase_if(const Exec& exec, const Predicate& predicate) {
    const auto scope = detail::enter(exec, *this, "erase_if", use_);
    return storage_.change(
        [&] { return storage_.forget(detail::erase_entries_if(exec, ref(), predicate)); });
  }

  /// Makes room for `entries` entries in all, so that inserting up to them never grows the table.
  /// Fences `exec` if it rehashes. Throws CapacityError if memory is short; the table is then as
  /// before.
  template <backends::ExecutionSpace Exec>
  void reserve(const Exec& exec, std::uint64_t entries) {
    if (storage_.windows_for(entries) > storage_.windows.size()) rehash(exec, entries);
  }
  /// Moves the entries to new windows without tombstones, on `exec`, then fences `exec`. There is
  /// room for `entries`, and at least for the present ones. Holds both tables for a moment. Reads
  /// the old slots and writes the new ones in about the same order. On CapacityError the table is
  /// as before.
  template <backends::ExecutionSpace Exec>
  void rehash(const Exec& exec, std::uint64_t entries = 0) {
    const auto scope = detail::enter(exec, *this, "rehash", use_);
    storage_.count_anew(exec);
    storage_.move_to(exec, std::max(entries, storage_.num_entries));
  }
  /// Removes all entries and tombstones, on `exec`, then fences `exec`. Keeps the memory.
  template <backends::ExecutionSpace Exec>
  void clear(const Exec& exec) {
    const auto scope = detail::enter(exec, *this, "clear", use_);
    storage_.change([&] { storage_.clear(exec); });
  }
  /// Counts entries and tombstones again, after kernels changed the table through `ref()`. Reads
  /// all slots once, on `exec`, and fences `exec`.
  template <backends::ExecutionSpace Exec>
  void recount(const Exec& exec) {
    const auto scope = detail::enter(exec, *this, "recount", use_);
    storage_.count_anew(exec);
  }

  /// Returns entries and probe lengths. Reads all slots once, on `exec`, then fences `exec`.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] LinearProbingStatistics statistics(const Exec& exec) const {
    const auto region = detail::enter(exec, *this, "statistics");
    const detail::SlotCounts counts = detail::count_slots(exec, ref());
    const double live = counts.live == 0 ? 1 : static_cast<double>(counts.live);
    return {counts.live,
            num_slots(),
            counts.erased,
            counts.longest_probe,
            static_cast<double>(counts.probes) / live,
            bytes()};
  }

 private:
  template <class, class, class>
  friend class MultiMapLookups;
  [[nodiscard]] detail::WindowEntries<ref_type> entry_parts() const { return {ref()}; }

  /// Builds with temporary memory that is freed afterwards.
  template <class Exec, class Keys>
  LinearProbing(const Exec& exec, const Keys& keys, const LinearProbingOptions& options,
                Workspace<MemorySpace>&& workspace, Hash hash, Equal equal)
      : LinearProbing(exec, keys, options, workspace, hash, equal) {}

  /// Inserts each key, or applies an operation to the row that it has.
  template <class Exec, class Keys, class Rows, class Op>
  InsertResult apply(const Exec& exec, const Keys& keys, const Rows& rows, const Op& op,
                     const char* operation) {
    const auto scope = detail::enter(exec, *this, operation, use_);
    const std::string name = std::string("LinearProbing::") + operation;
    detail::check_beside<Exec>(keys, rows, name, "rows");
    return insert_each(exec, detail::ApplyEach<ref_type, Keys, Rows, Op>{{ref(), keys, rows}, op});
  }
  template <class Exec, class Each>
  InsertResult insert_each(const Exec& exec, const Each& each,
                           std::optional<std::uint64_t> expected_new = {}) {
    return storage_.change([&] { return storage_.insert_each(exec, each, expected_new); });
  }

  detail::HandedOver<Storage> storage_;
  detail::ExclusiveUse use_;
};

/// A set of unique keys: a LinearProbing table whose rows nobody asks for.
template <class Key, class MemorySpace, class Hash = Murmur3Hash, class Equal = KeyEqual>
using LinearProbingSet = LinearProbing<Key, MemorySpace, UniqueKeys, std::uint32_t, Hash, Equal>;

}  // namespace hashmill
