#pragma once

#include <Kokkos_Macros.hpp>
#include <utility>

/// HASHMILL_UNROLL(N) before a loop asks the compiler to unroll it N times, such as the loads of
/// team kernels. Compilers that would warn of the pragma see nothing.
#define HASHMILL_PRAGMA(text) _Pragma(#text)
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
#define HASHMILL_UNROLL(times) HASHMILL_PRAGMA(unroll times)
#elif defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define HASHMILL_UNROLL(times) HASHMILL_PRAGMA(GCC unroll times)
#else
#define HASHMILL_UNROLL(times)
#endif

namespace hashmill::backends {

/// Calls f(0) to f(N - 1). Unlike a loop with the pragma this has no loop variable at any stage of
/// compilation, so that a small array indexed with the argument is never an array in memory: nvcc
/// takes arrays apart before it unrolls loops, and what is chosen from one by a loop it chooses by
/// address.
template <unsigned N, class F>
KOKKOS_FORCEINLINE_FUNCTION void unrolled(const F& f) {
  [&]<unsigned... I>(std::integer_sequence<unsigned, I...>) { (f(I), ...); }
  (std::make_integer_sequence<unsigned, N>{});
}

}  // namespace hashmill::backends
