#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>

#include "keys/bit_permutation.hpp"
#include "tally.hpp"

namespace hashmill::perf {

// Keys that come and go: all keys in eleven batches, of which a table holds ten at any time. Each
// round erases one batch, a tenth of the table, and inserts the one that is away.

inline constexpr std::uint64_t num_churn_batches = 11;

/// Rounds of one run: each inserts what the round before erased, so that the last rounds find the
/// marks that erasing left.
inline constexpr std::uint64_t num_churn_rounds = 5;

/// The batch of a key, by a hash of its own that no table uses; all rows of a key are in one batch.
template <class Key>
KOKKOS_FUNCTION std::uint64_t churn_batch_of(const Key& key, std::uint64_t seed) {
  return splitmix64(key_weight(key) + seed) % num_churn_batches;
}

/// Writes the keys of one batch, in the order of the rows, to a view from `first` on; see
/// ChurnKeys.
template <class Keys>
struct GatherChurnBatch {
  Keys keys;
  Keys grouped;
  std::uint64_t seed;
  std::uint64_t batch;
  std::uint64_t first;
  KOKKOS_FUNCTION void operator()(std::uint64_t row, std::uint64_t& sum, bool is_final) const {
    const auto key = keys(row);
    if (churn_batch_of(key, seed) != batch) return;
    if (is_final) grouped(first + sum) = key;
    ++sum;
  }
};

/// Keys grouped by batch.
template <class Keys>
class ChurnKeys {
 public:
  /// Groups a copy of `keys` on `exec` and fences it.
  template <class Exec>
  ChurnKeys(const Exec& exec, const Keys& keys, std::uint64_t seed)
      : keys_(backends::allocate<Keys>(exec, "hashmill::perf::churn_keys", keys.size())) {
    for (std::uint64_t batch = 0; batch < num_churn_batches; ++batch) {
      std::uint64_t count = 0;
      Kokkos::parallel_scan(
          "hashmill::perf::gather_churn_batch",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(exec, 0, keys.size()),
          GatherChurnBatch<Keys>{keys, keys_, seed, batch, first_[batch]}, count);
      exec.fence("hashmill::perf::ChurnKeys: the count is used on the host");
      first_[batch + 1] = first_[batch] + count;
    }
  }

  /// All keys, batch by batch. A key's position is its row.
  const Keys& keys() const { return keys_; }

  /// The keys of a batch.
  Keys batch(std::uint64_t batch) const {
    return Kokkos::subview(keys_, Kokkos::make_pair(first_[batch], first_[batch + 1]));
  }

  /// Row of the first key of a batch, or, for num_churn_batches, the number of rows.
  std::uint64_t first_row(std::uint64_t batch) const { return first_[batch]; }

 private:
  Keys keys_;
  std::array<std::uint64_t, num_churn_batches + 1> first_{};
};

}  // namespace hashmill::perf
