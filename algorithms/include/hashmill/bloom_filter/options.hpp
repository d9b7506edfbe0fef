#pragma once

#include <cmath>
#include <cstdint>
#include <hashmill/capacity.hpp>
#include <hashmill/error.hpp>
#include <hashmill/options.hpp>
#include <limits>
#include <optional>
#include <string>

namespace hashmill {

/// How large a BloomFilter is; the default lets one of some 200 absent keys through.
struct BloomFilterOptions {
  static constexpr double most_bits_per_key = 1024;
  static constexpr double least_rate = 1e-8, most_rate = 0.5;

  /// Bits of the filter for each key, 1 to 1024.
  double bits_per_key = 12;
  /// The share of absent keys that may pass, 1e-8 to 0.5; overrides `bits_per_key`.
  std::optional<double> false_positive_rate{};
  /// How many different keys will be added; by default as many as the constructor is given. Name it
  /// where keys repeat, or where more come later.
  std::optional<std::uint64_t> keys{};
};

namespace detail {

inline constexpr unsigned bloom_words = 8;  // of 32 bits in a block
inline constexpr double bloom_block_bits = 32 * bloom_words;

/// The share of absent keys that a filter lets through whose blocks have `load` keys on average:
/// a block has k of them with Poisson's probability, and each sets one bit of 32 in each of the
/// eight words (Putze, Sanders, Singler 2007, section 3). Takes the same time for any load: adds up
/// the k that matter where blocks have few keys, and for others expands the eighth power, whose
/// terms have sums of their own; there the error is below 1e-13 of the share.
[[nodiscard]] inline double bloom_false_positive_rate(double load) {
  constexpr double few = 32, kept = 31.0 / 32;  // `kept`: a key leaves a bit of a word as it is
  double rate = 0;
  if (load <= few) {
    const double most = load + 16 * std::sqrt(load) + 32;
    double clear = 1;  // that a given bit of a word is not set by k keys
    for (double k = 0; k <= most; ++k, clear *= kept) {
      const double probability =
          load == 0 ? (k == 0 ? 1 : 0) : std::exp(k * std::log(load) - load - std::lgamma(k + 1));
      rate += probability * std::pow(1 - clear, bloom_words);
    }
  } else {
    double choices = 1, clear = 1;  // to choose j words, and that one key leaves their bits clear
    for (unsigned j = 0; j <= bloom_words; ++j, clear *= kept) {
      rate += choices * std::exp(-load * (1 - clear));
      choices *= -static_cast<double>(bloom_words - j) / (j + 1);
    }
  }
  return rate;
}

/// Bits a key of the smallest filter with at most that false-positive rate.
[[nodiscard]] inline double bloom_bits_for(double rate) {
  double low = bloom_block_bits / BloomFilterOptions::most_bits_per_key, high = bloom_block_bits;
  for (int step = 0; step < 60; ++step) {  // invariant: keys a block, low suffices
    const double load = (low + high) / 2;
    (bloom_false_positive_rate(load) <= rate ? low : high) = load;
  }
  return bloom_block_bits / low;
}

/// Throws InvalidArgument naming the value and the limits unless it is within them.
inline void check_bloom_option(const char* name, double value, double least, double most) {
  if (is_within(value, least, most)) return;
  throw InvalidArgument("Bloom filter " + std::string(name) + " " + shortest_decimal(value) +
                        " is not in [" + shortest_decimal(least) + ", " + shortest_decimal(most) +
                        "]");
}

/// Blocks of a filter that is made with `given` keys. Throws InvalidArgument for options out of
/// range, and CapacityError above 2^40 blocks.
[[nodiscard]] inline std::uint64_t bloom_blocks(const BloomFilterOptions& options,
                                                std::uint64_t given) {
  using Options = BloomFilterOptions;
  check_bloom_option("bits per key", options.bits_per_key, 1, Options::most_bits_per_key);
  double bits = options.bits_per_key;
  if (options.false_positive_rate) {
    check_bloom_option("false-positive rate", *options.false_positive_rate, Options::least_rate,
                       Options::most_rate);
    bits = bloom_bits_for(*options.false_positive_rate);
  }
  const std::uint64_t keys = options.keys.value_or(given);
  // Blocks are buckets of `load` keys.
  return LoadFactor(bloom_block_bits / bits).buckets_for(keys).value();
}

}  // namespace detail

}  // namespace hashmill
