#pragma once

#include <hashmill/join/detail/intersect_entries.hpp>

namespace hashmill::detail {

/// The counted pairs of two tables over one hash range. It knows their number, and can write them.
/// Both tables and the frame of the workspace must outlive it.
template <class Exec, class RefA, class RefB, class MemorySpace>
class IntersectPlan {
  using Work = IntersectEntries<RefA, RefB>;

 public:
  using RowA = typename Work::RowA;
  using RowB = typename Work::RowB;

  /// Counts the pairs. `num_positions`: number of positions of entries in `a`. Waits for `exec`.
  IntersectPlan(const Exec& exec, const RefA& a, const RefB& b, std::uint64_t num_positions,
                Workspace<MemorySpace>& workspace)
      : exec_(exec),
        work_{a, b},
        num_positions_(num_positions),
        placed_(
            place_item_tiles("hashmill::intersect::size", exec, work_, num_positions, workspace)) {}

  /// Number of pairs. All have a row of both tables.
  [[nodiscard]] std::uint64_t size() const { return placed_.total; }
  [[nodiscard]] std::uint64_t num_found() const { return placed_.total; }
  [[nodiscard]] bool in_left_order() const { return false; }

  /// Writes `size()` pairs. Asynchronous.
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

/// Returns the number of pairs of two tables over one hash range. Waits for `exec`.
template <class Exec, class TableA, class TableB>
[[nodiscard]] std::uint64_t count_intersection(const Exec& exec, const TableA& a, const TableB& b) {
  using Work = IntersectEntries<typename TableA::ref_type, typename TableB::ref_type>;
  return total_of_items("hashmill::intersect::count", exec, Work{a.ref(), b.ref()},
                        a.num_positions());
}

/// Counts the pairs of two tables on `exec`. Temporary memory comes from the caller's frame.
template <class Exec, class TableA, class TableB, class MemorySpace>
[[nodiscard]] auto plan_intersect(const Exec& exec, const TableA& a, const TableB& b,
                                  Workspace<MemorySpace>& workspace) {
  return IntersectPlan<Exec, typename TableA::ref_type, typename TableB::ref_type, MemorySpace>(
      exec, a.ref(), b.ref(), a.num_positions(), workspace);
}

}  // namespace hashmill::detail
