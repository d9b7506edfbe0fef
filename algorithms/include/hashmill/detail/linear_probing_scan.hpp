#pragma once

#include <hashmill/detail/tally_items.hpp>
#include <hashmill/linear_probing_ref.hpp>

namespace hashmill::detail {

/// What a pass over all slots counts.
struct SlotCounts {
  std::uint64_t live = 0;
  std::uint64_t erased = 0;
  std::uint64_t probes = 0;  ///< windows from their home, summed over live entries
  std::uint64_t longest_probe = 0;

  KOKKOS_INLINE_FUNCTION SlotCounts& operator+=(const SlotCounts& other) {
    live += other.live;
    erased += other.erased;
    probes += other.probes;
    longest_probe = longest_probe > other.longest_probe ? longest_probe : other.longest_probe;
    return *this;
  }
};

template <class Ref>
struct CountWindow {
  Ref ref;

  KOKKOS_FUNCTION void operator()(std::int64_t i, SlotCounts& counts) const {
    const auto w = static_cast<std::uint64_t>(i);
    const auto& window = *ref.window(w);
    for (const auto& slot : window.slots) {
      if (Ref::Slots::is_empty(slot)) continue;
      if (!Ref::Slots::is_live(slot)) {
        ++counts.erased;
        continue;
      }
      const std::uint64_t home = ref.home(Ref::Slots::key(slot));
      const std::uint64_t probes = w >= home ? w - home : w + ref.num_windows() - home;
      ++counts.live;
      counts.probes += probes;
      if (probes > counts.longest_probe) counts.longest_probe = probes;
    }
  }
};

/// Counts entries, tombstones and probe lengths; waits for `exec`.
template <class Exec, class Ref>
SlotCounts count_slots(const Exec& exec, const Ref& ref) {
  SlotCounts counts;
  Kokkos::parallel_reduce("hashmill::linear_probing::count_slots",
                          backends::range(exec, ref.num_windows()), CountWindow<Ref>{ref}, counts);
  return counts;
}

/// Makes every slot empty; asynchronous.
template <class MemorySpace, class Exec, class Ref>
void empty_windows(const Exec& exec, const Ref& ref) {
  using Words = Kokkos::View<std::uint64_t*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  constexpr std::uint64_t words = sizeof(typename Ref::Window) / sizeof(std::uint64_t);
  Kokkos::deep_copy(
      exec, Words(reinterpret_cast<std::uint64_t*>(ref.window(0)), ref.num_windows() * words),
      ~std::uint64_t{0});
}

template <class Ref, class F>
struct VisitWindow {
  Ref ref;
  F f;

  KOKKOS_FUNCTION void operator()(std::int64_t w) const {
    const auto& window = *ref.window(static_cast<std::uint64_t>(w));
    for (const auto& slot : window.slots) {
      if (Ref::Slots::is_live(slot)) f(Ref::Slots::key(slot), Ref::Slots::row(slot));
    }
  }
};

/// Calls f(key, row) for every entry; asynchronous.
template <class Exec, class Ref, class F>
void for_each_entry(const Exec& exec, const Ref& ref, const F& f) {
  Kokkos::parallel_for("hashmill::linear_probing::for_each",
                       backends::range(exec, ref.num_windows()), VisitWindow<Ref, F>{ref, f});
}

/// Inserts an entry that no other thread inserts too.
template <class Ref>
struct MoveEntry {
  Ref to;
  template <class Key, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Key& key, Row row) const {
    to.insert(key, row);
  }
};

/// Inserts all entries of one table into another with room for them; waits for `exec`. Both tables
/// are in hash order, so neighbouring threads meet in the same windows.
template <class Exec, class Ref>
void move_entries(const Exec& exec, const Ref& from, const Ref& to) {
  for_each_entry(exec, from, MoveEntry<Ref>{to});
  exec.fence("hashmill::LinearProbing: the old table may go");
}

template <class Ref, class Queries>
struct EraseKey {
  Ref ref;
  Queries queries;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& erased) const {
    erased += ref.erase(queries(static_cast<std::uint64_t>(i)));
  }
};

/// Erases the entries with these keys and returns how many they were; waits for `exec`.
template <class Exec, class Ref, class Queries>
std::uint64_t erase_keys(const Exec& exec, const Ref& ref, const Queries& queries) {
  std::uint64_t erased = 0;
  Kokkos::parallel_reduce("hashmill::linear_probing::erase", backends::range(exec, queries.size()),
                          EraseKey<Ref, Queries>{ref, queries}, erased);
  return erased;
}

/// Inserts keys(from + i) where a predicate holds and tells what happened.
template <class Ref, class Keys, class Rows, class Predicate, class Outcomes>
struct InsertIf {
  Ref ref;
  Keys keys;
  Rows rows;
  Predicate predicate;
  Outcomes outcomes;
  std::uint64_t from = 0;

  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome operator()(std::uint64_t i) const {
    const bool wanted = predicate(from + i);
    const InsertOutcome outcome =
        wanted ? ref.insert(keys(from + i), rows(from + i)) : InsertOutcome::skipped;
    outcomes(from + i) = outcome;
    return outcome;
  }
  void prefetch(std::uint64_t i) const { ref.prefetch(ref.hasher()(keys(from + i))); }
};

/// Inserts keys(from + i) or applies an operation to its row.
template <class Ref, class Keys, class Rows, class Op>
struct ApplyEach {
  Ref ref;
  Keys keys;
  Rows rows;
  Op op;
  std::uint64_t from = 0;

  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome operator()(std::uint64_t i) const {
    return ref.insert_or_apply(keys(from + i), rows(from + i), op);
  }
  void prefetch(std::uint64_t i) const { ref.prefetch(ref.hasher()(keys(from + i))); }
};

/// Inserts keys(from + i) unless it is there and tells its row.
template <class Ref, class Keys, class Rows, class There>
struct FindOrInsertEach {
  Ref ref;
  Keys keys;
  Rows rows;
  There there;
  std::uint64_t from = 0;

  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome operator()(std::uint64_t i) const {
    typename Ref::row_type row = no_row<typename Ref::row_type>;
    const InsertOutcome outcome = ref.find_or_insert(keys(from + i), rows(from + i), row);
    there(from + i) = row;
    return outcome;
  }
  void prefetch(std::uint64_t i) const { ref.prefetch(ref.hasher()(keys(from + i))); }
};

}  // namespace hashmill::detail
