#pragma once

/// HASHMILL_UNROLL(N) before a loop asks the compiler to unroll it N times: loops over the few
/// slots of a window, whose copies then stay in registers, and the loads of team kernels. Compilers
/// that would warn of the pragma see nothing.
#define HASHMILL_PRAGMA(text) _Pragma(#text)
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
#define HASHMILL_UNROLL(times) HASHMILL_PRAGMA(unroll times)
#elif defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define HASHMILL_UNROLL(times) HASHMILL_PRAGMA(GCC unroll times)
#else
#define HASHMILL_UNROLL(times)
#endif
