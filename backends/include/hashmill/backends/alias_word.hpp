#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace hashmill::backends {

#if defined(__GNUC__)
#define HASHMILL_MAY_ALIAS [[gnu::__may_alias__]]
#else
#define HASHMILL_MAY_ALIAS
#endif

/// Words that copy memory whatever was stored there: compilers otherwise take it that words and,
/// say, doubles never are at one place, and order loads and stores accordingly.
using AliasWord HASHMILL_MAY_ALIAS = std::uint64_t;
/// Two of them, in one access of 16 bytes where the machine has one.
struct HASHMILL_MAY_ALIAS alignas(16) AliasWordPair {
  std::uint64_t first;
  std::uint64_t second;
};

}  // namespace hashmill::backends
