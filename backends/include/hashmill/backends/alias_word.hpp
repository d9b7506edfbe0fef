#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace hashmill::backends {

#if defined(__GNUC__)
#define HASHMILL_MAY_ALIAS [[gnu::__may_alias__]]
#else
#define HASHMILL_MAY_ALIAS
#endif

/// Words that copy memory whatever type was stored there. Without the attribute compilers assume
/// that words and, for example, doubles never share an address, and reorder loads and stores
/// accordingly.
using AliasWord HASHMILL_MAY_ALIAS = std::uint64_t;
/// Two such words, in one access of 16 bytes where the machine has one.
struct HASHMILL_MAY_ALIAS alignas(16) AliasWordPair {
  std::uint64_t first;
  std::uint64_t second;
};

}  // namespace hashmill::backends
