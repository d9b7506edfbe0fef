#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <hashmill/options.hpp>
#include <limits>

namespace hashmill {

/// Which rows of a join's sides come without a partner, beside the pairs of rows that match.
enum class JoinKind {
  inner,  ///< none
  left,   ///< those of the left side, the queries
  right,  ///< those of the right side, the table
  full,   ///< both
};

/// How a join may go about it.
struct JoinOptions {
  /// Bytes that the result may take at most; more is a CapacityError before it is allocated.
  std::uint64_t memory_budget = std::numeric_limits<std::uint64_t>::max();
  /// Whether pairs come by left row and, of one left row, by right row, no row being behind every
  /// other: the same bytes in every run, from every table and strategy and on every device.
  /// join/detail/order_pairs.hpp says what that costs.
  bool ordered = false;
  /// Of the hash functions, on top of the seeds that they have, where strangers choose keys (see
  /// hash.hpp): of what `hash_join` and `join_values` make. Tables that are given have their own.
  Seed seed{0};
};

/// The condition that holds for every pair of rows with equal keys.
struct EveryPair {
  template <class Left, class Right>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Left, Right) const {
    return true;
  }
};

}  // namespace hashmill
