#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <hashmill/backends/slices.hpp>
#include <hashmill/distributed_hash_graph/splits.hpp>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace hashmill::detail {

/// How keys are partitioned for their ranks: each rank's bins are cut into parts of
/// 2^`bucket_bits` buckets. So the partition that finds the ranks is also the first binning level
/// of the ranks' builds. Equal on all ranks.
///
///     | what   | choice                                                                       |
///     |--------|------------------------------------------------------------------------------|
///     | parts  | as many as one pass of a GPU writes well: 256, and one more for each rank,   |
///     |        | whose last one can be short; fewer where a rank would send less than 2^13    |
///     |        | keys of a part; at least one per rank and round                              |
///     | rounds | as asked, or so many that the first one has about 128 MiB of keys and rows   |
///     |        | of each rank. Nothing is built before it arrives, so it is short. Each       |
///     |        | further one is twice as long, up to 32 times the first one: to build takes   |
///     |        | longer than to send over a fast link. Over a slow one, rows that are sent    |
///     |        | last leave time to build the last round                                      |
class PartPlan {
 public:
  /// The most rounds that can be asked for: more would be without a part.
  static constexpr std::uint64_t most_rounds = std::uint64_t{1} << 16;

  PartPlan(const Splits& splits, std::uint64_t rows, std::uint64_t row_bytes,
           const std::optional<std::uint64_t>& rounds) {
    const std::uint64_t ranks = splits.first_bins().size() - 1;
    const std::uint64_t in_first_rounds = rows / ranks * row_bytes / round_bytes;
    rounds_ = rounds.value_or(std::max(1, static_cast<int>(std::bit_width(in_first_rounds)) - 1));
    const std::uint64_t most = std::max(std::min(rounds_ * ranks, most_rounds),
                                        std::min(most_of_a_pass(ranks), rows / ranks / least_keys));
    cut(splits);
    while (parts() > most) {
      ++bin_bits_;
      cut(splits);
    }
    bucket_bits_ = splits.bucket_bits() + bin_bits_;
  }

  /// The most parts that one pass of a GPU writes, for so many ranks.
  [[nodiscard]] static constexpr std::uint64_t most_of_a_pass(std::uint64_t ranks) {
    return most_parts + std::min(ranks, most_parts);
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
      most = std::max<std::uint64_t>(most, first_parts_[r + 1] - first_parts_[r]);
    }
    return most;
  }
  /// In how many rounds the parts are sent.
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
  /// The first of a rank's own parts that is sent in a round, and the end for `rounds()`.
  [[nodiscard]] std::uint64_t round_begin(int rank, std::uint64_t round) const {
    return backends::slice_begin(first_rounds(round), first_rounds(rounds_), parts_of(rank));
  }
  /// The part of each bin.
  [[nodiscard]] std::vector<std::uint16_t> parts_of_bins(const Splits& splits) const {
    static_assert(most_rounds <= std::uint64_t{1} << 16, "there are at most so many parts");
    std::vector<std::uint16_t> parts;
    for (std::size_t r = 0; r + 1 < first_parts_.size(); ++r) {
      const std::uint64_t bins = splits.first_bins()[r + 1] - splits.first_bins()[r];
      for (std::uint64_t b = 0; b < bins; ++b) {
        parts.push_back(static_cast<std::uint16_t>(first_parts_[r] + (b >> bin_bits_)));
      }
    }
    return parts;
  }
  /// Where each part of each slice of rows begins, slice by slice in the order of parts, and the
  /// end. `rows`: how many rows each bin has of each slice, slice by slice.
  [[nodiscard]] std::vector<std::uint32_t> begins(const Splits& splits,
                                                  std::span<const std::uint64_t> rows) const {
    const std::vector<std::uint16_t> part_of = parts_of_bins(splits);
    const std::size_t slices = rows.size() / part_of.size();
    std::vector<std::uint32_t> begins(slices * parts() + 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t slice = i / part_of.size(), part = part_of[i % part_of.size()];
      begins[slice * parts() + part + 1] += static_cast<std::uint32_t>(rows[i]);
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    return begins;
  }

 private:
  static constexpr std::uint64_t most_parts = 256;
  static constexpr std::uint64_t least_keys = std::uint64_t{1} << 13;
  static constexpr std::uint64_t round_bytes = std::uint64_t{128} << 20;

  /// How many times the first round fits those before `round`.
  [[nodiscard]] static std::uint64_t first_rounds(std::uint64_t round) {
    const std::uint64_t doubling = std::min<std::uint64_t>(round, 5);
    return (std::uint64_t{1} << doubling) - 1 + ((round - doubling) << 5);
  }
  void cut(const Splits& splits) {
    first_parts_ = {0};
    for (std::size_t r = 0; r + 1 < splits.first_bins().size(); ++r) {
      const std::uint64_t bins = splits.first_bins()[r + 1] - splits.first_bins()[r];
      const std::uint64_t parts = bins == 0 ? 0 : ((bins - 1) >> bin_bits_) + 1;
      first_parts_.push_back(first_parts_.back() + static_cast<std::uint32_t>(parts));
    }
  }

  unsigned bin_bits_ = 0, bucket_bits_ = 0;
  std::vector<std::uint32_t> first_parts_;
  std::uint64_t rounds_ = 1;
};

}  // namespace hashmill::detail
