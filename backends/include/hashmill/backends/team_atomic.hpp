#pragma once

#include <cstdint>
#include <hashmill/backends/launch.hpp>
#include <type_traits>

namespace hashmill::backends {

/// Adds `value` to a counter of 32 or 64 bits in team scratch, and returns its previous value.
///
///     | teams        | instruction                                                               |
///     |--------------|---------------------------------------------------------------------------|
///     | one thread   | a plain add; Kokkos's host atomics stay locked instructions even then,    |
///     |              | which cost several times as much                                          |
///     | CUDA and HIP | the compiler's own atomic, a shared-memory instruction once the address   |
///     |              | is known to be scratch; Kokkos's is written for any address and cannot be |
///     | other        | Kokkos's atomic                                                           |
template <ExecutionSpace Exec, class Counter>
KOKKOS_FORCEINLINE_FUNCTION Counter team_fetch_add(Counter* counter, Counter value) {
  if constexpr (!has_wide_teams<Exec>) {
    const Counter before = *counter;
    *counter = before + value;
    return before;
  } else {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    return ::atomicAdd(counter, value);
#else
    return Kokkos::atomic_fetch_add(counter, value);
#endif
  }
}

/// Adds `value` to a number of 64 bits in team scratch. It is right once all threads have added and
/// met at a barrier.
///
/// CUDA has no instruction that adds 64 bits to scratch, only a loop that compares and swaps. So
/// the lower half is added first, and the upper half where it carries or `value` has one. For
/// numbers below 2^32 that is one instruction nearly always.
template <ExecutionSpace Exec>
KOKKOS_FORCEINLINE_FUNCTION void team_add(std::uint64_t* number, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  auto* const halves = reinterpret_cast<std::uint32_t*>(number);
  const auto low = static_cast<std::uint32_t>(value);
  const std::uint32_t before = ::atomicAdd(halves, low);
  const std::uint32_t carry = before + low < low ? 1 : 0;
  const std::uint32_t high = static_cast<std::uint32_t>(value >> 32) + carry;
  if (high != 0) ::atomicAdd(halves + 1, high);
#else
  static_cast<void>(team_fetch_add<Exec>(number, value));
#endif
}

/// Sets a word of 32 or 64 bits in team scratch to `value` if it is `expected`. Returns what it
/// was. For the instructions see `team_fetch_add`.
template <ExecutionSpace Exec, class Word>
KOKKOS_FORCEINLINE_FUNCTION Word team_compare_exchange(Word* word, Word expected, Word value) {
  if constexpr (!has_wide_teams<Exec>) {
    const Word before = *word;
    if (before == expected) *word = value;
    return before;
  } else {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    using Own = std::conditional_t<sizeof(Word) == 8, unsigned long long, unsigned>;
    static_assert(sizeof(Own) == sizeof(Word));
    return static_cast<Word>(::atomicCAS(reinterpret_cast<Own*>(word), static_cast<Own>(expected),
                                         static_cast<Own>(value)));
#else
    return Kokkos::atomic_compare_exchange(word, expected, value);
#endif
  }
}

/// Which of `Threads` adjacent records the thread of that rank should take when each record
/// fetch-adds a counter: a permutation of the ranks.
///
/// A warp's additions to one address run one after another. In sorted input with repeated keys all
/// 32 neighbours could have one key. The halves of a warp therefore take records half a team apart;
/// within each half loads stay coalesced. On an H200 a build of 2^27 sorted keys that repeat 32
/// times takes 3.8 ms instead of 4.4, at no cost to other input.
template <ExecutionSpace Exec, std::uint32_t Threads = team_threads<Exec>>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t spread_rank(std::uint32_t rank) {
  constexpr std::uint32_t size = Threads, warp = 32, half = warp / 2;
  if constexpr (size < warp) {
    return rank;
  } else {
    return rank / warp * half + rank % warp / half * (size / 2) + rank % half;
  }
}

}  // namespace hashmill::backends
