#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/primitives/detail/bitmap.hpp>

namespace hashmill::detail {

/// Whether a table contains a key.
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

/// What a sample shows of the rows whose keys are not known yet.
struct SampledKeys {
  std::uint64_t rows = 0;
  std::uint64_t different = 0;
  KOKKOS_INLINE_FUNCTION SampledKeys& operator+=(const SampledKeys& other) {
    rows += other.rows;
    different += other.different;
    return *this;
  }
};

/// Marks the hashes of the rows of a sample: every `stride`-th row, beginning with row `first`.
template <class Keys, class Hash, class Known>
struct MarkSample {
  Keys keys;
  Hash hash;
  Known known;
  std::uint64_t first;
  std::uint64_t stride;
  Bitmap seen;
  unsigned shift;
  KOKKOS_FUNCTION void operator()(std::int64_t i, SampledKeys& sum) const {
    const auto key = keys(first + static_cast<std::uint64_t>(i) * stride);
    if (known(key)) return;
    ++sum.rows;
    if (!seen.test_and_set(hash(key) >> shift)) ++sum.different;
  }
};

/// log2 of the bits of the bitmap in which the hashes of so many rows are marked: 8 bits per row,
/// but at most 2^22.
inline constexpr unsigned most_sample_bits = 22;
[[nodiscard]] inline unsigned sample_bits(std::uint64_t rows) {
  return std::min<unsigned>(static_cast<unsigned>(std::bit_width(rows)) + 3, most_sample_bits);
}

/// The number of distinct keys seen. Some share one of 2^`bits` bits; linear counting corrects for
/// that (Whang et al., ACM TODS 15-2, 1990).
[[nodiscard]] inline double keys_seen(const SampledKeys& sampled, unsigned bits) {
  const auto all_bits = static_cast<double>(std::uint64_t{1} << bits);
  return -all_bits * std::log1p(-static_cast<double>(sampled.different) / all_bits);
}

/// How many of `k` equally frequent keys a sample of `rows` rows is expected to show.
[[nodiscard]] inline double keys_shown(double k, double rows) { return k * -std::expm1(-rows / k); }

/// The number of keys among `all_rows` rows when a sample of `rows` rows shows `seen` keys and all
/// keys are equally frequent. Found by bisection.
[[nodiscard]] inline double even_keys(double seen, double rows, double all_rows) {
  double low = 1, high = all_rows;
  for (int step = 0; step < 60; ++step) {
    const double k = (low + high) / 2;
    (keys_shown(k, rows) < seen ? low : high) = k;
  }
  return high;
}

/// The keys that a quarter, a half and all rows of a sample show.
struct KeyGrowth {
  double quarter;
  double half;
  double all;
};

/// As `even_keys`, where keys need not be equally frequent. If half of the sample shows fewer keys
/// than equally frequent ones would, some keys are rare and their number keeps growing. Each
/// further doubling of the rows then multiplies the keys by 2^exponent. The exponent shrinks per
/// doubling by the ratio of the sample's last two exponents. (Heaps' law says that the number of
/// keys is a power of the number of rows: "Information Retrieval", 1978.)
[[nodiscard]] inline double uneven_keys(const KeyGrowth& seen, double rows, double all_rows) {
  const double even = even_keys(seen.all, rows, all_rows);
  constexpr double chance = 0.97;  // halves of 2^15 rows differ by less than 1 %
  if (seen.half > chance * keys_shown(even, rows / 2)) return even;
  // Doubling the rows at most doubles the keys, if any were seen before.
  const auto growth = [](double more, double fewer) {
    return fewer > 0 ? std::min(std::log2(more / fewer), 1.0) : 1.0;
  };
  const double before = growth(seen.half, seen.quarter);
  double exponent = growth(seen.all, seen.half);
  const double change = before > exponent ? exponent / before : 1;
  double keys = seen.all, doublings = std::log2(all_rows / rows);
  while (doublings > 0) {
    exponent *= change;
    keys *= std::exp2(exponent * std::min(doublings, 1.0));
    doublings -= 1;
  }
  return std::max(even, std::min(keys, all_rows));
}

/// Estimates the number of distinct keys among the keys that are not known. The sample is every
/// 64th row, but at least 2^16 and at most 2^20 rows. Waits for `exec`.
///
///     | backend | samples                          | takes keys for                             |
///     |---------|----------------------------------|--------------------------------------------|
///     | devices | all at once                      | equally frequent                           |
///     | hosts   | two steps of 1/32 of the sample  | equally frequent, if at most 1 row in 256  |
///     |         |                                  | of the second step has a new key           |
///     |         | otherwise all, in further steps  | unequally frequent (`uneven_keys`)         |
template <class Exec, class Keys, class Hash, class Known, class MemorySpace>
[[nodiscard]] std::uint64_t estimate_keys(const Exec& exec, const Keys& keys, const Hash& hash,
                                          const Known& known, Workspace<MemorySpace>& workspace) {
  constexpr std::uint64_t least = std::uint64_t{1} << 16, most = std::uint64_t{1} << 20;
  const std::uint64_t n = keys.size();
  if (n == 0) return 0;
  const typename Workspace<MemorySpace>::Frame frame(workspace);
  const std::uint64_t sample = std::min(n, std::clamp(n / 64, least, most)), stride = n / sample;
  const unsigned bits = sample_bits(sample);
  const auto words =
      workspace.template take<std::uint32_t>(exec, Bitmap::words_for(std::uint64_t{1} << bits));
  Kokkos::deep_copy(exec, words, std::uint32_t{0});
  // Marks the rows `first`, `first + step`, … of the sample.
  const auto mark = [&](std::uint64_t first, std::uint64_t step) {
    SampledKeys sampled;
    const std::uint64_t count = first < sample ? (sample - first + step - 1) / step : 0;
    Kokkos::parallel_reduce(
        "hashmill::estimate_keys", backends::range(exec, count),
        MarkSample<Keys, Hash, Known>{
            keys, hash, known, first * stride, step * stride, {words.data()}, 64 - bits},
        sampled);
    return sampled;
  };
  const auto all = static_cast<double>(n);
  if constexpr (backends::has_wide_teams<Exec>) {
    const SampledKeys seen = mark(0, 1);
    if (seen.rows == 0) return 0;
    const auto rows = static_cast<double>(seen.rows);
    const double share = rows / static_cast<double>(sample);
    return static_cast<std::uint64_t>(even_keys(keys_seen(seen, bits), rows, share * all)) + 1;
  } else {
    SampledKeys seen = mark(0, 32);
    const SampledKeys second = mark(16, 32);
    seen += second;
    if (second.rows != 0 && second.different * 256 <= second.rows) {
      const auto rows = static_cast<double>(seen.rows);
      const double share = rows * 16 / static_cast<double>(sample);
      return static_cast<std::uint64_t>(even_keys(keys_seen(seen, bits), rows, share * all)) + 1;
    }
    KeyGrowth growth;
    SampledKeys next = mark(0, 4);
    seen = {next.rows, seen.different + next.different};
    growth.quarter = keys_seen(seen, bits);
    seen += mark(2, 4);
    growth.half = keys_seen(seen, bits);
    seen += mark(1, 2);
    growth.all = keys_seen(seen, bits);
    if (seen.rows == 0) return 0;
    const auto rows = static_cast<double>(seen.rows);
    const double share = rows / static_cast<double>(sample);
    return static_cast<std::uint64_t>(uneven_keys(growth, rows, share * all)) + 1;
  }
}

}  // namespace hashmill::detail
