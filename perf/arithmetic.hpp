#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <hashmill/backends/execution.hpp>

#include "host_threads.hpp"

namespace hashmill::perf {

/// A piece of work that goes on in registers alone: four chains of products, which one hardware
/// thread cannot make faster by having another's share of its core.
struct MultiplyInRegisters {
  static constexpr int steps = 100'000;

  void operator()(const std::int64_t piece, std::uint64_t& sum) const {
    constexpr std::uint64_t factor = 0x5851F42D4C957F2D;
    std::uint64_t a = static_cast<std::uint64_t>(piece), b = a + 1, c = a + 2, d = a + 3;
    for (int i = 0; i < steps; ++i) {
      a = a * factor + 1;
      b = b * factor + 3;
      c = c * factor + 5;
      d = d * factor + 7;
    }
    sum += a ^ b ^ c ^ d;
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
