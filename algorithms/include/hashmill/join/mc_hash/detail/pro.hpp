#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hashmill/join/mc_hash/detail/bits.hpp>

namespace hashmill::detail {

/// PRO's table of a part: bucket chaining. The rows stay where they are.
///
///     heads   uint32 x slots   1 + the index of the slot's first row; 0 if it has none
///     next    uint32 x rows    1 + the index of the slot's next row; 0 for the last
///
/// Source: Manegold et al., "Optimizing main-memory join on modern hardware", TKDE 2002; Balkesen
/// et al., ICDE 2013, section IV-A.
template <class Tuple, class Hash>
class BucketChains {
 public:
  /// The approximate size of a row in bytes, with its share of the table.
  static constexpr std::uint64_t row_bytes = sizeof(Tuple) + 2 * sizeof(std::uint32_t);

  [[nodiscard]] static std::uint64_t bytes(std::uint64_t rows) {
    return (std::bit_ceil(rows) + rows) * sizeof(std::uint32_t);
  }
  /// memory: `bytes(rows)` bytes. It and `tuples` must outlive the table.
  BucketChains(std::byte* memory, const Tuple* tuples, std::uint64_t rows, const Hash& hash,
               unsigned part_bits)
      : slots_(HashBits<Hash>::at_least(hash, part_bits, rows)),
        tuples_(tuples),
        heads_(reinterpret_cast<std::uint32_t*>(memory)),
        next_(heads_ + slots_.count()) {}

  /// Links all rows.
  void build(std::uint64_t rows) {
    clear(0, slots_.count());
    for (std::uint64_t i = 0; i < rows; ++i) {
      std::uint32_t& head = heads_[slots_(tuples_[i])];
      next_[i] = head;
      head = static_cast<std::uint32_t>(i + 1);
    }
  }

  /// Empties a range of slots, and links a range of rows. Other threads may do the same with other
  /// ranges; all slots must be empty before the first row is linked.
  void clear(std::uint64_t begin, std::uint64_t count) { std::fill_n(heads_ + begin, count, 0); }
  void link(std::uint64_t begin, std::uint64_t count) {
    for (std::uint64_t i = begin; i < begin + count; ++i) {
      const std::atomic_ref<std::uint32_t> head(heads_[slots_(tuples_[i])]);
      next_[i] = head.exchange(static_cast<std::uint32_t>(i + 1), std::memory_order_relaxed);
    }
  }
  [[nodiscard]] std::uint64_t num_slots() const { return slots_.count(); }

  /// Calls `use(probe, row)` for each probe and each row with its key.
  template <class Use>
  void probe(const Tuple* probes, std::uint64_t count, Use&& use) const {
    const BucketChains table = *this;  // so that what `use` writes cannot change it
    for (std::uint64_t i = 0; i < count; ++i) {
      const Tuple probe = probes[i];
      for (std::uint32_t j = table.heads_[table.slots_(probe)]; j != 0; j = table.next_[j - 1]) {
        const Tuple& row = table.tuples_[j - 1];
        if (row.key == probe.key) use(probe, row);
      }
    }
  }

 private:
  HashBits<Hash> slots_;
  const Tuple* tuples_;
  std::uint32_t* heads_;
  std::uint32_t* next_;
};

}  // namespace hashmill::detail
