#pragma once

#include <Kokkos_Macros.hpp>
#include <hashmill/join/options.hpp>
#include <utility>

namespace hashmill::detail {

// Inner joins whose sides change places, so that the smaller one is built. Only sides of one type
// do: then the same code serves both orders, and nothing more is compiled.

/// Whether an inner join builds the left side in place of the right one. The rows of an ordered
/// result come by left row, for which look-ups by left row are best.
[[nodiscard]] inline bool builds_left(JoinKind kind, const JoinOptions& options,
                                      const JoinSizes& sizes) {
  constexpr std::uint64_t least_ratio = 4;  // right rows per left row
  return kind == JoinKind::inner && !options.ordered &&
         sizes.left_rows < sizes.right_rows / least_ratio;
}

/// The caller's condition in a join whose sides may have changed places.
template <class Match>
struct MatchOfSides {
  Match match;
  bool swapped;
  template <class Left, class Right>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Left left, Right right) const {
    return swapped ? match(right, left) : match(left, right);
  }
};
[[nodiscard]] inline EveryPair match_of_sides(const EveryPair& match, bool) { return match; }
template <class Match>
[[nodiscard]] MatchOfSides<Match> match_of_sides(const Match& match, bool swapped) {
  return {match, swapped};
}

/// Lets the columns of a result, if there is one, change places while this lives.
template <class Pairs>
class SwappedColumns {
 public:
  explicit SwappedColumns(Pairs* pairs) : pairs_(pairs) { swap(); }
  ~SwappedColumns() { swap(); }
  SwappedColumns(const SwappedColumns&) = delete;
  SwappedColumns& operator=(const SwappedColumns&) = delete;

 private:
  void swap() {
    if (pairs_ != nullptr) std::swap(pairs_->left, pairs_->right);
  }
  Pairs* pairs_;
};

}  // namespace hashmill::detail
