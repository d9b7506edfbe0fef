#pragma once

#include <cstddef>
#include <cstdint>
#include <hashmill/spill/detail/batch_pool.hpp>
#include <memory>
#include <vector>

namespace hashmill::detail {

/// Bytes in memory of an execution space.
struct ByteArray {
  const std::byte* data;
  std::uint64_t bytes;
};

/// Some rows, as arrays of bytes, in memory of an execution space that `owner` and `grant` hold.
struct StoredBatch {
  std::uint64_t rows = 0;
  std::vector<ByteArray> arrays{};
  std::shared_ptr<const void> owner{};
  MemoryAccount::Grant grant{};  ///< empty where the store pays for them

  /// The bytes of memory for all arrays, each of which begins at an aligned address.
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const ByteArray& array : arrays) sum += rounded(array.bytes);
    return pooled_bytes(sum);
  }
  /// The length of an array, rounded up.
  [[nodiscard]] static constexpr std::uint64_t rounded(std::uint64_t bytes) {
    constexpr std::uint64_t alignment = 32;
    return (bytes + alignment - 1) / alignment * alignment;
  }
};

}  // namespace hashmill::detail
