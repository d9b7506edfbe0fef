#pragma once

#include <hashmill/backends/index_loop.hpp>

namespace hashmill::detail {

/// Words of bits in memory that somebody else holds.
template <class MemorySpace>
using BitWords = Kokkos::View<std::uint64_t*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Sets in one word the bits of another.
struct OrWord {
  std::uint64_t* into;
  const std::uint64_t* from;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { into[i] |= from[i]; }
};

/// Sets in `into` the bits of `from`, which has as many words. Asynchronous. Reads both, and writes
/// one.
template <class Exec, class MemorySpace>
void or_words(const char* label, const Exec& exec, const BitWords<MemorySpace>& into,
              const BitWords<MemorySpace>& from) {
  backends::for_each_index(label, exec, into.extent(0), OrWord{into.data(), from.data()});
}

}  // namespace hashmill::detail
