#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <hashmill/backends/execution.hpp>
#include <hashmill/hash_bits.hpp>

#include "host_threads.hpp"

namespace hashmill::perf {

/// A piece of work that runs in registers only: products of two 64-bit numbers, which no vector
/// unit computes. So many products are in flight that the one multiplier of a core is never idle.
/// Two hardware threads of a core therefore get half of it each.
struct MultiplyInRegisters {
  static constexpr int steps = 50'000;
  static constexpr unsigned chains = 8;

  void operator()(const std::int64_t piece, std::uint64_t& sum) const {
    constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;
    std::uint64_t numbers[chains];
    for (unsigned c = 0; c < chains; ++c) numbers[c] = static_cast<std::uint64_t>(piece) + c;
    for (int i = 0; i < steps; ++i) {
      for (unsigned c = 0; c < chains; ++c) numbers[c] = bucket_of(numbers[c], factor) + c + 1;
    }
    for (unsigned c = 0; c < chains; ++c) sum += numbers[c];
  }
};

/// How many times as much plain arithmetic so many threads of the host do in a second as one does:
/// what its cores are worth to anything that needs neither memory nor caches. On virtual machines,
/// whose processors may be halves of cores or shared with others, that is less than they number.
/// Takes half a second.
template <class Exec>
double arithmetic_speedup(unsigned threads) {
  const auto pieces_a_second = [](unsigned number) {
    const Exec exec = instance_with_threads<Exec>(number);
    const std::uint64_t pieces = std::uint64_t{400} * number;
    double best = 0;
    for (int round = 0; round < 4; ++round) {
      const Kokkos::Timer timer;
      std::uint64_t sum = 0;
      Kokkos::parallel_reduce("hashmill::perf::arithmetic", backends::uneven_range(exec, pieces),
                              MultiplyInRegisters{}, sum);
      // The sum is asked for, or there would be nothing to calculate.
      if (sum != 0) best = std::max(best, static_cast<double>(pieces) / timer.seconds());
    }
    return best;
  };
  return pieces_a_second(threads) / pieces_a_second(1);
}

}  // namespace hashmill::perf
