#pragma once

#include <algorithm>
#include <cmath>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/detail/bitmap.hpp>

namespace hashmill::detail {

/// Keys that a table has.
template <class Ref>
struct KnownTo {
  Ref ref;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const Key& key) const {
    return ref.contains(key);
  }
};
struct NoneKnown {
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const Key&) const {
    return false;
  }
};

/// What a sample of rows shows of those whose keys are not known.
struct SampledKeys {
  std::uint64_t rows = 0;
  std::uint64_t different = 0;
  KOKKOS_INLINE_FUNCTION SampledKeys& operator+=(const SampledKeys& other) {
    rows += other.rows;
    different += other.different;
    return *this;
  }
};

/// Marks the hash of each row of a sample.
template <class Keys, class Hash, class Known>
struct MarkSample {
  Keys keys;
  Hash hash;
  Known known;
  std::uint64_t stride;
  Bitmap seen;
  unsigned shift;
  KOKKOS_FUNCTION void operator()(std::int64_t i, SampledKeys& sum) const {
    const auto key = keys(static_cast<std::uint64_t>(i) * stride);
    if (known(key)) return;
    ++sum.rows;
    if (!seen.test_and_set(hash(key) >> shift)) ++sum.different;
  }
};

/// About how many different keys there are among those not known, from a sample of 2^16 rows or
/// every 64th, up to 2^20. Waits for `exec`.
template <class Exec, class Keys, class Hash, class Known, class MemorySpace>
[[nodiscard]] std::uint64_t estimate_keys(const Exec& exec, const Keys& keys, const Hash& hash,
                                          const Known& known, Workspace<MemorySpace>& workspace) {
  constexpr std::uint64_t least = std::uint64_t{1} << 16, most = std::uint64_t{1} << 20;
  constexpr unsigned bits = 22;
  const std::uint64_t n = keys.size();
  if (n == 0) return 0;
  const typename Workspace<MemorySpace>::Frame frame(workspace);
  const auto words =
      workspace.template take<std::uint32_t>(exec, Bitmap::words_for(std::uint64_t{1} << bits));
  Kokkos::deep_copy(exec, words, std::uint32_t{0});
  const std::uint64_t sample = std::min(n, std::clamp(n / 64, least, most));
  SampledKeys sampled;
  Kokkos::parallel_reduce(
      "hashmill::estimate_keys", backends::range(exec, sample),
      MarkSample<Keys, Hash, Known>{keys, hash, known, n / sample, {words.data()}, 64 - bits},
      sampled);
  if (sampled.rows == 0) return 0;
  // Some share a bit: linear counting (Whang et al., ACM TODS 15-2, 1990) adds them.
  constexpr double all_bits = std::uint64_t{1} << bits;
  const double seen = -all_bits * std::log1p(-static_cast<double>(sampled.different) / all_bits);
  // Of k equally frequent keys s rows show k (1 - exp(-s / k)): find k by halving.
  const auto s = static_cast<double>(sampled.rows);
  double low = 1, high = s / static_cast<double>(sample) * static_cast<double>(n);
  for (int step = 0; step < 60; ++step) {
    const double k = (low + high) / 2;
    (k * -std::expm1(-s / k) < seen ? low : high) = k;
  }
  return static_cast<std::uint64_t>(high) + 1;
}

}  // namespace hashmill::detail
