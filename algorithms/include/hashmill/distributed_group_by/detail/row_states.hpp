#pragma once

#include <hashmill/group_by/detail/batches/kept_folds.hpp>

namespace hashmill::detail {

/// Whether the state of a row can be told from the row alone, and states of a group can be merged
/// in any order. The first value and the variance of floating-point numbers need all rows at once.
template <class Aggregation>
inline constexpr bool has_row_state = !Aggregation::two_passes;
template <class Value, class Source, bool Nullable>
inline constexpr bool has_row_state<Fold<FirstOp<Value>, Source, Nullable>> = false;

/// What kept folds hold of a group of a batch.
template <class Kept, class Folds>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION typename Kept::Group kept_state(
    const Kept& kept, const Folds& folds, const typename Folds::Group& group) {
  typename Kept::Group state{};
  kept.clear(&state);
  merge_group(kept, &state, folds, group);
  return state;
}
/// What they hold of a row alone.
template <class Kept, class Folds>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION typename Kept::Group state_of_row(const Kept& kept,
                                                                            const Folds& folds,
                                                                            std::uint64_t row) {
  typename Folds::Group group{};
  folds.clear(&group);
  folds.template add<Alone, false>(&group, &group, row);
  return kept_state(kept, folds, group);
}

/// The states of listed rows, each of that row alone: a column.
template <class Kept, class Folds, class Row, class MemorySpace>
struct StatesOfRows {
  using memory_space = MemorySpace;
  using value_type = typename Kept::Group;
  Kept kept;
  Folds folds;
  const Row* rows;
  std::uint64_t count;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t) const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator()(std::uint64_t i) const {
    return state_of_row(kept, folds, rows[i]);
  }
};

}  // namespace hashmill::detail
