#pragma once

#include <algorithm>
#include <cstdint>
#include <hashmill/error.hpp>
#include <hashmill/spill/detail/round_of_row.hpp>
#include <hashmill/spill/detail/spill_file.hpp>
#include <string>

namespace hashmill::detail {

/// How a hybrid hash join shares out the D bytes of `budget.device`:
///
///     | bytes           | what for                                                         |
///     |-----------------|------------------------------------------------------------------|
///     | D / 8           | temporary memory of routing and probing a slice of rows          |
///     | 3 D / 32        | rows on their way to a file and back, on hosts                   |
///     | 3 D / 32        | a slice of left rows, its batches, and the next batch            |
///     | the rest        | right rows of a round, their table, and joined rows: D / 16, or  |
///     |                 | more where one left row can have more partners                   |
///
/// Rows that wait in the store take what is left of it.
class HybridMemory {
 public:
  /// For an account of which nothing is taken yet, and rows of that many bytes.
  template <class Exec>
  [[nodiscard]] static HybridMemory of(const MemoryAccount& account, std::uint64_t row_bytes) {
    using File = SpillFile<Exec>;
    HybridMemory memory;
    memory.device_ = account.limit(MemoryTier::device);
    const bool has_file = account.limit(MemoryTier::file) > 0;
    const std::uint64_t blocks =
        has_file && File::way_tier == MemoryTier::device ? spill_way_bytes<File>(account) : 0;
    constexpr std::uint64_t working_bytes = 64;  // of a row that is routed or probed
    memory.slice_rows_ =
        std::min(memory.working() / working_bytes, memory.device_ / 32 / row_bytes);
    const std::uint64_t fixed = memory.working() + blocks + memory.device_ / 32 * 3;
    memory.room_ = memory.device_ - std::min(memory.device_, fixed);
    const std::uint64_t least =
        std::max(8 * least_rows * working_bytes, 32 * least_rows * row_bytes);
    if (memory.device_ < least) {
      throw CapacityError("hybrid_hash_join: a budget of " + std::to_string(memory.device_) +
                              " bytes, but " + std::to_string(least) + " are needed",
                          least, memory.device_);
    }
    return memory;
  }

  /// Bytes of temporary memory.
  [[nodiscard]] std::uint64_t working() const { return device_ / 8; }
  /// Rows that are routed or probed at a time.
  [[nodiscard]] std::uint64_t slice_rows() const { return slice_rows_; }
  /// The bits of so many rounds, or of fewer where slices are short.
  [[nodiscard]] unsigned round_bits(std::uint64_t rounds) const {
    return detail::round_bits(rounds, slice_rows_);
  }
  /// Bytes that right rows, their table and joined rows can have.
  [[nodiscard]] std::uint64_t room() const { return room_; }
  /// Bytes of joined rows that are handed over at a time, at least.
  [[nodiscard]] std::uint64_t joined() const { return device_ / 16; }
  /// Whether right rows fit, whose table takes `table` bytes while it is built, beside `joined`
  /// bytes of joined rows. They are held twice while their batches become one.
  [[nodiscard]] bool fits(std::uint64_t bytes, std::uint64_t table, std::uint64_t joined,
                          std::uint64_t others = 0) const {
    return bytes + std::max(bytes, table + joined) + others <= room_;
  }

 private:
  static constexpr std::uint64_t least_rows = 64;
  std::uint64_t device_ = 0, slice_rows_ = 0, room_ = 0;
};

}  // namespace hashmill::detail
