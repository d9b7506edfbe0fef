#pragma once

#include <Kokkos_Macros.hpp>
#include <utility>

/// Writes a pragma from a macro.
#define HASHMILL_PRAGMA(text) _Pragma(#text)
/// HASHMILL_UNROLL(N) before a loop asks the compiler to unroll it N times, for example the loads
/// of team kernels. It is empty for compilers that would warn of the pragma.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
#define HASHMILL_UNROLL(times) HASHMILL_PRAGMA(unroll times)
#elif defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define HASHMILL_UNROLL(times) HASHMILL_PRAGMA(GCC unroll times)
#else
#define HASHMILL_UNROLL(times)
#endif

namespace hashmill::backends {

/// Calls f(0) to f(N - 1). Unlike a loop with the pragma it has no loop variable at any stage of
/// compilation, so a small array indexed with the argument stays in registers. nvcc splits arrays
/// into registers before it unrolls loops. An array indexed by a loop variable therefore ends up in
/// memory.
template <unsigned N, class F>
KOKKOS_FORCEINLINE_FUNCTION void unrolled(const F& f) {
  [&]<unsigned... I>(std::integer_sequence<unsigned, I...>) { (f(I), ...); }
  (std::make_integer_sequence<unsigned, N>{});
}

}  // namespace hashmill::backends
