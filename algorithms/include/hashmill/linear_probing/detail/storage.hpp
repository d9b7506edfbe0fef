#pragma once

#include <hashmill/hash_family.hpp>
#include <hashmill/linear_probing/detail/scan.hpp>
#include <hashmill/linear_probing/options.hpp>

namespace hashmill::detail {

/// The windows and counts of a LinearProbing table, and how the windows are replaced. Their layout
/// is explained in linear_probing.hpp. How rows are inserted is in insertion.hpp.
template <class Key, class MemorySpaceOfTable, class Kind, class RowNumberOfTable, class Hash,
          class Equal>
struct LinearProbingStorage {
  using MemorySpace = MemorySpaceOfTable;
  using Row = RowNumberOfTable;
  using Ref = LinearProbingRef<Key, Kind, Row, Hash, Equal>;
  using Window = typename Ref::Window;
  using Windows = Kokkos::View<Window*, MemorySpace>;

  LinearProbingOptions options;
  Hash hash;
  Equal equal;
  Windows windows{};
  std::uint64_t num_entries = 0;
  std::uint64_t num_tombstones = 0;
  std::uint64_t uncounted = 0;  // rows of asynchronous inserts since the last count

  /// What is left of a table that was moved from: no windows, which the next insert makes, and a
  /// hash function of its own.
  [[nodiscard]] LinearProbingStorage emptied() const {
    return {options, own_hash(hash, HashLevel::slots), equal};
  }

  [[nodiscard]] Ref ref_to(const Windows& held) const {
    return Ref(held.data(), held.size(), hash, equal);
  }
  [[nodiscard]] Ref ref() const { return ref_to(windows); }
  [[nodiscard]] std::uint64_t num_slots() const { return windows.size() * Window::size; }

  void check_load_factor() const {
    constexpr double largest = 0.95;
    if (options.load_factor.value() > largest) {
      throw InvalidArgument("LinearProbing: load factor " +
                            shortest_decimal(options.load_factor.value()) +
                            " is above the limit of " + shortest_decimal(largest));
    }
  }
  void check_numbered_rows(std::uint64_t count) const {
    constexpr std::uint64_t kept = no_row<Row> - slot_rows_end<Row>;
    check_rows<Row>(options.row_base, checked_add(count, kept, "row numbers"));
  }

  /// The number of windows for `entries` entries at the load factor.
  [[nodiscard]] std::uint64_t windows_for(std::uint64_t entries) const {
    return options.load_factor.buckets_for(entries, Window::size).value();
  }
  /// The number of entries that the table takes. Beyond it the table grows, or rows fail.
  [[nodiscard]] std::uint64_t limit() const {
    const auto most =
        static_cast<std::uint64_t>(options.load_factor.value() * static_cast<double>(num_slots()));
    return windows_for(most + 1) <= windows.size() ? most + 1 : most;  // the product was rounded
  }
  /// The number of further entries that certainly fit. In a table that may not grow, tombstones may
  /// take half of the slots above its limit. A rehash then frees many at once, so keys may come and
  /// go at a bounded cost each.
  [[nodiscard]] std::uint64_t room() const {
    const std::uint64_t most = limit();
    const std::uint64_t spare = options.growth ? 0 : (num_slots() - most) / 2;
    const std::uint64_t in_the_way = num_tombstones > spare ? num_tombstones - spare : 0;
    const std::uint64_t used = num_entries + uncounted + in_the_way;
    return used < most ? most - used : 0;
  }

  /// Allocates `count` windows, not initialised.
  template <class Exec>
  [[nodiscard]] static Windows allocate_windows(const Exec& exec, std::uint64_t count) {
    return backends::allocate<Windows>(exec, "hashmill::linear_probing::windows", count);
  }
  /// Allocates the windows for `entries` entries, not initialised.
  template <class Exec>
  [[nodiscard]] Windows make_windows(const Exec& exec, std::uint64_t entries) const {
    return allocate_windows(exec, windows_for(entries));
  }
  template <class Exec>
  void clear(const Exec& exec) {
    empty_windows<MemorySpace>(exec, ref());
    exec.fence("hashmill::LinearProbing::clear: the table is empty now");
    num_entries = num_tombstones = uncounted = 0;
  }
  template <class Exec>
  void count_anew(const Exec& exec) {
    const SlotCounts counts = count_slots(exec, ref());
    num_entries = counts.live;
    num_tombstones = counts.erased;
    uncounted = 0;
  }
  /// Records that entries were erased, and returns their number. They may include entries that were
  /// not counted yet.
  std::uint64_t forget(std::uint64_t erased) {
    num_entries -= std::min(erased, num_entries);
    num_tombstones += erased;
    return erased;
  }
  /// Moves the entries to a new table with room for `entries`.
  template <class Exec>
  void move_to(const Exec& exec, std::uint64_t entries) {
    move_to(exec, make_windows(exec, entries));
  }
  /// As above, to windows that are not initialised. Waits for `exec`.
  template <class Exec>
  void move_to(const Exec& exec, const Windows& fresh) {
    empty_windows<MemorySpace>(exec, ref_to(fresh));
    move_entries(exec, ref(), ref_to(fresh));
    windows = fresh;
    num_tombstones = 0;
  }
};

}  // namespace hashmill::detail
