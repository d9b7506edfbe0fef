#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "keys/bit_permutation.hpp"
#include "keys/key_codec.hpp"
#include "keys/zipf_distribution.hpp"

namespace hashmill::perf {

/// Queries against arbitrary keys as a key source, shuffled. A share `hit_rate` of them repeats
/// keys of the input, row by row. With a skew above 0 they repeat rows drawn with Zipf-distributed
/// frequency of that exponent. The other queries ask for keys that no row holds. `Reference` tells
/// how many rows hold a key.
template <class Keys, class Reference>
class QueriesOfRows {
 public:
  using key_type = typename Keys::non_const_value_type;

  QueriesOfRows(const Keys& keys, const Reference& reference, std::uint64_t num_queries,
                double hit_rate, std::uint64_t seed, double skew = 0)
      : keys_(keys),
        reference_(reference),
        num_hits_(std::min(num_queries, static_cast<std::uint64_t>(
                                            hit_rate * static_cast<double>(num_queries) + 0.5))),
        order_(num_queries, seed),
        absent_(splitmix64(seed)),
        is_skewed_(skew > 0),
        seed_(splitmix64(seed + 2)),
        rows_(std::max<std::uint64_t>(1, keys.size()), skew > 0 ? skew : 1) {}

  KOKKOS_FUNCTION std::uint64_t size() const { return order_.size(); }
  KOKKOS_FUNCTION key_type operator()(std::uint64_t query) const {
    const std::uint64_t place = order_(query);
    if (place >= num_hits_) return absent_key(place);
    return keys_(is_skewed_ ? rows_(splitmix64(seed_ + place)) - 1 : place % keys_.extent(0));
  }

 private:
  /// A key that no row holds: the first such key on a walk through all keys that starts at `place`.
  /// A key type has more values than a table here has rows, so the walk ends.
  KOKKOS_FUNCTION key_type absent_key(std::uint64_t place) const {
    for (std::uint64_t step = place;; ++step) {
      const key_type key = absent_.encode(step & identity_mask);
      if (!reference_.contains(key)) return key;
    }
  }

  static constexpr std::uint64_t identity_mask =
      sizeof(key_type) < 8 ? 0xffffffffULL : ~std::uint64_t{0};

  Keys keys_;
  Reference reference_;
  std::uint64_t num_hits_;
  IndexPermutation order_;
  KeyCodec<key_type> absent_;
  bool is_skewed_;
  std::uint64_t seed_;
  ZipfDistribution rows_;
};

}  // namespace hashmill::perf
