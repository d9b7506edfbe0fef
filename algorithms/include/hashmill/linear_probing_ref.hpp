#pragma once

#include <hashmill/backends/streaming.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/detail/probing_slots.hpp>
#include <hashmill/hash_bits.hpp>
#include <hashmill/insert_result.hpp>
#include <hashmill/linear_probing_options.hpp>

namespace hashmill {

namespace detail {

/// What an insert does when its key is there: nothing, or a change of the row by `op(old, row)`.
struct KeepRow {};
struct AssignRow {
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION Row operator()(Row, Row row) const {
    return row;
  }
};

}  // namespace detail

/// A LinearProbing table as kernels see it: trivially copyable, owns nothing, valid while its table
/// lives and is not grown, rehashed, cleared or moved.
///
/// A probe reads a window of 32 bytes; the windows of a key follow one another from its home window
/// on, around the end, and end at the first empty slot or after one pass over the table.
///
/// With slots of 8 bytes all members may be called by any number of threads at once: a look-up that
/// overlaps an insert or erase of the same key may or may not see it. With larger slots, on
/// devices, look-ups must not overlap inserts. What kernels insert or erase is not counted by the
/// owner until its `recount`.
template <class Key, class Kind, RowNumber Row, class Hash, class Equal>
class LinearProbingRef {
 public:
  using key_type = Key;
  using row_type = Row;
  using Slots = detail::ProbingSlots<Key, Row>;
  using Slot = typename Slots::Slot;
  using Window = detail::ProbingWindow<Slots>;
  static constexpr bool unique = std::is_same_v<Kind, UniqueKeys>;

  LinearProbingRef() = default;
  LinearProbingRef(Window* windows, std::uint64_t num_windows, Hash hash, Equal equal)
      : windows_(windows), num_windows_(num_windows), hash_(hash), equal_(equal) {}

  /// Calls `f(row)` for every row with that key, in probe order.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const Key& key, const F& f) const {
    probe(key, [&](Slot*, const Slot& slot) {
      f(Slots::row(slot));
      return unique;
    });
  }

  /// One row with that key, or `no_row<Row>`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row find(const Key& key) const {
    Row row = no_row<Row>;
    probe(key, [&](Slot*, const Slot& slot) {
      row = Slots::row(slot);
      return true;
    });
    return row;
  }

  /// Whether the key is there.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool contains(const Key& key) const {
    return find(key) != no_row<Row>;
  }

  /// How many rows have that key.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count(const Key& key) const {
    std::uint64_t matches = 0;
    probe(key, [&](Slot*, const Slot&) {
      ++matches;
      return unique;
    });
    return matches;
  }

  /// Inserts an entry; of unique keys, only when the key is not there. Refuses rows from
  /// `no_row<Row> - 2` up.
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome insert(const Key& key, Row row) const {
    Row there = row;
    return insert_or(key, row, detail::KeepRow{}, there);
  }
  /// Inserts an entry, or gives the key's entry this row. For unique keys.
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome insert_or_assign(const Key& key, Row row) const
      requires(unique) {
    Row there = row;
    return insert_or(key, row, detail::AssignRow{}, there);
  }
  /// Inserts an entry, or replaces the row r of the key's entry by op(r, row), atomically; `op` may
  /// be called several times for one replacement. For unique keys.
  template <class Op>
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome insert_or_apply(const Key& key, Row row,
                                                            const Op& op) const requires(unique) {
    Row there = row;
    return insert_or(key, row, op, there);
  }
  /// Inserts an entry unless the key is there; `there` becomes the row that the key has then. For
  /// unique keys.
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome find_or_insert(const Key& key, Row row,
                                                           Row& there) const requires(unique) {
    return insert_or(key, row, detail::KeepRow{}, there);
  }

  /// Erases every entry with that key and returns how many they were.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t erase(const Key& key) const {
    std::uint64_t erased = 0;
    probe(key, [&](Slot* address, Slot slot) {
      // Another thread may replace the row or erase the entry meanwhile.
      while (is_live(slot) && equal_(Slots::key(slot), key)) {
        if (Slots::replace_row(address, slot, detail::erased_slot<Row>)) {
          ++erased;
          break;
        }
      }
      return unique && erased != 0;
    });
    return erased;
  }

  /// Windows of the table; each has `Window::size` slots.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t num_windows() const {
    return num_windows_;
  }
  /// The window in which the search for a key begins.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t home(const Key& key) const {
    return bucket_of(hash_(key), num_windows_);
  }
  /// The window after another, around the end.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t next(std::uint64_t window) const {
    return window + 1 == num_windows_ ? 0 : window + 1;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Window* window(std::uint64_t w) const {
    return windows_ + w;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Hash& hasher() const { return hash_; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Equal& equal() const { return equal_; }

  /// Whether a slot holds an entry.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool is_live(const Slot& slot) {
    return Slots::row(slot) < detail::slot_rows_end<Row>;
  }
  /// Whether nothing was ever inserted into a slot.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool is_empty(const Slot& slot) {
    return Slots::row(slot) == detail::empty_slot<Row>;
  }

  // A window is compared as a whole and its slots are chosen by moves, not branches: which slot a
  // key lies in cannot be predicted. Empty slots come last in a window.

  /// The entries of a window that have this key, a bit each.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned matches_in(const Slot (&slots)[Window::size],
                                                                const Key& key) const {
    unsigned matches = 0;
    HASHMILL_UNROLL(8)
    for (unsigned s = 0; s < Window::size; ++s) {
      const bool match = is_live(slots[s]) & equal_(Slots::key(slots[s]), key);
      matches |= static_cast<unsigned>(match) << s;
    }
    return matches;
  }
  /// The empty slots of a window, a bit each.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static unsigned empty_in(
      const Slot (&slots)[Window::size]) {
    unsigned empty = 0;
    HASHMILL_UNROLL(8)
    for (unsigned s = 0; s < Window::size; ++s) {
      empty |= static_cast<unsigned>(is_empty(slots[s])) << s;
    }
    return empty;
  }
  /// The lowest set bit; one is set.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static unsigned lowest(unsigned matches) {
    unsigned at = Window::size - 1;
    HASHMILL_UNROLL(8)
    for (unsigned i = 1; i < Window::size; ++i) {
      at = (matches >> (Window::size - 1 - i) & 1) != 0 ? Window::size - 1 - i : at;
    }
    return at;
  }
  /// One slot of a window that is held in registers.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Slot pick(const Slot (&slots)[Window::size],
                                                             unsigned at) {
    Slot slot = slots[0];
    HASHMILL_UNROLL(8)
    for (unsigned s = 1; s < Window::size; ++s) slot = s == at ? slots[s] : slot;
    return slot;
  }

  /// Asks for the window that a look-up of `key` reads first; on hosts.
  void prefetch(const Key& key) const { backends::prefetch(windows_ + home(key)); }

 private:
  /// Calls visit(address, slot) for the entries with that key until it returns true.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void probe(const Key& key, const Visit& visit) const {
    std::uint64_t w = home(key);
    for (std::uint64_t probes = 0; probes < num_windows_; ++probes, w = next(w)) {
      Slot found[Window::size];
      windows_[w].load(found);
      for (unsigned matches = matches_in(found, key); matches != 0; matches &= matches - 1) {
        const unsigned s = lowest(matches);
        if (visit(&windows_[w].slots[s], pick(found, s))) return;
      }
      if (is_empty(found[Window::size - 1])) return;
    }
  }

  /// Slots go from empty to used and never back, and every insert takes the first empty one: two
  /// inserts of a key meet in the same slot, where one of them sees the other's entry.
  template <class Op>
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome insert_or(const Key& key, Row row, const Op& op,
                                                      Row& there) const {
    if (row >= detail::slot_rows_end<Row>) return InsertOutcome::refused;
    std::uint64_t w = home(key);
    for (std::uint64_t probes = 0; probes < num_windows_; ++probes, w = next(w)) {
      // Where another thread takes the slot first, the window is read again: once a slot at most.
      for (unsigned lost = 0; lost <= Window::size; ++lost) {
        Slot found[Window::size];
        windows_[w].load(found);
        if constexpr (unique) {
          HASHMILL_UNROLL(8)
          for (unsigned s = 0; s < Window::size; ++s) {
            Slots::settle(&windows_[w].slots[s], found[s]);
          }
          if (const unsigned matches = matches_in(found, key); matches != 0) {
            const unsigned at = lowest(matches);
            Slot slot = pick(found, at);
            const InsertOutcome outcome = apply(&windows_[w].slots[at], slot, key, row, op, there);
            if (outcome != InsertOutcome::full) return outcome;
          }
        }
        const unsigned empty = empty_in(found);
        if (empty == 0) break;
        // A window is not read in one piece, so an empty slot may be seen before a used one; it is
        // used by now, the claim fails, and the window is read again.
        const unsigned s = lowest(empty);
        Slot slot = pick(found, s);
        if (Slots::claim(&windows_[w].slots[s], slot, key, row)) {
          there = row;
          return InsertOutcome::inserted;
        }
      }
    }
    return InsertOutcome::full;
  }

  /// Changes the row of an entry; `full` when the entry was erased meanwhile: the search goes on.
  template <class Op>
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome apply(Slot* address, Slot& slot, const Key& key,
                                                  Row row, const Op& op, Row& there) const {
    there = Slots::row(slot);
    if constexpr (!std::is_same_v<Op, detail::KeepRow>) {
      while (is_live(slot) && equal_(Slots::key(slot), key)) {
        const Row wanted = op(Slots::row(slot), row);
        if (wanted >= detail::slot_rows_end<Row>) return InsertOutcome::refused;
        there = wanted;
        if (wanted == Slots::row(slot) || Slots::replace_row(address, slot, wanted)) {
          return InsertOutcome::existing;
        }
      }
      return InsertOutcome::full;
    }
    return InsertOutcome::existing;
  }

  Window* windows_ = nullptr;
  std::uint64_t num_windows_ = 0;
  Hash hash_;
  Equal equal_;
};

}  // namespace hashmill
