#pragma once

#include <hashmill/backends/streaming.hpp>
#include <hashmill/hash_bits.hpp>
#include <hashmill/linear_probing/detail/seen_window.hpp>
#include <hashmill/linear_probing/options.hpp>
#include <hashmill/multi_map/hashed_key.hpp>
#include <hashmill/primitives/insert_result.hpp>

namespace hashmill {

namespace detail {

/// What an insert does if its key has an entry: it leaves the row (KeepRow), or changes it by
/// `op(old, row)`.
struct KeepRow {};
struct AssignRow {
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION Row operator()(Row, Row row) const {
    return row;
  }
};

}  // namespace detail

/// A LinearProbing table as kernels see it: trivially copyable, owns nothing. Valid until its table
/// is grown, rehashed, cleared, moved or destroyed.
///
/// A probe reads one window of 32 bytes. The windows of a key follow one another from its home
/// window on, and wrap around the end. A search ends at the first empty slot, or after one pass
/// over the table.
///
///     | slots              | what may overlap                                        |
///     |--------------------|---------------------------------------------------------|
///     | 8 bytes            | all members, called by any number of threads            |
///     | larger, on hosts   | the same                                                |
///     | larger, on devices | the same, except that look-ups must not overlap inserts |
///
/// A look-up that overlaps an insert or erase of the same key may or may not see it. The owner does
/// not count what kernels insert or erase until its `recount`.
template <class Key, class Kind, RowNumber Row, class Hash, class Equal>
class LinearProbingRef {
 public:
  using key_type = Key;
  using row_type = Row;
  using Slots = detail::ProbingSlots<Key, Row>;
  using Slot = typename Slots::Slot;
  using Window = detail::ProbingWindow<Slots>;
  using Seen = detail::SeenWindow<Key, Row, Equal>;
  /// Whether a key has at most one row.
  static constexpr bool unique = std::is_same_v<Kind, UniqueKeys>;

  /// A vacant ref, in which nothing is found. LinearProbing::ref() makes the others.
  LinearProbingRef() = default;
  /// Used by its table, whose `ref()` makes one.
  LinearProbingRef(Window* windows, std::uint64_t num_windows, Hash hash, Equal equal)
      : windows_(windows), num_windows_(num_windows), hash_(hash), equal_(equal) {}

  /// Calls `f(row)` for every row with that key, in probe order. A `SearchKey` is a Key, a key with
  /// its hash (HashedKey), or a key with its hash and home window (HomedKey).
  template <class SearchKey = Key, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const SearchKey& key, const F& f) const {
    probe(key, [&](Slot*, const Slot& slot) {
      f(Slots::row(slot));
      return unique;
    });
  }
  /// Calls `f(position, row)` for the same entries, where a position is the number of a slot.
  template <class SearchKey = Key, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_position(const SearchKey& key, const F& f) const {
    probe(key, [&](const Slot* address, const Slot& slot) {
      f(position(address), Slots::row(slot));
      return unique;
    });
  }

  /// One row with that key, or `no_row<Row>`.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row find(const SearchKey& key) const {
    Row row = no_row<Row>;
    probe(key, [&](Slot*, const Slot& slot) {
      row = Slots::row(slot);
      return true;
    });
    return row;
  }

  /// Whether any row has that key.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool contains(const SearchKey& key) const {
    return find(key) != no_row<Row>;
  }

  /// How many rows have that key.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count(const SearchKey& key) const {
    std::uint64_t matches = 0;
    probe(key, [&](Slot*, const Slot&) {
      ++matches;
      return unique;
    });
    return matches;
  }

  /// The windows that may hold a key, read one per step, with the steps in any order. See
  /// detail::StepwiseRef.
  class Walk {
   public:
    static constexpr unsigned width = Window::size;
    /// What one step found: bit i of `matches` says that slot i of the window matches.
    struct Step {
      Seen seen;
      unsigned matches;
      bool last;  // no later step has matches
      /// The row of a match.
      [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row row(unsigned i) const {
        return Slots::row(seen.slot(i));
      }
    };

    /// `ref` must outlive the walk.
    KOKKOS_FORCEINLINE_FUNCTION Walk(const LinearProbingRef& ref, const HomedKey<Key>& key)
        : ref_(ref), key_(key.key), home_(key.home) {}

    /// The number of steps: no step with this number or a higher one has matches.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t steps() const {
      return ref_.num_windows_;
    }
    /// Takes a step, of any number.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Step step(std::uint64_t s) const {
      const std::uint64_t windows = ref_.num_windows_;
      const bool outside = s >= windows;
      const std::uint64_t w = outside ? home_ : home_ + s - (home_ + s < windows ? 0 : windows);
      const Seen seen(ref_.windows_[w]);
      return {seen, outside ? 0 : seen.matches(key_, ref_.equal_), outside || seen.ends()};
    }

   private:
    const LinearProbingRef& ref_;
    Key key_;
    std::uint64_t home_;
  };
  /// Where keys repeat, most searches pass many windows.
  static constexpr bool long_searches = true;
  /// The walk over the windows that may hold a key.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Walk walk(const SearchKey& key) const
      requires(!unique) {
    return Walk(*this, detail::homed(*this, key));
  }

  /// Inserts an entry; in a table of unique keys, only if the key is absent. Refuses rows of
  /// `no_row<Row> - 2` and above. Refuses keys and rows of other types whose values `Key` and `Row`
  /// cannot hold.
  template <class SearchKey = Key, class SomeRow = Row>
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome insert(const SearchKey& key, SomeRow row) const {
    Row there = no_row<Row>;
    return insert_or(key, row, detail::KeepRow{}, there);
  }
  /// Inserts an entry, or gives the key's entry this row. For unique keys.
  template <class SearchKey = Key, class SomeRow = Row>
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome insert_or_assign(const SearchKey& key,
                                                             SomeRow row) const requires(unique) {
    Row there = no_row<Row>;
    return insert_or(key, row, detail::AssignRow{}, there);
  }
  /// Inserts an entry, or atomically replaces the row r of the key's entry by op(r, row). `op` may
  /// be called several times for one replacement. For unique keys.
  template <class SearchKey = Key, class SomeRow = Row, class Op>
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome insert_or_apply(const SearchKey& key, SomeRow row,
                                                            const Op& op) const requires(unique) {
    Row there = no_row<Row>;
    return insert_or(key, row, op, there);
  }
  /// Inserts an entry unless the key has one. `there` becomes the row that the key has afterwards.
  /// For unique keys.
  template <class SearchKey = Key, class SomeRow = Row>
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome find_or_insert(const SearchKey& key, SomeRow row,
                                                           Row& there) const requires(unique) {
    return insert_or(key, row, detail::KeepRow{}, there);
  }

  /// Erases every entry with that key and returns the number erased.
  template <class SearchKey = Key>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t erase(const SearchKey& search_key) const {
    std::uint64_t erased = 0;
    probe(search_key, [&](Slot* address, const Slot& seen) {
      const Key key = Slots::key(seen);
      Slot slot = seen;  // another thread may change or erase the entry meanwhile
      while (Slots::is_live(slot) && equal_(Slots::key(slot), key)) {
        if (Slots::replace_row(address, slot, detail::erased_slot<Row>)) {
          ++erased;
          break;
        }
      }
      return unique && erased != 0;
    });
    return erased;
  }

  /// Whether the table has no windows, because it was moved from.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_vacant() const { return num_windows_ == 0; }
  /// The number of windows. Each has `Window::size` slots.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t num_windows() const {
    return num_windows_;
  }
  /// The window in which the search for a key begins.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t home(const Key& key) const {
    return home_of_hash(hash_(key));
  }
  /// The home window of a hash, by `hasher()`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t home_of_hash(std::uint64_t hash) const {
    return bucket_of(hash, num_windows_);
  }
  /// The window after another. The first one follows the last.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t next(std::uint64_t window) const {
    return window + 1 == num_windows_ ? 0 : window + 1;
  }
  /// The address of a window.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Window* window(std::uint64_t w) const {
    return windows_ + w;
  }
  /// The number of a slot of the table.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t position(const Slot* slot) const {
    return static_cast<std::uint64_t>(slot - windows_->slots);
  }
  /// The function that hashes keys in this table, and their equality.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Hash& hasher() const { return hash_; }
  /// The functor that compares keys.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Equal& equal() const { return equal_; }

  /// Prefetches a window. On hosts only.
  void prefetch_home(std::uint64_t window) const { backends::prefetch_far(windows_ + window); }
  /// Prefetches the home window of a hash. On hosts only.
  void prefetch(std::uint64_t hash) const { prefetch_home(home_of_hash(hash)); }

 private:
  /// Calls visit(address, slot) for each entry with that key, until it returns true.
  template <class SearchKey, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void probe(const SearchKey& search_key, const Visit& visit) const {
    if (!detail::can_be_key<Key>(search_key)) return;
    const HomedKey<Key> key = detail::homed(*this, search_key);
    std::uint64_t w = key.home;
    for (std::uint64_t probes = 0; probes < num_windows_; ++probes, w = next(w)) {
      const Seen seen(windows_[w]);
      for (unsigned matches = seen.matches(key.key, equal_); matches != 0; matches &= matches - 1) {
        const unsigned s = Seen::lowest(matches);
        if (visit(&windows_[w].slots[s], seen.slot(s))) return;
      }
      if (seen.ends()) return;
    }
  }

  template <class SearchKey, class SomeRow, class Op>
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome insert_or(const SearchKey& key, SomeRow row,
                                                      const Op& op, Row& there) const {
    if constexpr (detail::require_comparable<Key, SearchKey>()) {
      using Conversion = detail::KeyConversion<Key, SearchKey>;
      if (!Conversion::fits(key)) return InsertOutcome::refused;
      return insert_key_or(Conversion::cast(key), detail::as_row<Row>(row), op, there);
    }
    return InsertOutcome::refused;
  }

  /// Slots go from empty to used and never back, and every insert takes the first empty one. So two
  /// inserts of one key meet in the same slot, where one of them sees the other's entry.
  ///
  /// A window is read again in two cases: another thread changed it first, which happens at most
  /// twice per slot, or a slot has no key yet. One loop handles all of this and has one exit. Where
  /// lanes run in step, a lane that reads again lets the lane that writes go on.
  template <class Op>
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome insert_key_or(const Key& key, Row row, const Op& op,
                                                          Row& there) const {
    if (row >= detail::slot_rows_end<Row>) return InsertOutcome::refused;
    InsertOutcome outcome = InsertOutcome::full;
    std::uint64_t w = home(key), probes = 0;
    while (outcome == InsertOutcome::full && probes < num_windows_) {
      const Seen seen(windows_[w], detail::BesideInserts{});
      if (const unsigned matches = unique ? seen.matches(key, equal_) : 0; matches != 0) {
        const unsigned s = Seen::lowest(matches);
        if constexpr (unique) {
          Slot slot = seen.slot(s);
          outcome = apply(&windows_[w].slots[s], slot, key, row, op, there);
        }
      } else if (unique && seen.is_being_written()) {
        // the entry that is being written may have this key
      } else if (const unsigned empty = seen.empty(); empty == 0) {
        ++probes;
        w = next(w);
      } else if (const unsigned s = Seen::lowest(empty);
                 Slots::claim(&windows_[w].slots[s], seen.slot(s), key, row)) {
        // A window is not read in one piece, so an empty slot may be seen before a used one. The
        // slot is used by now, and the claim fails.
        there = row;
        outcome = InsertOutcome::inserted;
      }
    }
    return outcome;
  }

  /// Changes the row of an entry. Returns `full` if the entry was erased meanwhile: the search goes
  /// on.
  template <class Op>
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome apply(Slot* address, Slot& slot, const Key& key,
                                                  Row row, const Op& op, Row& there) const {
    there = Slots::row(slot);
    if constexpr (!std::is_same_v<Op, detail::KeepRow>) {
      while (Slots::is_live(slot) && equal_(Slots::key(slot), key)) {
        const Row wanted = detail::as_row<Row>(op(Slots::row(slot), row));
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
