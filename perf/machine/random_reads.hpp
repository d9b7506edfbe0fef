#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/execution.hpp>
#include <hashmill/backends/memory_cache.hpp>
#include <hashmill/backends/streaming.hpp>
#include <hashmill/hash_bits.hpp>
#include <hashmill/murmur.hpp>

#include "execution_spaces.hpp"

namespace hashmill::perf {

/// Reads words at random places. A find in a table larger than the caches cannot do less. Devices
/// use one thread per read. Hosts work in blocks and prefetch the words long before.
template <class Exec>
struct RandomReads {
  static constexpr std::uint64_t block = is_host_space<Exec> ? 1024 : 1;
  static constexpr std::uint64_t lead = 48;

  const std::uint64_t* words;
  std::uint64_t num_words;

  KOKKOS_FUNCTION void operator()(const std::int64_t index, std::uint64_t& sum) const {
    std::uint64_t places[block];
    for (std::uint64_t i = 0; i < block; ++i) {
      const std::uint64_t number = static_cast<std::uint64_t>(index) * block + i;
      places[i] = bucket_of(murmur3_fmix64(number), num_words);
    }
    for (std::uint64_t i = 0; i < (lead < block ? lead : block); ++i) ask(places[i]);
    for (std::uint64_t i = 0; i < block; ++i) {
      if (i + lead < block) ask(places[i + lead]);
      sum += words[places[i]];
    }
  }

 private:
  KOKKOS_FUNCTION void ask([[maybe_unused]] std::uint64_t place) const {
    KOKKOS_IF_ON_HOST((backends::prefetch_far(words + place);))
  }
};

/// Random 8-byte reads a second of 1 GiB, or an eighth of the free memory where that is less: the
/// best of several rounds.
template <class Exec>
double measure_random_reads(const Exec& exec) {
  using Memory = typename Exec::memory_space;
  using Reads = RandomReads<Exec>;
  constexpr std::uint64_t num_reads = is_host_space<Exec> ? 1ULL << 23 : 1ULL << 28;
  const std::uint64_t num_words =
      std::min<std::uint64_t>(1ULL << 30, backends::free_bytes<Memory>() / 8) /
      sizeof(std::uint64_t);
  const auto words = backends::allocate<Kokkos::View<std::uint64_t*, Memory>>(
      exec, "hashmill::perf::random_reads", num_words);
  Kokkos::deep_copy(exec, words, std::uint64_t{1});
  double best = 0;
  for (int round = 0; round < 4; ++round) {
    exec.fence("hashmill::perf::measure_random_reads: the clock starts");
    const Kokkos::Timer timer;
    std::uint64_t sum = 0;
    Kokkos::parallel_reduce("hashmill::perf::random_reads",
                            backends::range(exec, num_reads / Reads::block),
                            Reads{words.data(), num_words}, sum);
    if (sum == num_reads) {
      best = std::max(best, static_cast<double>(num_reads) / timer.seconds());
    }
  }
  return best;
}

}  // namespace hashmill::perf
