#pragma once

#include <hashmill/backends/word_match.hpp>
#include <hashmill/key.hpp>
#include <hashmill/linear_probing/detail/probing_slots.hpp>

namespace hashmill::detail {

// A window as it was read at one moment. It is compared as a whole, and slots are selected by
// moves, not by branches. A branch on the slot of a key could not be predicted. Empty slots come
// last in a window.

/// Selects the reading that an insert needs while other inserts run.
struct BesideInserts {};

/// A window of slots of any kind.
template <class Slots, class Equal>
class SeenSlots {
 public:
  using Slot = typename Slots::Slot;
  using Window = ProbingWindow<Slots>;
  static constexpr unsigned size = Window::size;

  KOKKOS_FORCEINLINE_FUNCTION explicit SeenSlots(const Window& window) { window.load(slots_); }
  KOKKOS_FORCEINLINE_FUNCTION SeenSlots(const Window& window, BesideInserts) {
    window.load_beside_inserts(slots_);
  }

  /// The entries with this key, one bit per slot.
  template <class Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned matches(const Key& key,
                                                             const Equal& equal) const {
    unsigned matches = 0;
    backends::unrolled<size>([&](unsigned s) {
      const bool match = Slots::is_live(slots_[s]) & equal(Slots::key(slots_[s]), key);
      matches |= static_cast<unsigned>(match) << s;
    });
    return matches;
  }
  /// The empty slots, one bit per slot.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned empty() const {
    unsigned empty = 0;
    backends::unrolled<size>(
        [&](unsigned s) { empty |= static_cast<unsigned>(Slots::is_empty(slots_[s])) << s; });
    return empty;
  }
  /// Whether a probe ends in this window: its last slot is empty.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool ends() const {
    return Slots::is_empty(slots_[size - 1]);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Slot slot(unsigned at) const {
    Slot slot = slots_[0];
    backends::unrolled<size>([&](unsigned s) { slot = s == at ? slots_[s] : slot; });
    return slot;
  }
  /// The number of the lowest set bit. At least one bit must be set.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static unsigned lowest(unsigned mask) {
    unsigned at = size - 1;
    backends::unrolled<size>(
        [&](unsigned i) { at = (mask >> (size - 1 - i) & 1) != 0 ? size - 1 - i : at; });
    return at;
  }
  /// Whether an insert is writing a slot that has no key yet.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_being_written() const {
    bool claimed = false;
    backends::unrolled<size>([&](unsigned s) { claimed |= Slots::is_claimed(slots_[s]); });
    return claimed;
  }

 private:
  Slot slots_[size];
};

/// A window of slots of one word. Keys are equal if their bits are.
template <class Slots>
class SeenWords {
 public:
  using Slot = typename Slots::Slot;
  using Window = ProbingWindow<Slots>;
  static constexpr unsigned size = Window::size;
  static_assert(size == backends::WordGroup::size);

  KOKKOS_FORCEINLINE_FUNCTION explicit SeenWords(const Window& window)
      : group_(reinterpret_cast<const backends::FourWords&>(window)) {}
  KOKKOS_FORCEINLINE_FUNCTION SeenWords(const Window& window, BesideInserts) : SeenWords(window) {}

  template <class Key, class Equal>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned matches(const Key& key, const Equal&) const {
    return group_.match(Slots::bits(key), Slots::rows_end);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned empty() const {
    return group_.match_upper(Slots::empty_row);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool ends() const {
    return group_.last_upper_is(Slots::empty_row);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Slot slot(unsigned at) const { return group_.word(at); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static unsigned lowest(unsigned mask) {
    return backends::WordGroup::lowest(mask);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_being_written() const { return false; }

 private:
  backends::WordGroup group_;
};

/// The type that reads the windows of a key, row and equality type.
template <class Key, RowNumber Row, class Equal>
using SeenWindow =
    std::conditional_t<std::is_same_v<ProbingSlots<Key, Row>, WordSlots<Key, Row>> &&
                           std::is_same_v<Equal, KeyEqual> && WholeNumberKey<Key>,
                       SeenWords<WordSlots<Key, Row>>, SeenSlots<ProbingSlots<Key, Row>, Equal>>;

}  // namespace hashmill::detail
