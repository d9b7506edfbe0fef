#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <hashmill/join/mc_hash/detail/bits.hpp>
#include <utility>

namespace hashmill::detail {

/// PRH's table of a part: a histogram over the slots, its prefix sum, and the rows in the order of
/// their slots. A probe reads the range of its slot from front to back; PRO's follows a chain.
///
///     begins   uint32 x (slots + 1)   where the rows of each slot begin; one more for the end
///     sorted   Tuple x rows           from the next cache line on
///
/// Source: Kim et al., VLDB 2009, section 4.1; "PRH" in Balkesen et al., ICDE 2013, section IV-A.
template <class Tuple, class Hash>
class BucketRanges {
 public:
  /// The approximate size of a row in bytes, with its share of the table.
  static constexpr std::uint64_t row_bytes = 2 * sizeof(Tuple) + sizeof(std::uint32_t);

  [[nodiscard]] static std::uint64_t bytes(std::uint64_t rows) {
    return line_of_ends(rows) + rows * sizeof(Tuple);
  }
  /// memory: `bytes(rows)` bytes, aligned to a cache line. It and `tuples` must outlive the table.
  BucketRanges(std::byte* memory, const Tuple* tuples, std::uint64_t rows, const Hash& hash,
               unsigned part_bits)
      : slots_(HashBits<Hash>::at_least(hash, part_bits, rows)),
        tuples_(tuples),
        begins_(reinterpret_cast<std::uint32_t*>(memory)),
        sorted_(reinterpret_cast<Tuple*>(memory + line_of_ends(rows))) {}

  /// Counts, sums and places all rows.
  void build(std::uint64_t rows) {
    // Entry s + 1 first counts slot s. Then it says where slot s begins and, once its rows are
    // placed, where it ends.
    std::uint32_t* const ends = begins_ + 1;
    std::fill_n(begins_, slots_.count() + 1, 0);
    for (std::uint64_t i = 0; i < rows; ++i) ++ends[slots_(tuples_[i])];
    std::uint32_t sum = 0;
    for (std::uint64_t s = 0; s < slots_.count(); ++s) sum += std::exchange(ends[s], sum);
    for (std::uint64_t i = 0; i < rows; ++i) {
      const Tuple tuple = tuples_[i];
      sorted_[ends[slots_(tuple)]++] = tuple;
    }
  }

  /// Calls `use(probe, row)` for each probe and each row with its key.
  template <class Use>
  void probe(const Tuple* probes, std::uint64_t count, Use&& use) const {
    const BucketRanges table = *this;  // so that what `use` writes cannot change it
    for (std::uint64_t i = 0; i < count; ++i) {
      const Tuple probe = probes[i];
      const std::uint64_t slot = table.slots_(probe);
      for (std::uint32_t j = table.begins_[slot]; j < table.begins_[slot + 1]; ++j) {
        if (table.sorted_[j].key == probe.key) use(probe, table.sorted_[j]);
      }
    }
  }

 private:
  /// Bytes of `begins`, in whole cache lines.
  [[nodiscard]] static std::uint64_t line_of_ends(std::uint64_t rows) {
    return ((std::bit_ceil(rows) + 1) * sizeof(std::uint32_t) + 63) / 64 * 64;
  }

  HashBits<Hash> slots_;
  const Tuple* tuples_;
  std::uint32_t* begins_;
  Tuple* sorted_;
};

}  // namespace hashmill::detail
