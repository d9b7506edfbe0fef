#pragma once

#include <algorithm>
#include <cmath>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/detail/bitmap.hpp>

namespace hashmill::detail {

/// Marks the hash of each row of a sample.
template <class Keys, class Hash>
struct MarkSample {
  Keys keys;
  Hash hash;
  std::uint64_t stride;
  Bitmap seen;
  unsigned shift;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& num_new) const {
    const std::uint64_t bit = hash(keys(static_cast<std::uint64_t>(i) * stride)) >> shift;
    if (!seen.test_and_set(bit)) ++num_new;
  }
};

/// About how many groups there are, from a sample of 2^16 rows; all different is `rows`. Waits for
/// `exec`.
template <class Exec, class Keys, class Hash, class MemorySpace>
[[nodiscard]] std::uint64_t estimate_groups(const Exec& exec, const Keys& keys, const Hash& hash,
                                            Workspace<MemorySpace>& workspace) {
  constexpr std::uint64_t most = std::uint64_t{1} << 16;
  constexpr unsigned bits = 22;
  const typename Workspace<MemorySpace>::Frame frame(workspace);
  const auto words =
      workspace.template take<std::uint32_t>(exec, Bitmap::words_for(std::uint64_t{1} << bits));
  Kokkos::deep_copy(exec, words, std::uint32_t{0});
  if (keys.size() == 0) return 0;
  const std::uint64_t sample = std::min(most, keys.size());
  std::uint64_t different = 0;
  Kokkos::parallel_reduce(
      "hashmill::group_by::sample", backends::range(exec, sample),
      MarkSample<Keys, Hash>{keys, hash, keys.size() / sample, {words.data()}, 64 - bits},
      different);
  // Some share a bit: linear counting (Whang et al., ACM TODS 15-2, 1990) adds them.
  constexpr double all_bits = std::uint64_t{1} << bits;
  const double seen = -all_bits * std::log1p(-static_cast<double>(different) / all_bits);
  // Of g equally frequent groups a sample of s rows shows g (1 - exp(-s / g)): find g by halving.
  const auto s = static_cast<double>(sample);
  double low = 1, high = static_cast<double>(keys.size());
  for (int step = 0; step < 60; ++step) {
    const double g = (low + high) / 2;
    (g * -std::expm1(-s / g) < seen ? low : high) = g;
  }
  return static_cast<std::uint64_t>(high) + 1;
}

}  // namespace hashmill::detail
