#pragma once

#include <algorithm>
#include <cstdint>
#include <hashmill/backends/slices.hpp>
#include <hashmill/distributed_hash_graph/splits.hpp>
#include <optional>
#include <vector>

namespace hashmill::detail {

/// How keys are partitioned for their ranks: each rank's bins are cut into parts of
/// 2^`bucket_bits` buckets. So the partition that finds the ranks is also the first binning level
/// of the ranks' builds. Equal on all ranks.
///
///     | what           | choice                                                               |
///     |----------------|----------------------------------------------------------------------|
///     | parts          | as many as one pass of a GPU writes, 512; fewer where a rank would   |
///     |                | send less than 2^13 keys of a part; at least one per rank and round  |
///     | rounds         | as asked, or 256 MiB of keys and rows for each rank, up to 8         |
class PartPlan {
 public:
  template <class MemorySpace>
  PartPlan(const Splits<MemorySpace>& splits, std::uint64_t rows, std::uint64_t row_bytes,
           const std::optional<std::uint64_t>& rounds) {
    const std::uint64_t ranks = splits.first_bins().size() - 1;
    rounds_ = rounds.value_or(
        std::clamp<std::uint64_t>(rows / ranks * row_bytes / round_bytes, 1, most_rounds));
    const std::uint64_t most = std::max(std::min(rounds_ * ranks, most_parts_asked),
                                        std::min(most_parts, rows / ranks / least_keys));
    bucket_bits_ = splits.bucket_bits();
    cut(splits);
    while (parts() > most) {
      ++bucket_bits_;
      cut(splits);
    }
  }

  /// log2 of the buckets of a part.
  [[nodiscard]] unsigned bucket_bits() const { return bucket_bits_; }
  /// Parts of all ranks together.
  [[nodiscard]] std::uint64_t parts() const { return first_parts_.back(); }
  /// The first part of a rank, and the end for `ranks`.
  [[nodiscard]] std::uint64_t first_part(int rank) const {
    return first_parts_[static_cast<std::size_t>(rank)];
  }
  /// The number of parts of a rank.
  [[nodiscard]] std::uint64_t parts_of(int rank) const {
    return first_part(rank + 1) - first_part(rank);
  }
  /// The most parts that a rank has.
  [[nodiscard]] std::uint64_t most_parts_of_a_rank() const {
    std::uint64_t most = 0;
    for (std::size_t r = 0; r + 1 < first_parts_.size(); ++r) {
      most = std::max(most, first_parts_[r + 1] - first_parts_[r]);
    }
    return most;
  }
  /// In how many rounds the parts are sent.
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
  /// The first of a rank's own parts that is sent in a round, and the end for `rounds()`.
  [[nodiscard]] std::uint64_t round_begin(int rank, std::uint64_t round) const {
    return backends::slice_begin(round, rounds_, parts_of(rank));
  }
  /// The part of each bin.
  template <class MemorySpace>
  [[nodiscard]] std::vector<std::uint16_t> part_of_bin(const Splits<MemorySpace>& splits) const {
    std::vector<std::uint16_t> part(splits.bins());
    const unsigned bin_bits = bucket_bits_ - splits.bucket_bits();
    for (std::size_t r = 0; r + 1 < first_parts_.size(); ++r) {
      const std::uint64_t first = splits.first_bins()[r];
      for (std::uint64_t b = first; b < splits.first_bins()[r + 1]; ++b) {
        part[b] = static_cast<std::uint16_t>(first_parts_[r] + ((b - first) >> bin_bits));
      }
    }
    return part;
  }

 private:
  static constexpr std::uint64_t most_parts = 512, most_parts_asked = std::uint64_t{1} << 16;
  static constexpr std::uint64_t least_keys = std::uint64_t{1} << 13;
  static constexpr std::uint64_t most_rounds = 8, round_bytes = std::uint64_t{256} << 20;

  template <class MemorySpace>
  void cut(const Splits<MemorySpace>& splits) {
    const unsigned bin_bits = bucket_bits_ - splits.bucket_bits();
    first_parts_ = {0};
    for (std::size_t r = 0; r + 1 < splits.first_bins().size(); ++r) {
      const std::uint64_t bins = splits.first_bins()[r + 1] - splits.first_bins()[r];
      const std::uint64_t parts = bins == 0 ? 0 : ((bins - 1) >> bin_bits) + 1;
      first_parts_.push_back(first_parts_.back() + parts);
    }
  }

  unsigned bucket_bits_ = 0;
  std::vector<std::uint64_t> first_parts_;
  std::uint64_t rounds_ = 1;
};

}  // namespace hashmill::detail
