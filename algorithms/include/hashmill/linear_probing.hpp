#pragma once

#include <hashmill/detail/exclusive_use.hpp>
#include <hashmill/detail/linear_probing_insert.hpp>
#include <hashmill/detail/linear_probing_scan.hpp>
#include <hashmill/detail/multi_map_lookups.hpp>
#include <hashmill/hash.hpp>
#include <optional>

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
/// for collisions. No key is reserved: the three largest row numbers stand for empty, erased and
/// being written. Erasing leaves a tombstone, which counts as used until the next `rehash`; growing
/// rehashes.
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
  using Base = MultiMapLookups<LinearProbing, Row, MemorySpace>;

 public:
  using key_type = Key;
  using memory_space = MemorySpace;
  using row_type = Row;
  using ref_type = LinearProbingRef<Key, Kind, Row, Hash, Equal>;
  using Window = typename ref_type::Window;
  static constexpr bool has_rows = true;
  static constexpr bool unique = ref_type::unique;
  static constexpr const char* label = "hashmill::LinearProbing";

  /// An empty table with room for `capacity` entries at the options' load factor; fences `exec`.
  /// Throws InvalidArgument when the load factor is above 0.95, CapacityError when memory is short.
  template <backends::ExecutionSpace Exec>
  LinearProbing(const Exec& exec, std::uint64_t capacity, const LinearProbingOptions& options = {},
                Hash hash = {}, Equal equal = {})
      : options_(options), hash_(hash), equal_(equal) {
    detail::require_accessible_table<Exec, MemorySpace>();
    check_load_factor();
    windows_ = make_windows(exec, windows_for(capacity));
    clear(exec);
  }

  /// The table of `keys` (a view of them or any key source); row i has number
  /// `options.row_base + i`. Fences `exec`. Throws as above, and CapacityError when a row number
  /// does not fit.
  template <backends::ExecutionSpace Exec, class Keys>
    requires(!std::is_integral_v<Keys>)
  LinearProbing(const Exec& exec, const Keys& keys, const LinearProbingOptions& options = {},
                Hash hash = {}, Equal equal = {})
      : options_(options), hash_(hash), equal_(equal) {
    const auto region = Base::template enter<Exec>("build");
    check_load_factor();
    check_numbered_rows(options.row_base, keys.size());
    windows_ = make_windows(exec, windows_for(keys.size()));
    Workspace<MemorySpace> workspace;
    insert_rows(exec, keys, detail::NumberedRows<Row>{options.row_base}, 0, keys.size(), true,
                workspace);
  }

  LinearProbing(LinearProbing&&) noexcept = default;
  LinearProbing& operator=(LinearProbing&&) noexcept = default;

  /// The table as kernels see it; valid until the table grows or is rehashed, cleared or destroyed.
  [[nodiscard]] ref_type ref() const {
    return ref_type(windows_.data(), windows_.extent(0), hash_, equal_);
  }
  /// Live entries, as far as bulk operations and `recount` know.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Slots of erased entries.
  [[nodiscard]] std::uint64_t num_tombstones() const noexcept { return tombstones_; }
  /// Slots in all.
  [[nodiscard]] std::uint64_t num_slots() const { return windows_.extent(0) * Window::size; }
  /// Bytes of memory held.
  [[nodiscard]] std::uint64_t bytes() const { return windows_.extent(0) * sizeof(Window); }

  /// Inserts keys(i) with rows(i), `rows` being a view or a callable; fences `exec`. Of rows with
  /// one key, a table of unique keys keeps any one. Grows as the options say; on CapacityError what
  /// was inserted before stays, and nothing is half-written. Rows from `no_row<Row> - 2` up fail.
  template <backends::ExecutionSpace Exec, class Keys, class Rows>
  InsertResult insert(const Exec& exec, const Keys& keys, const Rows& rows) {
    Workspace<MemorySpace> workspace;
    return insert(exec, keys, rows, workspace);
  }
  /// As above; temporary memory comes from `workspace` and stays there.
  template <backends::ExecutionSpace Exec, class Keys, class Rows>
  InsertResult insert(const Exec& exec, const Keys& keys, const Rows& rows,
                      Workspace<MemorySpace>& workspace) {
    const auto region = Base::template enter<Exec>("insert");
    const Changing changing(in_use_, "LinearProbing::insert");
    InsertResult result;
    for (std::uint64_t done = 0, n = keys.size(); done < n;) {
      const std::uint64_t next = make_room(exec, n - done);
      result += insert_rows(exec, keys, rows, done, next, false, workspace);
      done += next;
    }
    return result;
  }

  /// `insert` that does not wait: once `exec` gets there, what happened is added to `result()`.
  /// `size()` takes it in at the next `recount` (or growth). Where the table may grow and might not
  /// hold all rows it grows first, which does wait. `workspace` must outlive the work and serve no
  /// other instance meanwhile. Throws as `insert`.
  template <backends::ExecutionSpace Exec, class Keys, class Rows>
  void insert_async(const Exec& exec, const Keys& keys, const Rows& rows,
                    const Kokkos::View<InsertResult, MemorySpace>& result,
                    Workspace<MemorySpace>& workspace) {
    const auto region = Base::template enter<Exec>("insert_async");
    const Changing changing(in_use_, "LinearProbing::insert_async");
    const std::uint64_t n = keys.size();
    if (options_.grow && room() < n && uncounted_ != 0) count_anew(exec);
    if (options_.grow && room() < n) grow(exec, n);
    launch_insert(exec, keys, rows, 0, n, false, {result.data()}, workspace);
    uncounted_ += n;
  }

  /// As `insert`, of those keys for which `predicate(i)` holds, and with `outcomes(i)` set for
  /// each: inserted, existing, full, refused or skipped.
  template <backends::ExecutionSpace Exec, class Keys, class Rows, class Predicate, class Outcomes>
  InsertResult insert_if(const Exec& exec, const Keys& keys, const Rows& rows,
                         const Predicate& predicate, const Outcomes& outcomes) {
    const auto region = Base::template enter<Exec>("insert_if");
    return run(exec, keys,
               detail::InsertIf<ref_type, Keys, Rows, Predicate, Outcomes>{
                   {ref(), keys, rows}, predicate, outcomes});
  }
  /// Inserts, or gives the key's entry the new row; of rows with one key any one is kept.
  template <backends::ExecutionSpace Exec, class Keys, class Rows>
    requires(unique)
  InsertResult insert_or_assign(const Exec& exec, const Keys& keys, const Rows& rows) {
    return insert_or_apply(exec, keys, rows, detail::AssignRow{});
  }
  /// Inserts, or replaces the row r of the key's entry by op(r, row): an aggregation, where `op` is
  /// associative and commutative. Rows with the key of an entry count as existing.
  template <backends::ExecutionSpace Exec, class Keys, class Rows, class Op>
    requires(unique)
  InsertResult insert_or_apply(const Exec& exec, const Keys& keys, const Rows& rows, const Op& op) {
    const auto region = Base::template enter<Exec>("insert_or_apply");
    return run(exec, keys, detail::ApplyEach<ref_type, Keys, Rows, Op>{{ref(), keys, rows}, op});
  }
  /// Inserts what is not there; there(i) becomes the row that keys(i) has then.
  template <backends::ExecutionSpace Exec, class Keys, class Rows, class There>
    requires(unique)
  InsertResult find_or_insert(const Exec& exec, const Keys& keys, const Rows& rows,
                              const There& there) {
    const auto region = Base::template enter<Exec>("find_or_insert");
    return run(exec, keys,
               detail::FindOrInsertEach<ref_type, Keys, Rows, There>{{ref(), keys, rows}, there});
  }

  /// Erases every entry whose key is among `queries` and returns how many they were; fences `exec`.
  /// Absent and repeated keys are fine.
  template <backends::ExecutionSpace Exec, class Queries>
  std::uint64_t erase(const Exec& exec, const Queries& queries) {
    const auto region = Base::template enter<Exec>("erase");
    const Changing changing(in_use_, "LinearProbing::erase");
    std::uint64_t erased = 0;
    detail::erase_keys(exec, ref(), queries, erased);
    return forget(erased);
  }

  /// `erase` that does not wait: once `exec` gets there, `erased()` is the number of entries
  /// erased. `size()` and `num_tombstones()` take it in at the next `recount` (or growth).
  template <backends::ExecutionSpace Exec, class Queries>
  void erase_async(const Exec& exec, const Queries& queries,
                   const Kokkos::View<std::uint64_t, MemorySpace>& erased) {
    const auto region = Base::template enter<Exec>("erase_async");
    const Changing changing(in_use_, "LinearProbing::erase_async");
    detail::erase_keys(exec, ref(), queries, erased);
  }
  /// Erases every entry for which `predicate(key, row)` holds and returns how many they were;
  /// fences `exec`. Reads all slots once.
  template <backends::ExecutionSpace Exec, class Predicate>
  std::uint64_t erase_if(const Exec& exec, const Predicate& predicate) {
    const auto region = Base::template enter<Exec>("erase_if");
    const Changing changing(in_use_, "LinearProbing::erase_if");
    return forget(detail::erase_entries_if(exec, ref(), predicate));
  }

  /// Makes room for `entries` entries in all without growing again.
  template <backends::ExecutionSpace Exec>
  void reserve(const Exec& exec, std::uint64_t entries) {
    if (windows_for(entries) > windows_.extent(0)) rehash(exec, entries);
  }
  /// Moves the entries to a table with room for `entries` (at least those there are) and without
  /// tombstones; fences `exec`. Holds both tables for a moment; on CapacityError the table is as
  /// before. Reads the old slots and writes the new ones in about the same order.
  template <backends::ExecutionSpace Exec>
  void rehash(const Exec& exec, std::uint64_t entries = 0) {
    const auto region = Base::template enter<Exec>("rehash");
    const Changing changing(in_use_, "LinearProbing::rehash");
    count_anew(exec);
    move_entries(exec, std::max(entries, size_));
  }
  /// Removes everything, tombstones too; keeps the memory. Fences `exec`.
  template <backends::ExecutionSpace Exec>
  void clear(const Exec& exec) {
    const Changing changing(in_use_, "LinearProbing::clear");
    detail::empty_windows<MemorySpace>(exec, ref());
    exec.fence("hashmill::LinearProbing::clear: the table is empty now");
    size_ = tombstones_ = uncounted_ = 0;
  }
  /// Counts entries and tombstones anew, after kernels changed the table through `ref()`.
  template <backends::ExecutionSpace Exec>
  void recount(const Exec& exec) {
    const Changing changing(in_use_, "LinearProbing::recount");
    count_anew(exec);
  }

  /// Entries and probe lengths; reads all slots once and fences `exec`.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] LinearProbingStatistics statistics(const Exec& exec) const {
    const auto region = Base::template enter<Exec>("statistics");
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
  using Windows = Kokkos::View<Window*, MemorySpace>;
  using Changing = detail::ExclusiveUse::Scope;

  /// Takes note of entries that were erased, among them such as were not counted yet, and returns
  /// how many.
  std::uint64_t forget(std::uint64_t erased) {
    size_ -= std::min(erased, size_);
    tombstones_ += erased;
    return erased;
  }

  template <class Exec>
  void count_anew(const Exec& exec) {
    const detail::SlotCounts counts = detail::count_slots(exec, ref());
    size_ = counts.live;
    tombstones_ = counts.erased;
    uncounted_ = 0;
  }

  /// Moves the entries to a new table with room for `entries`.
  template <class Exec>
  void move_entries(const Exec& exec, std::uint64_t entries) {
    auto windows = make_windows(exec, windows_for(entries));
    const ref_type fresh(windows.data(), windows.extent(0), hash_, equal_);
    detail::empty_windows<MemorySpace>(exec, fresh);
    detail::move_entries(exec, ref(), fresh);
    windows_ = windows;
    tombstones_ = 0;
  }

  void check_load_factor() const {
    constexpr double largest = 0.95;
    if (options_.load_factor.value() > largest) {
      throw InvalidArgument("LinearProbing: load factor " +
                            detail::shortest_decimal(options_.load_factor.value()) +
                            " is above the limit of " + detail::shortest_decimal(largest));
    }
  }
  static void check_numbered_rows(std::uint64_t base, std::uint64_t count) {
    constexpr std::uint64_t kept = no_row<Row> - detail::slot_rows_end<Row>;
    check_rows<Row>(base, checked_add(count, kept, "row numbers"));
  }
  /// Windows that hold `entries` at the load factor.
  [[nodiscard]] std::uint64_t windows_for(std::uint64_t entries) const {
    const std::uint64_t slots = options_.load_factor.buckets_for(entries).value();
    return (slots + Window::size - 1) / Window::size;
  }
  template <class Exec>
  static Windows make_windows(const Exec& exec, std::uint64_t count) {
    return backends::allocate<Windows>(exec, "hashmill::linear_probing::windows", count);
  }
  /// Entries that the table takes before it has to grow.
  [[nodiscard]] std::uint64_t limit() const {
    return static_cast<std::uint64_t>(options_.load_factor.value() *
                                      static_cast<double>(num_slots()));
  }

  /// Entries that there is certainly room for.
  [[nodiscard]] std::uint64_t room() const {
    const std::uint64_t used = size_ + tombstones_ + uncounted_, most = limit();
    return used < most ? most - used : 0;
  }
  /// Makes room for `rows` more. Where mostly tombstones fill the table it is rehashed at its size:
  /// a quarter of it at least is free then, so that keys may come and go for ever at a bounded cost
  /// each.
  template <class Exec>
  void grow(const Exec& exec, std::uint64_t rows) {
    const std::uint64_t entries = checked_add(size_, rows, "entries");
    const bool tombstones_only = entries <= limit() / 4 * 3;
    move_entries(exec, tombstones_only ? limit() : std::max(entries, 2 * limit()));
  }
  /// How many of `rows` rows may be inserted now, at least one; grows first if that is too few.
  /// Rows may turn out to exist already, so a table of unique keys does not grow for all of them at
  /// once but takes a sixteenth or more at a time.
  template <class Exec>
  std::uint64_t make_room(const Exec& exec, std::uint64_t rows) {
    if (!options_.grow || room() >= rows) return rows;
    if (uncounted_ != 0) count_anew(exec);
    const std::uint64_t wanted = unique ? rows / 16 + 1 : rows;
    if (room() < wanted) grow(exec, wanted);
    return std::min(rows, std::max<std::uint64_t>(room(), 1));
  }

  /// Inserts rows [from, from + count); asynchronous.
  template <class Exec, class Keys, class Rows>
  void launch_insert(const Exec& exec, const Keys& keys, const Rows& rows, std::uint64_t from,
                     std::uint64_t count, bool fresh, const detail::OutcomeCounters& counters,
                     Workspace<MemorySpace>& workspace) {
    detail::require_accessible_queries<Exec, Keys>();
    const detail::KeyRowSource<Key, Row, Keys, Rows> source{keys, rows, from};
    detail::bulk_insert(exec, ref(), source, count, fresh, counters, workspace);
  }
  /// Inserts rows [from, from + count); counts what happened and fences.
  template <class Exec, class Keys, class Rows>
  InsertResult insert_rows(const Exec& exec, const Keys& keys, const Rows& rows, std::uint64_t from,
                           std::uint64_t count, bool fresh, Workspace<MemorySpace>& workspace) {
    return counted(exec, workspace, [&](const detail::OutcomeCounters& counters) {
      launch_insert(exec, keys, rows, from, count, fresh, counters, workspace);
    });
  }

  /// Runs an operation for each key; grows for all of them first.
  template <class Exec, class Keys, class Each>
  InsertResult run(const Exec& exec, const Keys& keys, Each each) {
    const Changing changing(in_use_, "LinearProbing::insert");
    detail::require_accessible_queries<Exec, Keys>();
    Workspace<MemorySpace> workspace;
    const std::uint64_t n = keys.size();
    InsertResult result;
    for (std::uint64_t done = 0; done < n;) {
      const std::uint64_t next = make_room(exec, n - done);
      each.ref = ref();
      each.from = done;
      result += counted(exec, workspace, [&](const detail::OutcomeCounters& counters) {
        detail::tally_items("hashmill::linear_probing::insert_each", exec, next, each, counters);
      });
      done += next;
    }
    return result;
  }

  /// Lets `launch` count outcomes in memory, fetches them and adds them to the size.
  template <class Exec, class Launch>
  InsertResult counted(const Exec& exec, Workspace<MemorySpace>& workspace, const Launch& launch) {
    typename Workspace<MemorySpace>::Frame frame(workspace);
    const auto counters = workspace.template take<InsertResult>(exec, 1);
    Kokkos::deep_copy(exec, counters, InsertResult{});
    launch(detail::OutcomeCounters{counters.data()});
    InsertResult result;
    Kokkos::deep_copy(exec, result, Kokkos::subview(counters, 0));
    exec.fence("hashmill::LinearProbing: the counts of what was inserted");
    size_ += result.inserted;
    return result;
  }

  LinearProbingOptions options_;
  Hash hash_;
  Equal equal_;
  Windows windows_;
  std::uint64_t size_ = 0;
  std::uint64_t tombstones_ = 0;
  std::uint64_t uncounted_ = 0;  // rows of asynchronous inserts since entries were counted
  detail::ExclusiveUse in_use_;
};

/// A set of unique keys: a LinearProbing whose rows nobody asks for.
template <class Key, class MemorySpace, class Hash = Murmur3Hash, class Equal = KeyEqual>
using LinearProbingSet = LinearProbing<Key, MemorySpace, UniqueKeys, std::uint32_t, Hash, Equal>;

}  // namespace hashmill
