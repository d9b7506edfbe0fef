#pragma once

#include <hashmill/join/detail/intersect_entries.hpp>

namespace hashmill::detail {

/// The pairs of two tables over one hash range, counted: it knows their number, and then writes
/// them. Both tables and the frame of the workspace must outlive it.
template <class Exec, class RefA, class RefB, class MemorySpace>
class IntersectPlan {
  using Work = IntersectEntries<RefA, RefB>;

 public:
  using RowA = typename Work::RowA;
  using RowB = typename Work::RowB;

  /// `num_positions`: of the entries of `a`. Waits for `exec`.
  IntersectPlan(const Exec& exec, const RefA& a, const RefB& b, std::uint64_t num_positions,
                Workspace<MemorySpace>& workspace)
      : exec_(exec),
        work_{a, b},
        num_positions_(num_positions),
        placed_(
            place_item_tiles("hashmill::intersect::size", exec, work_, num_positions, workspace)) {}

  /// Number of pairs; all have a row of both tables.
  [[nodiscard]] std::uint64_t size() const { return placed_.total; }
  [[nodiscard]] std::uint64_t num_found() const { return placed_.total; }
  [[nodiscard]] bool in_left_order() const { return false; }

  /// Writes `size()` pairs; asynchronous.
  void write(RowA* left, RowB* right) const {
    Work work = work_;
    work.left = left;
    work.right = right;
    fill_item_tiles("hashmill::intersect::fill", exec_, work, num_positions_, placed_);
  }

 private:
  Exec exec_;
  Work work_;
  std::uint64_t num_positions_;
  PlacedTiles<MemorySpace> placed_;
};

/// Number of pairs of two tables over one hash range; waits for `exec`.
template <class Exec, class TableA, class TableB>
[[nodiscard]] std::uint64_t count_intersection(const Exec& exec, const TableA& a, const TableB& b) {
  using Work = IntersectEntries<typename TableA::ref_type, typename TableB::ref_type>;
  return total_of_items("hashmill::intersect::count", exec, Work{a.ref(), b.ref()},
                        a.num_positions());
}

/// The plan of two tables on `exec`, with temporary memory of the caller's frame.
template <class Exec, class TableA, class TableB, class MemorySpace>
[[nodiscard]] auto plan_intersect(const Exec& exec, const TableA& a, const TableB& b,
                                  Workspace<MemorySpace>& workspace) {
  return IntersectPlan<Exec, typename TableA::ref_type, typename TableB::ref_type, MemorySpace>(
      exec, a.ref(), b.ref(), a.num_positions(), workspace);
}

}  // namespace hashmill::detail
