#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <hashmill/options.hpp>
#include <limits>

namespace hashmill {

/// Which rows without a partner a join gives, beside the pairs of rows that match. Their partner is
/// `no_row`.
enum class JoinKind {
  inner,  ///< none
  left,   ///< those of the left side, the probe side
  right,  ///< those of the right side, the build side
  full,   ///< both
};

/// Options of every join.
struct JoinOptions {
  /// The most bytes that the result may take. A larger result is a CapacityError, thrown before it
  /// is allocated.
  std::uint64_t memory_budget = std::numeric_limits<std::uint64_t>::max();
  /// Whether pairs come in order: by left row, then by right row. `no_row` comes after every other
  /// row. The result is then the same, byte for byte, in every run, from every table and strategy,
  /// and on every device. join/detail/order_pairs.hpp says what that costs.
  bool ordered = false;
  /// A seed for the hash functions that `hash_join` and `join_values` use, added to the seeds that
  /// these have already. Set it if strangers choose the keys (see hash.hpp). A table that is passed
  /// to a join keeps its own hash function.
  Seed seed{0};
};

/// The sizes of a join.
struct JoinSizes {
  std::uint64_t left_rows = 0;   ///< rows of the left side
  std::uint64_t right_rows = 0;  ///< rows of the right side
  std::uint64_t pairs = 0;       ///< pairs of the result
};

/// The condition that holds for every pair of rows with equal keys: the default of all joins.
struct EveryPair {
  template <class Left, class Right>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Left, Right) const {
    return true;
  }
};

}  // namespace hashmill
