#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <hashmill/murmur.hpp>

namespace hashmill {

/// Bytes that somebody else owns. std::string_view is not for device code.
struct StringView {
  const char* data = nullptr;
  std::uint64_t size = 0;

  /// Whether the bytes are the same.
  KOKKOS_INLINE_FUNCTION friend bool operator==(const StringView& a, const StringView& b) noexcept {
    if (a.size != b.size) return false;
    const auto* x = reinterpret_cast<const unsigned char*>(a.data);
    const auto* y = reinterpret_cast<const unsigned char*>(b.data);
    std::uint64_t i = 0;
    for (; i + 8 <= a.size; i += 8) {
      if (detail::load_word<std::uint64_t>(x + i) != detail::load_word<std::uint64_t>(y + i)) {
        return false;
      }
    }
    const std::uint64_t left = a.size - i;
    return detail::load_tail<std::uint64_t>(x + i, left) ==
           detail::load_tail<std::uint64_t>(y + i, left);
  }
};

}  // namespace hashmill
