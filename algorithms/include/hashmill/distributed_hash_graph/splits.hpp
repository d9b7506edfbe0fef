#pragma once

#include <algorithm>
#include <cstdint>
#include <hashmill/backends/slices.hpp>
#include <hashmill/hash_bits.hpp>
#include <span>
#include <vector>

namespace hashmill {

/// Which rank owns which buckets of a table: neighbouring bins, of 2^`bucket_bits` buckets each.
/// Moving copies: a table that was moved from still takes part in calls.
class Splits {
 public:
  Splits() = default;
  Splits(const Splits&) = default;
  Splits& operator=(const Splits&) = default;
  ~Splits() = default;
  /// Gives each rank about the same number of rows. `rows[b]` is the number of rows of bin b on all
  /// ranks together. A rank begins at most half a bin's rows from where equal shares would. Source:
  /// Tripathy and Green, "Scalable Hash Table for NUMA Systems", algorithm 2.
  Splits(std::uint64_t buckets, unsigned bucket_bits, std::span<const std::uint64_t> rows,
         int ranks)
      : buckets_(buckets), bucket_bits_(bucket_bits) {
    std::vector<std::uint64_t> before{0};  // rows before each bin
    for (const std::uint64_t n : rows) before.push_back(before.back() + n);
    const auto shares = static_cast<std::uint64_t>(ranks);
    first_bins_.push_back(0);
    for (std::uint64_t r = 1; r < shares; ++r) {
      const std::uint64_t wanted = backends::slice_begin(r, shares, before.back());
      auto found = std::ranges::lower_bound(before, wanted);
      if (found != before.begin() && wanted - *(found - 1) < *found - wanted) --found;
      first_bins_.push_back(static_cast<std::uint64_t>(found - before.begin()));
    }
    first_bins_.push_back(rows.size());
  }

  /// The buckets of the table, of all ranks together.
  [[nodiscard]] std::uint64_t buckets() const { return buckets_; }
  /// log2 of the number of buckets of a bin. The last bin can have fewer.
  [[nodiscard]] unsigned bucket_bits() const { return bucket_bits_; }
  /// The number of ranks that they are for; 0 of those that were made of nothing.
  [[nodiscard]] int num_ranks() const {
    return first_bins_.empty() ? 0 : static_cast<int>(first_bins_.size()) - 1;
  }
  /// The number of bins.
  [[nodiscard]] std::uint64_t bins() const { return first_bins_.back(); }
  /// Rank r owns bins [first_bins()[r], first_bins()[r + 1]).
  [[nodiscard]] const std::vector<std::uint64_t>& first_bins() const { return first_bins_; }
  /// The buckets that a rank owns.
  [[nodiscard]] HashRange range(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    const std::uint64_t first = std::min(buckets_, first_bins_[r] << bucket_bits_);
    return {buckets_, first, std::min(buckets_, first_bins_[r + 1] << bucket_bits_) - first};
  }

  friend bool operator==(const Splits& a, const Splits& b) {
    return a.buckets_ == b.buckets_ && a.bucket_bits_ == b.bucket_bits_ &&
           a.first_bins_ == b.first_bins_;
  }

 private:
  std::uint64_t buckets_ = 0;
  unsigned bucket_bits_ = 0;
  std::vector<std::uint64_t> first_bins_;
};

}  // namespace hashmill
