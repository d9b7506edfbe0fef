#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "bit_permutation.hpp"
#include "key_codec.hpp"

namespace hashmill::perf {

/// Queries against arbitrary keys as a key source: a share `hit_rate` of them repeats keys of the
/// input, row by row, the others ask for keys that no row holds; shuffled. `Reference` tells how
/// many rows hold a key.
template <class Keys, class Reference>
class FileQueries {
 public:
  using key_type = typename Keys::non_const_value_type;

  FileQueries(const Keys& keys, const Reference& reference, std::uint64_t num_queries,
              double hit_rate, std::uint64_t seed)
      : keys_(keys),
        reference_(reference),
        num_hits_(std::min(num_queries, static_cast<std::uint64_t>(
                                            hit_rate * static_cast<double>(num_queries) + 0.5))),
        order_(num_queries, seed),
        absent_(splitmix64(seed)) {}

  KOKKOS_FUNCTION std::uint64_t size() const { return order_.size(); }
  KOKKOS_FUNCTION key_type operator()(std::uint64_t query) const {
    const std::uint64_t place = order_(query);
    return place < num_hits_ ? keys_(place % keys_.extent(0)) : absent_key(place);
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
};

}  // namespace hashmill::perf
