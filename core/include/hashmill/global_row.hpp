#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace hashmill {

/// A row of one of several ranks: the rank in the upper 24 bits, the number of the row on that rank
/// in the lower 40.
using GlobalRow = std::uint64_t;

/// Bits of a row's number on its rank.
inline constexpr unsigned local_row_bits = 40;

/// The global number of row `row` of `rank`.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr GlobalRow global_row(std::uint32_t rank,
                                                                         std::uint64_t row) {
  return (static_cast<std::uint64_t>(rank) << local_row_bits) | row;
}
/// The rank of a global row.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t rank_of(GlobalRow row) {
  return static_cast<std::uint32_t>(row >> local_row_bits);
}
/// The number of a global row on its rank.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t row_of(GlobalRow row) {
  return row & ((std::uint64_t{1} << local_row_bits) - 1);
}

/// A column of the global numbers of a rank's rows, which takes no memory. Shuffled with other
/// columns, it tells where each row came from.
class GlobalRows {
 public:
  using value_type = GlobalRow;

  /// The first `count` rows of `rank`.
  GlobalRows(int rank, std::uint64_t count)
      : rank_(static_cast<std::uint32_t>(rank)), count_(count) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count_; }
  KOKKOS_FORCEINLINE_FUNCTION GlobalRow operator()(std::uint64_t i) const {
    return global_row(rank_, i);
  }

 private:
  std::uint32_t rank_;
  std::uint64_t count_;
};

}  // namespace hashmill
