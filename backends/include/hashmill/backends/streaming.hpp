#pragma once

#include <cstddef>
#include <cstring>

#if defined(__AVX512F__) || defined(__AVX__) || defined(__SSE2__)
#include <immintrin.h>
#endif

namespace hashmill::backends {

/// Bytes of one cache line, the unit of write combining on hosts.
inline constexpr std::size_t cache_line_bytes = 64;

/// Writes one cache line past the caches; both pointers are aligned to it. A plain copy where the
/// instruction set has no such store. Follow a series with `streaming_fence`.
inline void stream_line(void* to, const void* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(to), _mm512_load_si512(from));
#elif defined(__AVX__)
  auto* out = static_cast<__m256i*>(to);
  const auto* in = static_cast<const __m256i*>(from);
  for (int i = 0; i < 2; ++i) _mm256_stream_si256(out + i, _mm256_load_si256(in + i));
#elif defined(__SSE2__)
  auto* out = static_cast<__m128i*>(to);
  const auto* in = static_cast<const __m128i*>(from);
  for (int i = 0; i < 4; ++i) _mm_stream_si128(out + i, _mm_load_si128(in + i));
#else
  std::memcpy(to, from, cache_line_bytes);
#endif
}

/// Orders streamed lines before whatever this thread publishes next.
inline void streaming_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Which cache a line is asked into, as compilers number it.
enum class NearCache : int { second = 2, first = 3 };

/// Hints that the line at `address` will be read soon. Lines that lie in memory are better asked
/// into the second cache, many reads ahead: more of its misses can be under way than of the first,
/// so that random reads of memory come 1.2 to 1.5 times as fast (Zen 4). The empty statement has an
/// effect that the compiler cannot see: without it GCC takes callers for pure functions and drops
/// their calls.
template <NearCache level = NearCache::first>
inline void prefetch(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 0, static_cast<int>(level));
  asm volatile("");
#else
  (void)address;
#endif
}

/// Asks for a line of a table that is likely to lie in memory.
inline void prefetch_far(const void* address) { prefetch<NearCache::second>(address); }

/// How far behind what is read now a loop that reads memory front to back asks for more of it.
/// Processors do so unasked, but seldom across the end of a page of 4 KiB: a thread that counts
/// records from memory takes half as long when asked for (Xeon of 2023, virtual machine).
inline constexpr std::size_t stream_distance = 4096;

/// Asks for the `bytes` bytes that lie `stream_distance` behind `address`, whether they are still
/// of the array or not.
inline void prefetch_stream(const void* address, std::size_t bytes) {
  const char* const from = static_cast<const char*>(address) + stream_distance;
  for (std::size_t i = 0; i < bytes; i += cache_line_bytes) prefetch(from + i);
}

/// Reads `bytes` bytes from `address` on, front to back, and so gets them into the cache as fast as
/// memory gives them out. Loads, which processors recognise as a stream: as many prefetches in a
/// row were measured to leave much of it behind.
inline void read_ahead(const void* address, std::size_t bytes) {
  const auto* const from = static_cast<const volatile char*>(address);
  for (std::size_t i = 0; i < bytes; i += cache_line_bytes) static_cast<void>(from[i]);
}

}  // namespace hashmill::backends
