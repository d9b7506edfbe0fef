#pragma once

namespace hashmill::detail {

/// How many keys there are before each bin of 2^`bucket_bits` buckets, and in all; null where that
/// is not known.
template <class Index>
struct KnownBins {
  const Index* sums = nullptr;
  unsigned bucket_bits = 0;
};

}  // namespace hashmill::detail
