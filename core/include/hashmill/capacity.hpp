#pragma once

#include <cstdint>
#include <hashmill/error.hpp>
#include <hashmill/row.hpp>
#include <limits>
#include <string>
#include <string_view>

namespace hashmill {

namespace detail {

inline constexpr std::uint64_t largest_u64 = std::numeric_limits<std::uint64_t>::max();

/// Throws the CapacityError for `a operation b` that does not fit 64 bits.
[[noreturn]] inline void throw_overflow(std::string_view what, std::uint64_t a,
                                        std::string_view operation, std::uint64_t b) {
  throw CapacityError(std::string(what) + ": " + std::to_string(a) + " " + std::string(operation) +
                          " " + std::to_string(b) + " exceeds the limit of " +
                          std::to_string(largest_u64),
                      largest_u64, largest_u64);
}

}  // namespace detail

/// Adds two sizes. Throws CapacityError, which names `what`, both values and the limit, if the sum
/// does not fit 64 bits.
[[nodiscard]] constexpr std::uint64_t checked_add(std::uint64_t a, std::uint64_t b,
                                                  std::string_view what) {
  if (b > detail::largest_u64 - a) detail::throw_overflow(what, a, "+", b);
  return a + b;
}

/// Multiplies two sizes. Throws CapacityError, which names `what`, both values and the limit, if
/// the product does not fit 64 bits.
[[nodiscard]] constexpr std::uint64_t checked_multiply(std::uint64_t a, std::uint64_t b,
                                                       std::string_view what) {
  if (a != 0 && b > detail::largest_u64 / a) detail::throw_overflow(what, a, "*", b);
  return a * b;
}

/// Bytes taken by `count` elements of type `T`. Throws CapacityError as `checked_multiply` does.
template <class T>
[[nodiscard]] constexpr std::uint64_t checked_bytes(std::uint64_t count, std::string_view what) {
  return checked_multiply(count, sizeof(T), what);
}

/// Checks that row numbers `row_base` to `row_base + count - 1` fit `Row` and stay below
/// `no_row<Row>`. Throws CapacityError, which names both values and the limit, otherwise.
template <RowNumber Row>
constexpr void check_rows(std::uint64_t row_base, std::uint64_t count) {
  constexpr std::uint64_t limit = no_row<Row>;
  if (row_base <= limit && count <= limit - row_base) return;
  const bool fits = count <= detail::largest_u64 - row_base;
  throw CapacityError("row numbers: base " + std::to_string(row_base) + " + count " +
                          std::to_string(count) + " exceeds the limit of " + std::to_string(limit) +
                          " for " + std::to_string(8 * sizeof(Row)) + "-bit rows",
                      fits ? row_base + count : detail::largest_u64, limit);
}

}  // namespace hashmill
