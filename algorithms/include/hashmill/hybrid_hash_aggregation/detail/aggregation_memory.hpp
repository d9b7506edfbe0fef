#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <hashmill/error.hpp>
#include <hashmill/group_by/detail/find_groups.hpp>
#include <hashmill/spill/detail/round_of_row.hpp>
#include <hashmill/spill/detail/spill_file.hpp>
#include <string>

namespace hashmill::detail {

/// The bytes that a group takes.
struct GroupBytes {
  std::uint64_t number;  ///< its number
  std::uint64_t row;     ///< its row in the table, and its link
  std::uint64_t state;   ///< what it has accumulated
  std::uint64_t stored;  ///< its keys and state as columns
  std::uint64_t slots_per_bucket, bucket;

  /// The bytes of a table of so many groups.
  [[nodiscard]] std::uint64_t table(std::uint64_t groups) const {
    const std::uint64_t buckets = (groups + slots_per_bucket - 1) / slots_per_bucket;
    return groups * row + std::bit_ceil(std::max(buckets, least_buckets)) * bucket;
  }
  /// The most groups whose table takes no more than that.
  [[nodiscard]] std::uint64_t most_groups(std::uint64_t bytes) const {
    std::uint64_t most = 0;
    for (std::uint64_t buckets = least_buckets; buckets * bucket <= bytes; buckets *= 2) {
      most = std::max(most, std::min(buckets * slots_per_bucket, (bytes - buckets * bucket) / row));
    }
    return most;
  }

 private:
  static constexpr std::uint64_t least_buckets = 64;
};

/// How a hybrid hash aggregation shares out `budget.device`. D is what the first line leaves:
///
///     | bytes           | what for                                                         |
///     |-----------------|------------------------------------------------------------------|
///     | 2^16 numbers    | temporary memory: an array over a range of keys, where small     |
///     | D / 8           | likewise, of adding a slice of rows, and routing groups          |
///     | 3 D / 32        | rows on their way to a file and back, on hosts                   |
///     | 3 D / 32        | a slice of stored groups, its batches, and the next batch        |
///     | D / 2           | the table of groups, and a fourth of that while it grows; then a |
///     |                 | stored round that is grouped as a whole                          |
///     | the rest        | groups that leave the table; results, a slice at a time          |
class AggregationMemory {
 public:
  /// For an account of which nothing is taken yet, and a last-level cache of `cache_bytes` bytes.
  template <class Exec>
  [[nodiscard]] static AggregationMemory of(const MemoryAccount& account, const GroupBytes& bytes,
                                            std::uint64_t cache_bytes) {
    AggregationMemory memory;
    const std::uint64_t budget = account.limit(MemoryTier::device);
    memory.bytes_ = bytes;
    memory.device_ = budget - std::min(budget, memory.small_range());
    // That is added: a thread's table of groups has 8 slots and 4 groups per row, at most.
    const std::uint64_t of_row = 160 + 4 * bytes.state;
    memory.most_groups_ = memory.cached_groups_ = bytes.most_groups(memory.most_table_bytes());
    if constexpr (!backends::has_wide_teams<Exec>) {
      memory.cached_groups_ = std::min(memory.most_groups_, bytes.most_groups(cache_bytes / 2));
    }
    memory.slice_rows_ = std::min(
        {memory.working() / of_row, memory.device_ / 32 / bytes.stored, memory.most_groups_ / 8});
    if (budget < least_bytes || memory.slice_rows_ < least_rows) {
      const std::uint64_t of_slice =
          std::max({8 * least_rows * of_row, 32 * least_rows * bytes.stored,
                    2 * bytes.table(8 * least_rows)});
      const std::uint64_t least = std::max(least_bytes, memory.small_range() + of_slice);
      throw CapacityError("hybrid_hash_aggregation: a budget of " + std::to_string(budget) +
                              " bytes, but " + std::to_string(least) + " are needed",
                          least, budget);
    }
    return memory;
  }

  /// Bytes of temporary memory.
  [[nodiscard]] std::uint64_t working() const { return device_ / 8 + small_range(); }
  /// Rows that are added at a time, and groups that are copied.
  [[nodiscard]] std::uint64_t slice_rows() const { return slice_rows_; }
  /// Rows that are routed to so many rounds at a time, with 26 bytes of temporary memory each.
  /// Those of a round are less than a slice, nearly always.
  [[nodiscard]] std::uint64_t routed_rows(std::uint64_t rounds) const {
    const std::uint64_t most = std::min(device_ / 8 / 32, device_ / 16 / bytes_.stored);
    return std::max(std::min(most, slice_rows_ * rounds / 2), slice_rows_);
  }
  /// The most groups that the table may have.
  [[nodiscard]] std::uint64_t most_groups() const { return most_groups_; }
  /// The most with which, on hosts, it takes no more than half of the last-level cache.
  [[nodiscard]] std::uint64_t cached_groups() const { return cached_groups_; }
  /// With less memory left than this, it is time to combine stored groups.
  [[nodiscard]] std::uint64_t short_of() const { return device_ / 8; }
  /// Bytes that the table may have, or a round in its place.
  [[nodiscard]] std::uint64_t most_table_bytes() const { return device_ / 2; }
  /// Bytes for groups that leave the table at a time, beside slices of stored ones that are read.
  [[nodiscard]] std::uint64_t leaving_bytes() const { return device_ / 16 + device_ / 32 * 3; }
  /// Bytes of the strings of keys in the table, which can be twice as many while they grow.
  [[nodiscard]] std::uint64_t most_string_bytes() const { return device_ / 16; }
  /// For how many groups the table has room once it has that many: the most, or a power of four
  /// less.
  [[nodiscard]] std::uint64_t room_for(std::uint64_t groups) const {
    std::uint64_t room = most_groups_;
    while (room / 4 >= groups && room / 4 > 0) room /= 4;
    return room;
  }
  /// The bytes of a table of so many groups.
  [[nodiscard]] std::uint64_t table_bytes(std::uint64_t groups) const {
    return bytes_.table(groups);
  }
  /// The bits of so many rounds, or of fewer where slices are short.
  [[nodiscard]] unsigned round_bits(std::uint64_t rounds) const {
    return detail::round_bits(rounds, slice_rows_);
  }

 private:
  static constexpr std::uint64_t least_rows = 64, least_bytes = std::uint64_t{2} << 20;
  [[nodiscard]] std::uint64_t small_range() const { return dense_limit(0) * bytes_.number; }
  std::uint64_t device_ = 0, slice_rows_ = 0, most_groups_ = 0, cached_groups_ = 0;
  GroupBytes bytes_{};
};

}  // namespace hashmill::detail
