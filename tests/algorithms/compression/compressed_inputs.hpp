#pragma once

#include <string>
#include <vector>

#include "algorithms/support/inputs.hpp"

namespace hashmill::test {

/// Numbers to compress, and a name for them.
struct CompressedInput {
  std::string name;
  Numbers numbers;
};

/// Runs of 1 to `longest` equal numbers; run r has number_of(r).
template <class NumberOf>
Numbers runs_of_numbers(std::uint64_t count, std::uint64_t longest, std::uint64_t seed,
                        const NumberOf& number_of) {
  const Numbers lengths = random_numbers(count, seed);
  Numbers numbers;
  for (std::uint64_t run = 0; numbers.size() < count; ++run) {
    numbers.insert(numbers.end(), lengths[run] % longest + 1, number_of(run));
  }
  numbers.resize(count);
  return numbers;
}

inline std::uint64_t times_seven(std::uint64_t number) { return 7 * number; }

/// Inputs of every shape that a layer is for, and of some that none is for.
inline std::vector<CompressedInput> compressed_inputs(std::uint64_t count) {
  std::vector<CompressedInput> inputs;
  inputs.push_back({"random", random_numbers(count, 1)});
  inputs.push_back({"few", repeated_numbers(count, 5, 2)});
  inputs.push_back({"equal", Numbers(count, 0x8000'0000'8000'8080U)});
  inputs.push_back({"runs", runs_of_numbers(count, 9, 3, murmur3_fmix64)});
  inputs.push_back({"long runs", runs_of_numbers(count, 3000, 4, times_seven)});
  inputs.push_back({"growing runs", runs_of_numbers(count, 7, 5, times_seven)});
  Numbers sequence(count), sparse(count), falling(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    sequence[i] = i;
    sparse[i] = i / 8 * 32 + i % 8;
    falling[i] = i * i * ~std::uint64_t{0};
  }
  inputs.push_back({"sequence", sequence});
  inputs.push_back({"sparse sequence", sparse});
  inputs.push_back({"falling", falling});
  return inputs;
}

/// Numbers of exactly `width` bits above `base`.
inline Numbers numbers_of_width(std::uint64_t count, unsigned width, std::uint64_t base) {
  Numbers numbers = random_numbers(count, width);
  for (auto& number : numbers) number = base + (width == 0 ? 0 : number >> (64 - width));
  return numbers;
}

}  // namespace hashmill::test
