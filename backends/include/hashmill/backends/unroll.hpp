#pragma once

/// HASHMILL_UNROLL(N) before a loop asks the compiler to unroll it N times, in its own spelling.
#define HASHMILL_PRAGMA(text) _Pragma(#text)
#if defined(__CUDACC__) || defined(__HIPCC__) || defined(__SYCL_DEVICE_ONLY__)
#define HASHMILL_UNROLL(times) HASHMILL_PRAGMA(unroll times)
#elif defined(__GNUC__) && !defined(__clang__)
#define HASHMILL_UNROLL(times) HASHMILL_PRAGMA(GCC unroll times)
#elif defined(__clang__)
#define HASHMILL_UNROLL(times) HASHMILL_PRAGMA(unroll times)
#else
#define HASHMILL_UNROLL(times)
#endif
