#pragma once

#include <Kokkos_Core.hpp>

namespace hashmill::backends {

// Loads and stores of words of 4 or 8 bytes that other threads use at the same time. Kokkos's own
// are read-modify-write loops, several times as slow. On hosts these are the compiler's atomics
// (plain instructions on x86), on devices volatile accesses with fences where order matters.

/// Stores a word so that a thread which reads it with `load_acquire` also sees what this thread
/// wrote before.
template <class Word>
KOKKOS_FORCEINLINE_FUNCTION void store_release(Word* address, Word value) {
  KOKKOS_IF_ON_DEVICE((Kokkos::memory_fence(); *static_cast<volatile Word*>(address) = value;))
  KOKKOS_IF_ON_HOST((__atomic_store_n(address, value, __ATOMIC_RELEASE);))
}

/// Reads a word that others may be writing; see `store_release`.
template <class Word>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Word load_acquire(const Word* address) {
  KOKKOS_IF_ON_DEVICE((const Word value = *static_cast<const volatile Word*>(address);
                       Kokkos::memory_fence(); return value;))
  KOKKOS_IF_ON_HOST((return __atomic_load_n(address, __ATOMIC_ACQUIRE);))
}

/// Stores a word that others may be using; gives no guarantee about other words.
template <class Word>
KOKKOS_FORCEINLINE_FUNCTION void store_relaxed(Word* address, Word value) {
  KOKKOS_IF_ON_DEVICE((*static_cast<volatile Word*>(address) = value;))
  KOKKOS_IF_ON_HOST((__atomic_store_n(address, value, __ATOMIC_RELAXED);))
}

/// Reads a word that others may be writing; gives no guarantee about other words.
template <class Word>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Word load_relaxed(const Word* address) {
  KOKKOS_IF_ON_DEVICE((return *static_cast<const volatile Word*>(address);))
  KOKKOS_IF_ON_HOST((return __atomic_load_n(address, __ATOMIC_RELAXED);))
}

/// Reads a struct of 64-bit words, some of which others may be writing; each word is read whole.
/// These are relaxed loads in as few instructions as the machine has for that size. Compilers do
/// not combine atomics into vectors, so it is a plain copy, except under the thread sanitizer.
template <class Words>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Words load_words_relaxed(const Words* address) {
#if defined(__SANITIZE_THREAD__)
  Words copy;
  const auto* const from = reinterpret_cast<const std::uint64_t*>(address);
  auto* const to = reinterpret_cast<std::uint64_t*>(&copy);
  for (unsigned i = 0; i < sizeof(Words) / sizeof(std::uint64_t); ++i)
    to[i] = load_relaxed(from + i);
  return copy;
#else
  return *address;
#endif
}

}  // namespace hashmill::backends
