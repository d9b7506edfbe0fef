#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <hashmill/murmur.hpp>
#include <random>
#include <string>
#include <vector>

namespace hashmill::test {

/// Keys are made from numbers: equal numbers are equal keys, different numbers different ones (of
/// keys of 32 bits, the lower halves of the numbers).
using Numbers = std::vector<std::uint64_t>;

/// Sizes around nothing, a team and a tile.
inline const std::vector<std::uint64_t> small_sizes{0, 1, 2, 3, 255, 256, 257};
inline const std::vector<std::uint64_t> tile_sizes{4095, 4096, 4097};

/// Whether tests leave out variants: sanitizers of device code make a launch a hundred times as
/// long.
inline bool sampling() { return std::getenv("HASHMILL_SAMPLE_TESTS") != nullptr; }

/// The variants that a test goes through: all of them or, when sampling, a quarter of them, not
/// always the same.
template <class Variant>
std::vector<Variant> sampled(std::vector<Variant> variants) {
  static unsigned calls = 0;
  if (!sampling() || variants.empty()) return variants;
  std::vector<Variant> sample;
  constexpr std::size_t stride = 4;
  for (std::size_t i = calls++ % std::min(stride, variants.size()); i < variants.size();
       i += stride) {
    sample.push_back(std::move(variants[i]));
  }
  return sample;
}

/// Uniform numbers, the smallest and the largest among them; std::mt19937_64 is the same
/// everywhere, the distributions of <random> are not.
inline Numbers random_numbers(std::uint64_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  Numbers numbers(count);
  for (auto& number : numbers) number = engine();
  if (count > 1) {
    numbers.front() = ~std::uint64_t{0};
    numbers[count / 2] = 0;
  }
  return numbers;
}

/// Uniform numbers below `distinct`, each about count / distinct times.
inline Numbers repeated_numbers(std::uint64_t count, std::uint64_t distinct, std::uint64_t seed) {
  Numbers numbers = random_numbers(count, seed);
  for (auto& number : numbers) number %= distinct;
  return numbers;
}

inline Numbers sequential_numbers(std::uint64_t count, std::uint64_t first = 0) {
  Numbers numbers(count);
  for (std::uint64_t i = 0; i < count; ++i) numbers[i] = first + i;
  return numbers;
}

inline Numbers equal_numbers(std::uint64_t count, std::uint64_t number) {
  return Numbers(count, number);
}

/// Ranks from 0 with probability about 1 / rank (Zipf with exponent 1), through its inverse.
inline Numbers zipf_numbers(std::uint64_t count, std::uint64_t seed) {
  Numbers numbers = random_numbers(count, seed);
  const double log_of_ranks = std::log(static_cast<double>(count) + 1);
  for (auto& number : numbers) {
    const double uniform = static_cast<double>(number >> 11) * 0x1p-53;
    number = static_cast<std::uint64_t>(std::exp(uniform * log_of_ranks)) - 1;
  }
  return numbers;
}

/// Nine of ten numbers are the same, the others random.
inline Numbers mostly_one_number(std::uint64_t count, std::uint64_t seed) {
  Numbers numbers = random_numbers(count, seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % 10 != 0) numbers[i] = 42;
  }
  return numbers;
}

/// Numbers below 2^32 whose hashes by the published function have these four bits from bit `first`
/// on, as keys have that somebody partitioned by it.
inline Numbers clustered_numbers(std::uint64_t count, std::uint64_t first, std::uint64_t bits) {
  Numbers numbers;
  for (std::uint64_t number = 0; numbers.size() < count; ++number) {
    if ((murmur3_fmix64(number) >> first & 15) == bits) numbers.push_back(number);
  }
  return numbers;
}

/// An input with the name that failures show.
struct NamedNumbers {
  std::string name;
  Numbers numbers;
};

/// The shapes that inputs come in.
inline std::vector<NamedNumbers> every_shape(std::uint64_t count, std::uint64_t seed) {
  std::vector<NamedNumbers> shapes{{"random", random_numbers(count, seed)},
                                   {"sequential", sequential_numbers(count)},
                                   {"all 0", equal_numbers(count, 0)},
                                   {"all ~0", equal_numbers(count, ~std::uint64_t{0})},
                                   {"two keys", repeated_numbers(count, 2, seed)},
                                   {"each 8 times", repeated_numbers(count, count / 8 + 1, seed)},
                                   {"mostly one", mostly_one_number(count, seed)},
                                   {"Zipf", zipf_numbers(count, seed)}};
  return sampled(std::move(shapes));
}

}  // namespace hashmill::test
