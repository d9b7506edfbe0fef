#pragma once

#include <hashmill/detail/join/count_item_pairs.hpp>
#include <hashmill/detail/join/write_item_pairs.hpp>
#include <hashmill/detail/select_rows.hpp>
#include <hashmill/join_options.hpp>

namespace hashmill::detail {

/// A partitioned hash join, counted: it knows its size, and then writes its pairs. In the spirit of
/// PRO (Balkesen et al., "Main-memory hash joins on multi-core CPUs", ICDE 2013, section 4), for
/// GPUs too: both sides are partitioned until a part of the right side is a table in scratch or a
/// private cache, so that no look-up goes to memory. The workspace must outlive it.
///
/// Each pass of partitioning reads a record twice and writes it once; counting and writing read
/// each once more. Parts with more rows than a table holds (skew) are joined in pieces by as many
/// teams.
template <class Exec, class Right, class Left, class Match, class Row, class MemorySpace>
class PartitionedJoin {
  using Parts = JoinParts<Right, Left, Row>;
  static constexpr bool team = backends::has_wide_teams<Exec>;

 public:
  using LeftValue = typename Left::Value;
  using RightValue = typename Right::Value;

  /// Counts; waits for `exec`. `kept_left`, `kept_right`: rows below these numbers that have no
  /// match are in one pair; above 0 only where the sides' values are the numbers of their rows.
  PartitionedJoin(const Exec& exec, const Right& right, const Left& left, const Match& match,
                  std::uint64_t kept_left, std::uint64_t kept_right,
                  Workspace<MemorySpace>& workspace)
      : exec_(exec),
        match_(match),
        parts_(partition_sides<Row>(exec, right, left, num_items_, workspace)),
        places_(workspace.template take<std::uint64_t>(exec, num_items_ + 1)),
        unmatched_left_(kept_left == 0 ? UnmatchedRows{}
                                       : all_unmatched(exec, kept_left, workspace)),
        unmatched_right_(kept_right == 0 ? UnmatchedRows{}
                                         : all_unmatched(exec, kept_right, workspace)) {
    using Count = CountItemPairs<Exec, Parts, Match>;
    Kokkos::deep_copy(exec, Kokkos::subview(places_, num_items_), std::uint64_t{0});
    if (num_items_ != 0) {
      launch_tiles<team, Kokkos::TeamPolicy<Exec>>(
          "hashmill::join::count_parts", exec, num_items_,
          JoinPartTable<Exec, Right>::scratch_bytes(parts_.items.plan),
          Count{parts_, match, {unmatched_left_}, {unmatched_right_}, places_.data()});
    }
    backends::exclusive_scan(exec, places_, workspace);
    Kokkos::deep_copy(exec, num_matches_, Kokkos::subview(places_, num_items_));
    exec.fence("hashmill::join: the total sizes the result");
    placed_left_ = place_unmatched(unmatched_left_, workspace);
    placed_right_ = place_unmatched(unmatched_right_, workspace);
  }

  /// Number of pairs.
  [[nodiscard]] std::uint64_t size() const {
    return num_matches_ + placed_left_.total + placed_right_.total;
  }

  /// Number of pairs with a left row; the others come after them.
  [[nodiscard]] std::uint64_t num_found() const { return num_matches_ + placed_left_.total; }
  [[nodiscard]] bool in_left_order() const { return false; }

  /// Writes `size()` pairs: matches, then rows of the left side and of the right side without one;
  /// asynchronous.
  void write(LeftValue* left, RightValue* right) const {
    using Write = WriteItemPairs<Exec, Parts, Match>;
    if (num_matches_ != 0) {
      launch_tiles<team, Kokkos::TeamPolicy<Exec>>(
          "hashmill::join::write_parts", exec_, num_items_, Write::scratch_bytes(parts_.items.plan),
          Write{parts_, match_, places_.data(), left, right});
    }
    if constexpr (std::is_same_v<LeftValue, Row> && std::is_same_v<RightValue, Row>) {
      write_unmatched(unmatched_left_, placed_left_, left + num_matches_, right + num_matches_);
      const std::uint64_t before = num_matches_ + placed_left_.total;
      write_unmatched(unmatched_right_, placed_right_, right + before, left + before);
    }
  }

 private:
  PlacedTiles<MemorySpace> place_unmatched(const UnmatchedRows& rows,
                                           Workspace<MemorySpace>& workspace) const {
    if (rows.count == 0) return {};
    return place_kept<Row>("hashmill::join::count_unmatched", exec_, rows.count, rows, workspace);
  }
  /// Row numbers into `out`, and no row beside them.
  void write_unmatched(const UnmatchedRows& rows, const PlacedTiles<MemorySpace>& placed, Row* out,
                       Row* beside) const {
    if (placed.total == 0) return;
    using Beside = Kokkos::View<Row*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(exec_, Beside(beside, placed.total), no_row<Row>);
    write_kept("hashmill::join::write_unmatched", exec_, rows.count, rows, placed, 0, out);
  }

  Exec exec_;
  Match match_;
  std::uint64_t num_items_ = 0;
  Parts parts_;
  typename Workspace<MemorySpace>::template Array<std::uint64_t> places_;
  UnmatchedRows unmatched_left_, unmatched_right_;
  std::uint64_t num_matches_ = 0;
  PlacedTiles<MemorySpace> placed_left_, placed_right_;
};

}  // namespace hashmill::detail
