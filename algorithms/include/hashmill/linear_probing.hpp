#pragma once

#include <hashmill/detail/handed_over.hpp>
#include <hashmill/hash.hpp>
#include <hashmill/linear_probing/detail/insertion.hpp>
#include <hashmill/multi_map/bulk_lookups.hpp>
#include <hashmill/primitives/detail/exclusive_use.hpp>

namespace hashmill {

/// A dynamic hash table of open addressing with linear probing over windows of 32 bytes, the sector
/// that memory gives out at once: a look-up is one random access at moderate load.
///
///     windows  | slot slot slot slot | slot slot slot slot | …      32 bytes each, aligned
///     slot     | key (<= 4) row (4) |              8 bytes, 4 a window, changed by one atomic
///              | key (8)    row (4 or 8) |         16 bytes, 2 a window
///              | key (16)   row (4 or 8) |         32 bytes, 1 a window
///
/// A key's home window comes from the highest bits of its hash, so the table is in hash order but
/// for collisions. Each table hashes by a function of its own of the family of `Hash`
/// (HashLevel::slots), so that the entries of one can go into another in any order at one cost
/// each; `ref().hasher()` is that function. No key is reserved: the three largest row numbers stand
/// for empty, erased and being written. Erasing leaves a tombstone, which counts as used until the
/// next `rehash`; growing rehashes.
///
/// - `Kind`: UniqueKeys (a map; a set, when rows are not asked for) or RepeatedKeys (a multi-map).
/// - `Row`: 32 or 64 bits; what a key maps to, any number below `no_row<Row> - 2`.
/// - `Hash`: HashFor<Key>; `Equal`: device-callable equality. Keys have 1 to 16 bytes.
///
/// When: keys come and go, or a look-up should cost one access. With many rows a key, HashGraph is
/// smaller and faster.
///
/// Concurrency: const members may overlap each other, and operations on `ref()` as it documents.
/// Members that are not const must not overlap anything: one that is called while another runs on
/// this table (from a second thread) throws InvalidArgument.
///
/// Moving leaves a table without slots, in which nothing is found and whose next insert makes some.
/// So does an exception that ends a change and is neither CapacityError nor InvalidArgument, such
/// as std::bad_alloc of a label's bytes: afterwards the table is as before or empty.
///
/// Source: the design of NVIDIA's cuCollections (static_map, static_multimap), with windows as
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
  static constexpr bool has_rows = true;
  static constexpr bool unique = ref_type::unique;
  static constexpr const char* label = "hashmill::LinearProbing";

  /// An empty table with room for `capacity` entries at the options' load factor; fences `exec`.
  /// Throws InvalidArgument when the load factor is above 0.95, CapacityError when memory is short.
  template <backends::ExecutionSpace Exec>
  LinearProbing(const Exec& exec, std::uint64_t capacity, const LinearProbingOptions& options = {},
                Hash hash = {}, Equal equal = {})
      : storage_(Storage{{options, detail::own_hash(hash, HashLevel::slots), equal}}) {
    detail::require_accessible_table<Exec, MemorySpace>();
    storage_.check_load_factor();
    storage_.windows = storage_.make_windows(exec, capacity);
    storage_.clear(exec);
  }

  /// The table of `keys` (a view of them or any key source); row i has number
  /// `options.row_base + i`. Fences `exec`. Throws as above, and CapacityError when a row number
  /// does not fit. Temporary memory: the keys with their rows, twice where the table is cut into
  /// parts by two levels.
  template <backends::ExecutionSpace Exec, class Keys>
    requires(!std::is_integral_v<Keys>)
  LinearProbing(const Exec& exec, const Keys& keys, const LinearProbingOptions& options = {},
                Hash hash = {}, Equal equal = {})
      : LinearProbing(exec, keys, options, Workspace<MemorySpace>(), hash, equal) {}

  /// As above; temporary memory comes from `workspace` and stays there for the next build.
  template <backends::ExecutionSpace Exec, class Keys>
    requires(!std::is_integral_v<Keys>)
  LinearProbing(const Exec& exec, const Keys& keys, const LinearProbingOptions& options,
                Workspace<MemorySpace>& workspace, Hash hash = {}, Equal equal = {})
      : storage_(Storage{{options, detail::own_hash(hash, HashLevel::slots), equal}}) {
    const auto region = this->template enter<Exec>("build");
    storage_.check_load_factor();
    storage_.check_numbered_rows(keys.size());
    storage_.windows = storage_.make_windows(exec, keys.size());
    storage_.insert_first(exec, keys, detail::NumberedRows<Row>{options.row_base}, workspace);
  }

  LinearProbing(LinearProbing&&) noexcept = default;
  LinearProbing& operator=(LinearProbing&&) noexcept = default;

  /// The table as kernels see it; valid until the table grows or is rehashed, cleared or destroyed.
  [[nodiscard]] ref_type ref() const { return storage_.ref(); }
  /// Live entries, as far as bulk operations and `recount` know.
  [[nodiscard]] std::uint64_t size() const noexcept { return storage_.num_entries; }
  /// Slots of erased entries.
  [[nodiscard]] std::uint64_t num_tombstones() const noexcept { return storage_.num_tombstones; }
  /// Slots in all.
  [[nodiscard]] std::uint64_t num_slots() const { return storage_.num_slots(); }
  /// Bytes of memory held.
  [[nodiscard]] std::uint64_t bytes() const { return storage_.windows.extent(0) * sizeof(Window); }

  /// Inserts keys(i) with rows(i), `rows` being a view or a callable; fences `exec`. Of rows with
  /// one key, a table of unique keys keeps any one. Grows as the options say; with growth off, rows
  /// whose keys the table would need more than its load factor for fail, at the cost of a look-up
  /// or a few each and 16 bytes of memory, and tombstones that take their room are rehashed away.
  /// On CapacityError what was inserted before stays, and nothing is half-written. Rows from
  /// `no_row<Row> - 2` up fail, and so do those of a wider type that `Row` cannot hold; keys of a
  /// type of which `Key` cannot hold every value do not compile. Throws InvalidArgument, before
  /// anything changes, unless there are as many rows as keys; so do the members below, of rows,
  /// predicates and results that are views.
  template <backends::ExecutionSpace Exec, class Keys, class Rows>
  InsertResult insert(const Exec& exec, const Keys& keys, const Rows& rows) {
    Workspace<MemorySpace> workspace;
    return insert(exec, keys, rows, workspace);
  }
  /// As above; temporary memory comes from `workspace` and stays there.
  template <backends::ExecutionSpace Exec, class Keys, class Rows>
  InsertResult insert(const Exec& exec, const Keys& keys, const Rows& rows,
                      Workspace<MemorySpace>& workspace) {
    const auto region = this->template enter<Exec>("insert");
    detail::check_beside<Exec>(keys, rows, "LinearProbing::insert", "rows");
    const Changing changing(use_, "LinearProbing::insert");
    return storage_.change([&] { return storage_.insert_rows(exec, keys, rows, workspace); });
  }

  /// `insert` that does not wait: once `exec` gets there, what happened is added to `result()`.
  /// `size()` takes it in at the next `recount` (or growth). Where the table might not hold all
  /// rows it grows first or, with growth off, is filled as by `insert`, and either does wait.
  /// `workspace` must outlive the work and serve no other instance meanwhile. Throws as `insert`.
  template <backends::ExecutionSpace Exec, class Keys, class Rows>
  void insert_async(const Exec& exec, const Keys& keys, const Rows& rows,
                    const Kokkos::View<InsertResult, MemorySpace>& result,
                    Workspace<MemorySpace>& workspace) {
    const auto region = this->template enter<Exec>("insert_async");
    detail::check_beside<Exec>(keys, rows, "LinearProbing::insert_async", "rows");
    const Changing changing(use_, "LinearProbing::insert_async");
    storage_.change([&] { storage_.insert_async(exec, keys, rows, {result.data()}, workspace); });
  }

  /// As `insert`, of those keys for which `predicate(i)` holds, and with `outcomes(i)` set for
  /// each: inserted, existing, full, refused or skipped. Where the table may not grow and there is
  /// not room for all, the predicate is asked more than once.
  template <backends::ExecutionSpace Exec, class Keys, class Rows, class Predicate, class Outcomes>
  InsertResult insert_if(const Exec& exec, const Keys& keys, const Rows& rows,
                         const Predicate& predicate, const Outcomes& outcomes) {
    const auto region = this->template enter<Exec>("insert_if");
    detail::check_beside<Exec>(keys, rows, "LinearProbing::insert_if", "rows");
    detail::check_beside<Exec>(keys, predicate, "LinearProbing::insert_if", "predicates");
    detail::check_results<Exec>(keys, outcomes, "LinearProbing::insert_if", "keys");
    const Changing changing(use_, "LinearProbing::insert_if");
    return insert_each(exec, detail::InsertIf<ref_type, Keys, Rows, Predicate, Outcomes>{
                                 {ref(), keys, rows}, predicate, outcomes});
  }
  /// Inserts, or gives the key's entry the new row; of rows with one key any one is kept.
  template <backends::ExecutionSpace Exec, class Keys, class Rows>
    requires(unique)
  InsertResult insert_or_assign(const Exec& exec, const Keys& keys, const Rows& rows) {
    return apply(exec, keys, rows, detail::AssignRow{}, "insert_or_assign");
  }
  /// Inserts, or replaces the row r of the key's entry by op(r, row): an aggregation, where `op` is
  /// associative and commutative. Rows with the key of an entry count as existing.
  template <backends::ExecutionSpace Exec, class Keys, class Rows, class Op>
    requires(unique)
  InsertResult insert_or_apply(const Exec& exec, const Keys& keys, const Rows& rows, const Op& op) {
    return apply(exec, keys, rows, op, "insert_or_apply");
  }
  /// Inserts what is not there; there(i) becomes the row that keys(i) has then.
  template <backends::ExecutionSpace Exec, class Keys, class Rows, class There>
    requires(unique)
  InsertResult find_or_insert(const Exec& exec, const Keys& keys, const Rows& rows,
                              const There& there) {
    const auto region = this->template enter<Exec>("find_or_insert");
    detail::check_beside<Exec>(keys, rows, "LinearProbing::find_or_insert", "rows");
    detail::check_results<Exec>(keys, there, "LinearProbing::find_or_insert", "keys");
    detail::require_room_for_rows<Row, There>();
    const Changing changing(use_, "LinearProbing::find_or_insert");
    return insert_each(
        exec, detail::FindOrInsertEach<ref_type, Keys, Rows, There>{{ref(), keys, rows}, there});
  }

  /// Erases every entry whose key is among `queries` and returns how many they were; fences `exec`.
  /// Absent and repeated keys are fine.
  template <backends::ExecutionSpace Exec, class Queries>
  std::uint64_t erase(const Exec& exec, const Queries& queries) {
    const auto region = this->template enter<Exec>("erase");
    const Changing changing(use_, "LinearProbing::erase");
    return storage_.change([&] {
      std::uint64_t erased = 0;
      detail::erase_keys(exec, ref(), queries, erased);
      return storage_.forget(erased);
    });
  }

  /// `erase` that does not wait: once `exec` gets there, `erased()` is the number of entries
  /// erased. `size()` and `num_tombstones()` take it in at the next `recount` (or growth).
  template <backends::ExecutionSpace Exec, class Queries>
  void erase_async(const Exec& exec, const Queries& queries,
                   const Kokkos::View<std::uint64_t, MemorySpace>& erased) {
    const auto region = this->template enter<Exec>("erase_async");
    const Changing changing(use_, "LinearProbing::erase_async");
    storage_.change([&] { detail::erase_keys(exec, ref(), queries, erased); });
  }
  /// Erases every entry for which `predicate(key, row)` holds and returns how many they were;
  /// fences `exec`. Reads all slots once.
  template <backends::ExecutionSpace Exec, class Predicate>
  std::uint64_t erase_if(const Exec& exec, const Predicate& predicate) {
    const auto region = this->template enter<Exec>("erase_if");
    const Changing changing(use_, "LinearProbing::erase_if");
    return storage_.change(
        [&] { return storage_.forget(detail::erase_entries_if(exec, ref(), predicate)); });
  }

  /// Makes room for `entries` entries in all without growing again.
  template <backends::ExecutionSpace Exec>
  void reserve(const Exec& exec, std::uint64_t entries) {
    if (storage_.windows_for(entries) > storage_.windows.extent(0)) rehash(exec, entries);
  }
  /// Moves the entries to a table with room for `entries` (at least those there are) and without
  /// tombstones; fences `exec`. Holds both tables for a moment; on CapacityError the table is as
  /// before. Reads the old slots and writes the new ones in about the same order.
  template <backends::ExecutionSpace Exec>
  void rehash(const Exec& exec, std::uint64_t entries = 0) {
    const auto region = this->template enter<Exec>("rehash");
    const Changing changing(use_, "LinearProbing::rehash");
    storage_.count_anew(exec);
    storage_.move_to(exec, std::max(entries, storage_.num_entries));
  }
  /// Removes everything, tombstones too; keeps the memory. Fences `exec`.
  template <backends::ExecutionSpace Exec>
  void clear(const Exec& exec) {
    const Changing changing(use_, "LinearProbing::clear");
    storage_.change([&] { storage_.clear(exec); });
  }
  /// Counts entries and tombstones anew, after kernels changed the table through `ref()`.
  template <backends::ExecutionSpace Exec>
  void recount(const Exec& exec) {
    const Changing changing(use_, "LinearProbing::recount");
    storage_.count_anew(exec);
  }

  /// Entries and probe lengths; reads all slots once and fences `exec`.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] LinearProbingStatistics statistics(const Exec& exec) const {
    const auto region = this->template enter<Exec>("statistics");
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
  using Changing = detail::ExclusiveUse::Scope;

  /// Builds with temporary memory that goes afterwards.
  template <class Exec, class Keys>
  LinearProbing(const Exec& exec, const Keys& keys, const LinearProbingOptions& options,
                Workspace<MemorySpace>&& workspace, Hash hash, Equal equal)
      : LinearProbing(exec, keys, options, workspace, hash, equal) {}

  /// Inserts, or applies an operation to the row that is there.
  template <class Exec, class Keys, class Rows, class Op>
  InsertResult apply(const Exec& exec, const Keys& keys, const Rows& rows, const Op& op,
                     const char* operation) {
    const auto region = this->template enter<Exec>(operation);
    const std::string name = std::string("LinearProbing::") + operation;
    detail::check_beside<Exec>(keys, rows, name, "rows");
    const Changing changing(use_, name.c_str());
    return insert_each(exec, detail::ApplyEach<ref_type, Keys, Rows, Op>{{ref(), keys, rows}, op});
  }
  template <class Exec, class Each>
  InsertResult insert_each(const Exec& exec, const Each& each) {
    return storage_.change([&] { return storage_.insert_each(exec, each); });
  }

  detail::HandedOver<Storage> storage_;
  detail::ExclusiveUse use_;
};

/// A set of unique keys: a LinearProbing whose rows nobody asks for.
template <class Key, class MemorySpace, class Hash = Murmur3Hash, class Equal = KeyEqual>
using LinearProbingSet = LinearProbing<Key, MemorySpace, UniqueKeys, std::uint32_t, Hash, Equal>;

}  // namespace hashmill
