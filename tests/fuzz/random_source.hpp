#pragma once

#include <random>

#include "algorithms/support/inputs.hpp"

namespace hashmill::test {

/// What a step of the fuzzer draws from; the same numbers for the same seed and step everywhere.
class RandomSource {
 public:
  RandomSource(std::uint64_t seed, std::uint64_t step) : engine_(seed * 0x9e3779b97f4a7c15 + step) {
    engine_.discard(8);  // seeds that are close begin alike
  }

  /// A number below `end`.
  std::uint64_t below(std::uint64_t end) { return engine_() % end; }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
  template <class Choices>
  auto pick(const Choices& choices) {
    return choices[below(std::size(choices))];
  }

  /// How many rows a side has: nothing, few, around a team's or tile's, or up to `most`.
  std::uint64_t size(std::uint64_t most) {
    constexpr std::uint64_t boundaries[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 4095, 4096, 4097};
    const std::uint64_t size = chance(3) ? pick(boundaries) : below(std::uint64_t{1} << below(20));
    return std::min(size, most);
  }

  /// Keys as numbers: of one of the shapes, all of them or only some below a bound, so that two
  /// sides share many, few or none.
  Numbers numbers(std::uint64_t most) {
    const std::uint64_t count = size(most), seed = below(64);
    switch (below(8)) {
      case 0:
        return random_numbers(count, seed);
      case 1:
        return sequential_numbers(count, below(count + 1));
      case 2:
        return equal_numbers(count, pick(special));
      case 3:
        return mostly_one_number(count, seed);
      case 4:
        return zipf_numbers(count, seed);
      case 5:
        return repeated_numbers(count, 1 + below(8), seed);
      case 6:
        return clustered_numbers(count, below(61), below(16));
      default:
        return repeated_numbers(count, 1 + below(2 * count + 1), seed);
    }
  }

 private:
  static constexpr std::uint64_t special[] = {0, 1, 42, 0x7FFFFFFF, 0xFFFFFFFF, ~std::uint64_t{0}};
  std::mt19937_64 engine_;
};

}  // namespace hashmill::test
