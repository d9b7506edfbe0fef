#pragma once

#include <hashmill/backends/alias_word.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/linear_probing/ref.hpp>
#include <hashmill/multi_map/detail/entry_parts.hpp>
#include <hashmill/multi_map/detail/retrieve_all.hpp>
#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/primitives/detail/tally_outcomes.hpp>

namespace hashmill::detail {

/// What a pass over all slots counts.
struct SlotCounts {
  std::uint64_t live = 0;
  std::uint64_t erased = 0;
  std::uint64_t probes = 0;  ///< windows between home and entry, summed over live entries
  std::uint64_t longest_probe = 0;

  KOKKOS_INLINE_FUNCTION SlotCounts& operator+=(const SlotCounts& other) {
    live += other.live;
    erased += other.erased;
    probes += other.probes;
    longest_probe = longest_probe > other.longest_probe ? longest_probe : other.longest_probe;
    return *this;
  }
};

/// Counts the slots of one window.
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

/// Counts entries, tombstones and probe lengths. Waits for `exec`.
template <class Exec, class Ref>
SlotCounts count_slots(const Exec& exec, const Ref& ref) {
  SlotCounts counts;
  Kokkos::parallel_reduce("hashmill::linear_probing::count_slots",
                          backends::range(exec, ref.num_windows()), CountWindow<Ref>{ref}, counts);
  return counts;
}

/// Makes every slot empty, in stores of 16 bytes: in stores of 8 it takes a GPU twice as long.
/// Asynchronous.
template <class MemorySpace, class Exec, class Ref>
void empty_windows(const Exec& exec, const Ref& ref) {
  using Pair = backends::AliasWordPair;
  using Pairs = Kokkos::View<Pair*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  constexpr std::uint64_t pairs = sizeof(typename Ref::Window) / sizeof(Pair);
  static_assert(sizeof(typename Ref::Window) % sizeof(Pair) == 0, "windows are whole pairs");
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  Kokkos::deep_copy(exec, Pairs(reinterpret_cast<Pair*>(ref.window(0)), ref.num_windows() * pairs),
                    Pair{ones, ones});
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

/// Inserts all entries of one table into another that has room for them. Waits for `exec`. Both
/// tables are in hash order, so neighbouring threads meet in the same windows.
template <class Exec, class Ref>
void move_entries(const Exec& exec, const Ref& from, const Ref& to) {
  using Visit = VisitPart<WindowEntries<Ref>, MoveEntry<Ref>>;
  backends::for_each_index("hashmill::linear_probing::move", exec, from.num_windows(),
                           Visit{{from}, {to}});
  exec.fence("hashmill::LinearProbing: the old table may go");
}

/// Erases the entries with the key of one query.
template <class Ref, class Queries>
struct EraseKey {
  Ref ref;
  Queries queries;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& erased) const {
    erased += ref.erase(queries(static_cast<std::uint64_t>(i)));
  }
};

/// Erases the entries with these keys. `erased` becomes their number: if it is a view, when `exec`
/// reaches it; if it is a number, at once, after waiting for `exec`.
template <class Exec, class Ref, class Queries, class Number>
void erase_keys(const Exec& exec, const Ref& ref, const Queries& queries, Number&& erased) {
  check_single_keys<Exec>(queries);
  Kokkos::parallel_reduce("hashmill::linear_probing::erase", backends::range(exec, queries.size()),
                          EraseKey<Ref, Queries>{ref, queries}, erased);
}

/// Erases the entries of a window for which a predicate holds.
template <class Ref, class Predicate>
struct EraseFromWindowIf {
  Ref ref;
  Predicate predicate;

  KOKKOS_FUNCTION void operator()(std::int64_t w, std::uint64_t& erased) const {
    using Slots = typename Ref::Slots;
    for (auto& address : ref.window(static_cast<std::uint64_t>(w))->slots) {
      auto slot = address;
      if (!Slots::is_live(slot) || !predicate(Slots::key(slot), Slots::row(slot))) continue;
      if (Slots::replace_row(&address, slot, erased_slot<typename Ref::row_type>)) ++erased;
    }
  }
};

/// Erases the entries for which a predicate holds, and returns the number erased. Waits for `exec`.
template <class Exec, class Ref, class Predicate>
std::uint64_t erase_entries_if(const Exec& exec, const Ref& ref, const Predicate& predicate) {
  std::uint64_t erased = 0;
  Kokkos::parallel_reduce("hashmill::linear_probing::erase_if",
                          backends::range(exec, ref.num_windows()),
                          EraseFromWindowIf<Ref, Predicate>{ref, predicate}, erased);
  return erased;
}

}  // namespace hashmill::detail
