#pragma once

#include <hashmill/column.hpp>

namespace hashmill {

/// Booleans in Arrow's layout, one bit per row: row i is bit `first_bit` + i, from the lowest of
/// each byte. Matches columns of unsigned integers, where false is 0 and true is 1.
template <class MemorySpace>
class BooleanColumn {
 public:
  using memory_space = MemorySpace;
  using value_type = bool;

  BooleanColumn() = default;
  /// Throws InvalidArgument where `valid` is known to be of fewer than `size` rows.
  BooleanColumn(const std::uint8_t* bits, std::uint64_t first_bit, std::uint64_t size,
                Validity valid = {})
      : bits_(bits), first_bit_(first_bit), size_(size), valid_(valid.covering(size)) {}

  /// Number of rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return size_; }
  /// Whether row i is null.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    return valid_.is_null(i);
  }
  /// The value of row i; means nothing where that is null.
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::uint64_t i) const {
    const std::uint64_t bit = first_bit_ + i;
    return (bits_[bit / 8] >> (bit % 8) & 1U) != 0;
  }
  /// Which rows have values.
  [[nodiscard]] const Validity& validity() const { return valid_; }
  /// Bytes that the bits take, including those before the first.
  [[nodiscard]] std::uint64_t bytes() const { return (first_bit_ + size_ + 7) / 8; }

 private:
  const std::uint8_t* bits_ = nullptr;
  std::uint64_t first_bit_ = 0;
  std::uint64_t size_ = 0;
  Validity valid_;
};

}  // namespace hashmill
