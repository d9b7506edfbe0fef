#pragma once

#include <bit>
#include <hashmill/backends/publish.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/backends/wide_exchange.hpp>
#include <hashmill/primitives/detail/records.hpp>
#include <hashmill/row.hpp>

namespace hashmill::detail {

// How a slot of an open-addressing table holds a key and a row. No key is reserved. The row field
// tells the state of a slot, for which three row numbers are set aside. An empty slot is all ones,
// so filling bytes makes an empty table.

/// States of a slot, in place of a row number.
template <RowNumber Row>
inline constexpr Row empty_slot = no_row<Row>;
template <RowNumber Row>
inline constexpr Row erased_slot = no_row<Row> - 1;
template <RowNumber Row>
inline constexpr Row claimed_slot = no_row<Row> - 2;
/// One more than the largest row number that a slot can hold.
template <RowNumber Row>
inline constexpr Row slot_rows_end = no_row<Row> - 2;

/// Slots of 8 bytes, for keys of 1, 2 or 4 bytes and 32-bit rows. The key is the lower half of one
/// word, the row the upper half. One compare-and-swap changes a slot, so look-ups, inserts and
/// erasures may overlap.
template <class Key, RowNumber Row>
struct WordSlots {
  using Slot = std::uint64_t;
  using KeyBits =
      std::conditional_t<sizeof(Key) == 1, std::uint8_t,
                         std::conditional_t<sizeof(Key) == 2, std::uint16_t, std::uint32_t>>;
  static_assert(sizeof(Key) == sizeof(KeyBits) && sizeof(Row) == 4);
  static constexpr Row empty_row = empty_slot<Row>;
  static constexpr Row rows_end = slot_rows_end<Row>;

  /// A key as the lower half of its slot.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t bits(const Key& key) {
    return __builtin_bit_cast(KeyBits, key);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Slot make(const Key& key, Row row) {
    return bits(key) | std::uint64_t{row} << 32;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Key key(Slot slot) {
    return __builtin_bit_cast(Key, static_cast<KeyBits>(slot));
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Row row(Slot slot) {
    return static_cast<Row>(slot >> 32);
  }
  /// Whether a slot holds an entry.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool is_live(const Slot& slot) {
    return row(slot) < slot_rows_end<Row>;
  }
  /// Whether nothing was ever inserted into a slot.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool is_empty(const Slot& slot) {
    return row(slot) == empty_slot<Row>;
  }
  /// Reads a slot that other host threads may be changing.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Slot load(const Slot* address) {
    return backends::load_relaxed(address);
  }

  /// Turns an empty slot, seen as `slot`, into an entry. False if another thread was first.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool claim(Slot* address, Slot slot,
                                                              const Key& key, Row row) {
    return exchange(address, slot, make(key, row));
  }
  /// As `claim`, for the only thread that works on this slot.
  KOKKOS_FORCEINLINE_FUNCTION static void put(Slot* address, const Key& key, Row row) {
    *address = make(key, row);
  }
  /// Whether an insert is writing the slot. Never: a word is not written in parts.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool is_claimed(const Slot&) { return false; }
  /// Replaces the row of an entry seen as `slot`. If the slot has changed, returns false and
  /// updates `slot`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool replace_row(Slot* address, Slot& slot,
                                                                    Row row) {
    return exchange(address, slot, (slot & 0xFFFFFFFF) | std::uint64_t{row} << 32);
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool exchange(Slot* address, Slot& slot,
                                                                 Slot wanted) {
    const Slot seen = Kokkos::atomic_compare_exchange(address, slot, wanted);
    if (seen == slot) return true;
    slot = seen;
    return false;
  }
};

/// Slots of 16 or 32 bytes. A 16-byte slot is written at once where the hardware can. Otherwise an
/// insert takes three steps:
///
///     1. claim the row field, by a compare-and-swap
///     2. write the key
///     3. publish the row
///
/// An insert that meets a claimed slot reads it again until it has its key. The claiming thread
/// writes that key without waiting for anyone. On devices, look-ups must not overlap inserts.
template <class Key, RowNumber Row>
struct PublishedSlots {
  using TwoWords = backends::TwoWords;
  struct alignas(std::bit_ceil(sizeof(RecordPair<Key, Row>))) Slot {
    Key key;
    Row row;
  };
  static constexpr bool written_at_once =
      backends::has_wide_exchange && sizeof(Slot) == sizeof(TwoWords);

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Slot make(const Key& key, Row row) {
    return {key, row};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static const Key& key(const Slot& slot) {
    return slot.key;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Row row(const Slot& slot) { return slot.row; }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool is_live(const Slot& slot) {
    return row(slot) < slot_rows_end<Row>;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool is_empty(const Slot& slot) {
    return row(slot) == empty_slot<Row>;
  }

  /// As WordSlots::load: an entry is never seen without its key. The key of a slot without an entry
  /// must not be read.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Slot load(const Slot* address) {
    if constexpr (written_at_once) {
      return __builtin_bit_cast(
          Slot, backends::load_two_words(reinterpret_cast<const TwoWords*>(address)));
    }
    Slot slot{};
    slot.row = backends::load_acquire(&address->row);
    if (slot.row < slot_rows_end<Row>) slot.key = address->key;
    return slot;
  }

  /// As WordSlots::claim.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool claim(Slot* address, const Slot&,
                                                              const Key& key, Row row) {
    if constexpr (written_at_once) {
      constexpr TwoWords empty{~std::uint64_t{0}, ~std::uint64_t{0}};
      const TwoWords wanted = __builtin_bit_cast(TwoWords, Slot{key, row});
      return backends::exchange_two_words(reinterpret_cast<TwoWords*>(address), empty, wanted) ==
             empty;
    }
    const Row seen =
        Kokkos::atomic_compare_exchange(&address->row, empty_slot<Row>, claimed_slot<Row>);
    if (seen != empty_slot<Row>) return false;
    address->key = key;
    backends::store_release(&address->row, row);
    return true;
  }
  /// As WordSlots::put.
  KOKKOS_FORCEINLINE_FUNCTION static void put(Slot* address, const Key& key, Row row) {
    *address = Slot{key, row};
  }
  /// As WordSlots::is_claimed: true if the slot has no key yet.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool is_claimed(const Slot& slot) {
    return slot.row == claimed_slot<Row>;
  }
  /// As WordSlots::replace_row.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool replace_row(Slot* address, Slot& slot,
                                                                    Row row) {
    const Row seen = Kokkos::atomic_compare_exchange(&address->row, slot.row, row);
    if (seen == slot.row) return true;
    slot.row = seen;
    return false;
  }
};

/// The kind of slots for a key and row type.
template <class Key, RowNumber Row>
using ProbingSlots = std::conditional_t<sizeof(Key) <= 4 && sizeof(Key) != 3 && sizeof(Row) == 4,
                                        WordSlots<Key, Row>, PublishedSlots<Key, Row>>;

/// The slots that one probe reads: a sector of 32 bytes, the least that memory transfers.
template <class Slots>
struct alignas(32) ProbingWindow {
  static constexpr unsigned size =
      sizeof(typename Slots::Slot) < 32 ? 32 / sizeof(typename Slots::Slot) : 1;
  typename Slots::Slot slots[size];

  /// Reads a window that others may be changing.
  ///
  ///     devices   two loads of 16 bytes
  ///     hosts     one load per slot; reading back a window copied in pieces would stall
  KOKKOS_FORCEINLINE_FUNCTION void load(typename Slots::Slot (&to)[size]) const {
    KOKKOS_IF_ON_DEVICE((copy(to);))
    KOKKOS_IF_ON_HOST((load_each(to);))
  }
  /// As `load`, for inserts that overlap other inserts. An entry is never seen without its key, and
  /// memory is read each time.
  KOKKOS_FORCEINLINE_FUNCTION void load_beside_inserts(typename Slots::Slot (&to)[size]) const {
    if constexpr (sizeof(typename Slots::Slot) > sizeof(std::uint64_t)) {
      load_each(to);
    } else {
      load(to);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void copy(typename Slots::Slot (&to)[size]) const {
    const ProbingWindow window = *this;
    backends::unrolled<size>([&](unsigned s) { to[s] = window.slots[s]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_each(typename Slots::Slot (&to)[size]) const {
    backends::unrolled<size>([&](unsigned s) { to[s] = Slots::load(&slots[s]); });
  }
};

}  // namespace hashmill::detail
