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

/// How large a BloomFilter is. The default false-positive rate is about 0.5 %.
struct BloomFilterOptions {
  /// The limits of the options below.
  static constexpr double most_bits_per_key = 1024;
  static constexpr double least_rate = 1e-8, most_rate = 0.5;

  /// Bits of the filter per key, 1 to 1024.
  double bits_per_key = 12;
  /// The share of absent keys that may pass, 1e-8 to 0.5. Overrides `bits_per_key`.
  std::optional<double> false_positive_rate{};
  /// How many distinct keys will be added. By default as many keys as the constructor gets. Set it
  /// if keys repeat or more come later.
  std::optional<std::uint64_t> keys{};
};

namespace detail {

inline constexpr unsigned bloom_words = 8;  // words of 32 bits per block
inline constexpr double bloom_block_bits = 32 * bloom_words;

/// The false-positive rate of a filter whose blocks have `load` keys on average. A block has k keys
/// with Poisson's probability. Each key sets one of 32 bits in each of the eight words (Putze,
/// Sanders, Singler 2007, section 3).
///
/// The time does not depend on the load:
///
///     load       method
///     up to 32   sums over the k that matter
///     above      expands the eighth power, whose terms have closed sums; the relative error is
///                below 1e-13
[[nodiscard]] inline double bloom_false_positive_rate(double load) {
  constexpr double few = 32, kept = 31.0 / 32;  // `kept`: a key does not set a given bit of a word
  double rate = 0;
  if (load <= few) {
    const auto most = static_cast<unsigned>(load + 16 * std::sqrt(load)) + 32;
    double clear = 1;  // probability that k keys do not set a given bit
    for (unsigned k = 0; k <= most; ++k, clear *= kept) {
      const double probability =
          load == 0 ? (k == 0 ? 1 : 0) : std::exp(k * std::log(load) - load - std::lgamma(k + 1));
      rate += probability * std::pow(1 - clear, bloom_words);
    }
  } else {
    double choices = 1, clear = 1;  // ways to choose j words; one key leaves their bits clear
    for (unsigned j = 0; j <= bloom_words; ++j, clear *= kept) {
      rate += choices * std::exp(-load * (1 - clear));
      choices *= -static_cast<double>(bloom_words - j) / (j + 1);
    }
  }
  return rate;
}

/// Bits per key of the smallest filter with at most that false-positive rate.
[[nodiscard]] inline double bloom_bits_for(double rate) {
  double low = bloom_block_bits / BloomFilterOptions::most_bits_per_key, high = bloom_block_bits;
  for (int step = 0; step < 60; ++step) {  // keys per block; invariant: low suffices
    const double load = (low + high) / 2;
    (bloom_false_positive_rate(load) <= rate ? low : high) = load;
  }
  return bloom_block_bits / low;
}

/// Throws InvalidArgument, which names the value and the limits, unless the value is within them.
inline void check_bloom_option(const char* name, double value, double least, double most) {
  if (is_within(value, least, most)) return;
  throw InvalidArgument("Bloom filter " + std::string(name) + " " + shortest_decimal(value) +
                        " is not in [" + shortest_decimal(least) + ", " + shortest_decimal(most) +
                        "]");
}

/// Number of blocks of a filter that is made with `given` keys. Throws InvalidArgument for options
/// out of range, CapacityError above 2^40 blocks.
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
  const double keys_per_block = bloom_block_bits / bits;
  return buckets_for(keys, keys_per_block).value();
}

}  // namespace detail

}  // namespace hashmill
