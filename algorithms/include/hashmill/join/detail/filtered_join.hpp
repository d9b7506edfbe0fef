#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/join/detail/counted_join.hpp>
#include <hashmill/join/detail/filter_left.hpp>

namespace hashmill::detail {

/// The condition of a join whose left rows are places in a list. It is asked with the rows' own
/// numbers.
template <class Match, class Row>
struct MatchListed {
  Match match;
  const Row* rows;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Row left, Row right) const {
    return match(rows[left], right);
  }
};
template <class Row>
[[nodiscard]] EveryPair match_listed(const EveryPair& match, const Row*) {
  return match;
}
template <class Match, class Row>
[[nodiscard]] MatchListed<Match, Row> match_listed(const Match& match, const Row* rows) {
  return {match, rows};
}

/// Replaces places in a list of rows by the rows at these places.
template <class Row>
struct NameRows {
  const Row* rows;
  Row* places;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (places[i] != no_row<Row>) places[i] = rows[places[i]];
  }
};

/// Replaces the places in the left column of `count` pairs by the rows at these places.
/// Asynchronous.
template <class Exec, class Row>
void name_rows(const Exec& exec, const PassingRows<Row>& passing, Row* left, std::uint64_t count) {
  backends::for_each_index("hashmill::hash_join::name_rows", exec, count,
                           NameRows<Row>{passing.rows, left});
}

/// Completes a join of the left rows that passed a filter to a join of all left rows. It gives the
/// rows their own numbers. It adds the rows that did not pass, if the kind of the join keeps them.
/// The plan must outlive it.
template <class Plan, class Row, class MemorySpace>
  requires CountedJoinOfSome<Plan, Row>
class FilteredJoin {
 public:
  FilteredJoin(const Plan& plan, const PassingRows<Row>& passing, bool keeps_left,
               Workspace<MemorySpace>& workspace)
      : plan_(plan), passing_(passing) {
    if (!keeps_left) return;
    dropped_ = place_kept<Row>("hashmill::hash_join::count_dropped", plan.exec(), passing.num_rows,
                               IsMarked{passing.passes, false}, workspace);
  }

  /// Number of pairs.
  [[nodiscard]] std::uint64_t size() const { return plan_.size() + dropped_.total; }
  /// Number of pairs with a left row; the others come after them.
  [[nodiscard]] std::uint64_t num_found() const { return plan_.num_found() + dropped_.total; }
  [[nodiscard]] bool in_left_order() const { return plan_.in_left_order() && dropped_.total == 0; }

  /// Writes `size()` pairs. Asynchronous.
  void write(Row* left, Row* right) const {
    plan_.write_found(left, right);
    if constexpr (Plan::gives_places) {
      name_rows(plan_.exec(), passing_, left, plan_.num_found());
    }
    write_dropped(left + plan_.num_found(), right + plan_.num_found());
    plan_.write_unmatched(left + num_found(), right + num_found());
  }

 private:
  void write_dropped(Row* left, Row* right) const {
    if (dropped_.total == 0) return;
    using Column = Kokkos::View<Row*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(plan_.exec(), Column(right, dropped_.total), no_row<Row>);
    write_kept("hashmill::hash_join::write_dropped", plan_.exec(), passing_.num_rows,
               IsMarked{passing_.passes, false}, dropped_, 0, left);
  }

  const Plan& plan_;
  PassingRows<Row> passing_;
  PlacedTiles<MemorySpace> dropped_;
};

}  // namespace hashmill::detail
