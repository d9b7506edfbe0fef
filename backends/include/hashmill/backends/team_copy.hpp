#pragma once

#include <cstring>
#include <hashmill/backends/alias_word.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/unroll.hpp>

namespace hashmill::backends {

/// Copies `bytes` bytes by all `Threads` threads of a team, between scratch and memory. Addresses
/// and `bytes` are multiples of 16. Neighbouring threads move neighbouring pieces of 16 bytes. Two
/// reads of a thread are in flight at once. The team has the copy after its next barrier.
template <ExecutionSpace Exec, std::uint32_t Threads = team_threads<Exec>, class Member>
KOKKOS_FORCEINLINE_FUNCTION void team_copy([[maybe_unused]] const Member& team, void* to,
                                           const void* from, std::size_t bytes) {
  if constexpr (!has_wide_teams<Exec>) {
    std::memcpy(to, from, bytes);
  } else {
    constexpr std::uint32_t size = Threads, batch = 2;
    const auto pieces = static_cast<std::uint32_t>(bytes / sizeof(AliasWordPair));
    for (std::uint32_t i = team.team_rank(); i < pieces; i += batch * size) {
      // One 64-bit position each, plus constants, takes fewer registers.
      const auto* const in = static_cast<const AliasWordPair*>(from) + i;
      auto* const out = static_cast<AliasWordPair*>(to) + i;
      AliasWordPair held[batch];
      unrolled<batch>([&](unsigned k) {
        if (i + k * size < pieces) held[k] = in[std::size_t{k} * size];
      });
      unrolled<batch>([&](unsigned k) {
        if (i + k * size < pieces) out[std::size_t{k} * size] = held[k];
      });
    }
  }
}

/// Sets all bits of `bytes` bytes of scratch, as `team_copy` would copy them.
template <ExecutionSpace Exec, std::uint32_t Threads = team_threads<Exec>, class Member>
KOKKOS_FORCEINLINE_FUNCTION void team_set_bits([[maybe_unused]] const Member& team, void* to,
                                               std::size_t bytes) {
  if constexpr (!has_wide_teams<Exec>) {
    std::memset(to, 0xFF, bytes);
  } else {
    constexpr std::uint32_t size = Threads;
    constexpr AliasWordPair ones{~std::uint64_t{0}, ~std::uint64_t{0}};
    const auto pieces = static_cast<std::uint32_t>(bytes / sizeof(AliasWordPair));
    HASHMILL_UNROLL(4)
    for (std::uint32_t i = team.team_rank(); i < pieces; i += size) {
      static_cast<AliasWordPair*>(to)[i] = ones;
    }
  }
}

}  // namespace hashmill::backends
