#pragma once

/// HASHMILL_UNROLL(N) before a loop of a team kernel asks the device compiler to unroll it N times;
/// host compilers, some of which would warn of the pragma, see nothing.
#define HASHMILL_PRAGMA(text) _Pragma(#text)
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
#define HASHMILL_UNROLL(times) HASHMILL_PRAGMA(unroll times)
#else
#define HASHMILL_UNROLL(times)
#endif
