#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <cstring>
#include <hashmill/backends/alias_word.hpp>

namespace hashmill::backends {

/// Reads a 48-bit number from three 16-bit words, lowest first. Touches nothing else, since others
/// may be writing beside it.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t load_six_bytes_alone(
    const std::uint16_t* words) {
  return words[0] | std::uint64_t{words[1]} << 16 | std::uint64_t{words[2]} << 32;
}

/// As above, where at least two more bytes lie before the words, ideally in the same cache line.
/// Hosts then read eight bytes at once.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t load_six_bytes(const std::uint16_t* words) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
  return load_six_bytes_alone(words);
#else
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const unsigned char*>(words) - 2, sizeof(word));
  return word >> 16;
#endif
}

/// Writes a number below 2^48 to three 16-bit words. Touches nothing else. Devices write the two
/// words that share a multiple of 4 bytes at once.
KOKKOS_FORCEINLINE_FUNCTION void store_six_bytes(std::uint16_t* words, std::uint64_t number) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
  using Two HASHMILL_MAY_ALIAS = std::uint32_t;
  const bool odd = reinterpret_cast<std::uintptr_t>(words) % sizeof(Two) != 0;
  *reinterpret_cast<Two*>(words + (odd ? 1 : 0)) =
      static_cast<std::uint32_t>(odd ? number >> 16 : number);
  words[odd ? 0 : 2] = static_cast<std::uint16_t>(odd ? number : number >> 32);
#else
  const auto low = static_cast<std::uint32_t>(number);
  std::memcpy(words, &low, sizeof(low));
  words[2] = static_cast<std::uint16_t>(number >> 32);
#endif
}

}  // namespace hashmill::backends
