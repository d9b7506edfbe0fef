#pragma once

#include <hashmill/backends/fetch.hpp>
#include <hashmill/join/detail/count_item_pairs.hpp>
#include <hashmill/join/detail/keep_pairs_together.hpp>
#include <hashmill/join/detail/note_item_pairs.hpp>
#include <hashmill/join/detail/write_item_pairs.hpp>
#include <hashmill/join/options.hpp>
#include <hashmill/primitives/detail/sized_output.hpp>

namespace hashmill::detail {

/// The values of the records of a side that nothing matched, as items of a sized output.
template <class Record, class Row>
struct UnmatchedValues {
  UnmatchedRows rows;
  const Record* records;
  Row* out;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size(std::uint64_t i) const {
    return rows(i) ? 1 : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t fill(std::uint64_t i, std::uint64_t place) const {
    if (rows(i)) out[place++] = second_of(records[i]);
    return place;
  }
};

/// What is asked of a partitioned join beside its size. Unmatched rows can be asked for only if the
/// values of both sides are row numbers.
struct JoinWishes {
  bool unmatched_left = false;   ///< one pair for each left row without a match
  bool unmatched_right = false;  ///< one pair for each right row without a match
  bool pairs = true;             ///< pairs will be written, not only counted
};

/// A counted partitioned hash join: it knows its size, and can write its pairs. Both sides are
/// partitioned until the right rows of a part are a table in scratch or in a private cache. So no
/// look-up goes to memory. The workspace must outlive it.
///
/// Source: in the spirit of PRO (Balkesen et al., "Main-memory hash joins on multi-core CPUs", ICDE
/// 2013, section 4), for GPUs too.
///
/// Each pass of partitioning reads a record twice and writes it once. Counting reads it once more.
/// Inner joins keep pairs while they count them, as far as these find room in the memory of the
/// left records (see KeepItemPairs). Writing reads records again where some did not.
///
/// Parts with more rows than a table holds (skew) are joined in pieces, by one team per piece.
///
/// `Left` and `Right` tell what the records of the sides mean, such as KeyedRecords.
template <class Exec, class Left, class Right, class Match, class Row, class MemorySpace>
class PartitionedJoin {
  using Parts = JoinParts<Left, Right, Row>;
  static constexpr bool team = backends::has_wide_teams<Exec>;

 public:
  using LeftValue = typename Left::Value;
  using RightValue = typename Right::Value;

  /// Partitions both sides, further if they are in parts, and counts the pairs. Waits for `exec`.
  template <class LeftSide, class RightSide>
  PartitionedJoin(const Exec& exec, const LeftSide& left, const RightSide& right,
                  const SidesInParts& parts, const Match& match, const JoinWishes& wishes,
                  Workspace<MemorySpace>& workspace)
      : exec_(exec),
        match_(match),
        parts_(partition_sides<Row>(exec, left, right, parts, num_items_, workspace)),
        places_(workspace.template take<std::uint64_t>(exec, num_items_ + 1)) {
    if (wishes.unmatched_left) unmatched_left_ = all_unmatched(exec, left.size(), workspace);
    if (wishes.unmatched_right) unmatched_right_ = all_unmatched(exec, right.size(), workspace);
    count(wishes, workspace);
  }

  /// Number of pairs.
  [[nodiscard]] std::uint64_t size() const { return num_found() + placed_right_.total; }
  /// Number of pairs with a left row; the others come after them.
  [[nodiscard]] std::uint64_t num_found() const { return num_matches_ + placed_left_.total; }
  [[nodiscard]] bool in_left_order() const { return false; }
  [[nodiscard]] const Exec& exec() const { return exec_; }
  /// Left rows are what the left side calls them, not places in a list.
  static constexpr bool gives_places = false;

  /// Writes `size()` pairs: the matches, then the left rows without a match, then the right rows
  /// without one. Asynchronous.
  void write(LeftValue* left, RightValue* right) const {
    write_found(left, right);
    write_unmatched(left + num_found(), right + num_found());
  }
  /// Writes only the pairs with a left row. Asynchronous.
  void write_found(LeftValue* left, RightValue* right) const {
    using Write = WriteItemPairs<Exec, Parts, Match>;
    if constexpr (team && keeps_pairs) {
      if (num_matches_ != 0 && kept_.data() != nullptr) {
        launch_tiles<team, Kokkos::TeamPolicy<Exec>>(
            "hashmill::join::write_kept", exec_, num_items_, 0,
            WriteKeptPairs<Exec, Parts>{parts_, places_.data(), kept_.data(), left, right});
      }
    }
    if (num_matches_ != 0) {
      launch_tiles<team, Kokkos::TeamPolicy<Exec>>(
          "hashmill::join::write_parts", exec_, num_items_, Write::scratch_bytes(parts_.items.plan),
          Write{parts_, match_, places_.data(), left, right, kept_.data()});
    }
    if constexpr (pairs_rows) {
      write_alone(left_values(left + num_matches_), placed_left_, right + num_matches_);
    }
  }
  /// Writes only the pairs without a left row. Asynchronous.
  void write_unmatched([[maybe_unused]] LeftValue* left, [[maybe_unused]] RightValue* right) const {
    if constexpr (pairs_rows) write_alone(right_values(right), placed_right_, left);
  }

 private:
  static constexpr bool pairs_rows =
      std::is_same_v<LeftValue, Row> && std::is_same_v<RightValue, Row>;

  static constexpr bool keeps_pairs = fits_pair<Left, Right, team>();

  /// Whether anybody asks which rows match.
  [[nodiscard]] bool notes_rows() const {
    return unmatched_left_.asked() || unmatched_right_.asked();
  }
  void count(const JoinWishes& wishes, Workspace<MemorySpace>& workspace) {
    if (keeps_pairs && wishes.pairs && !notes_rows()) {
      kept_ = workspace.template take<KeptPairs>(exec_, num_items_);
    }
    Kokkos::deep_copy(exec_, Kokkos::subview(places_, num_items_), std::uint64_t{0});
    if (num_items_ != 0) count_items();
    backends::exclusive_scan(exec_, places_, workspace);
    num_matches_ =
        backends::fetch(exec_, places_, num_items_, "hashmill::join: the total sizes the result");
    if constexpr (pairs_rows) {
      if (wishes.unmatched_left) placed_left_ = place(left_values(nullptr), workspace);
      if (wishes.unmatched_right) placed_right_ = place(right_values(nullptr), workspace);
    }
  }
  void count_items() {
    const JoinPartPlan& plan = parts_.items.plan;
    const std::size_t scratch = JoinPartTable<Exec, Right>::scratch_bytes(plan);
    const auto launch_with = [&](std::size_t bytes, const auto& kernel) {
      launch_tiles<team, Kokkos::TeamPolicy<Exec>>("hashmill::join::count_parts", exec_, num_items_,
                                                   bytes, kernel);
    };
    const auto launch = [&](const auto& kernel) { launch_with(scratch, kernel); };
    if constexpr (pairs_rows) {
      if (notes_rows()) {
        using Note = NoteItemPairs<Exec, Parts, Match>;
        launch(Note{parts_, match_, unmatched_left_, unmatched_right_, places_.data()});
        return;
      }
    }
    if constexpr (keeps_pairs) {
      if (kept_.data() != nullptr) {
        if constexpr (team) {
          using Keep = KeepPairsTogether<Exec, Parts, Match>;
          launch_with(Keep::scratch_bytes(plan),
                      Keep{parts_, match_, places_.data(), kept_.data()});
        } else {
          launch(KeepItemPairs<Exec, Parts, Match>{parts_, match_, places_.data(), kept_.data()});
        }
        return;
      }
    }
    launch(CountItemPairs<Exec, Parts, Match>{parts_, match_, places_.data()});
  }

  [[nodiscard]] auto left_values(Row* out) const {
    return UnmatchedValues<typename Left::record_type, Row>{unmatched_left_, parts_.left_records,
                                                            out};
  }
  [[nodiscard]] auto right_values(Row* out) const {
    return UnmatchedValues<typename Right::record_type, Row>{unmatched_right_, parts_.right_records,
                                                             out};
  }
  template <class Values>
  [[nodiscard]] PlacedTiles<MemorySpace> place(const Values& values,
                                               Workspace<MemorySpace>& workspace) const {
    return place_item_tiles("hashmill::join::count_unmatched", exec_, values, values.rows.count,
                            workspace);
  }
  /// Writes unmatched rows of a side to where `values` says, and `no_row` beside them.
  template <class Values>
  void write_alone(const Values& values, const PlacedTiles<MemorySpace>& placed,
                   Row* beside) const {
    if (placed.total == 0) return;
    using Beside = Kokkos::View<Row*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(exec_, Beside(beside, placed.total), no_row<Row>);
    fill_item_tiles("hashmill::join::write_unmatched", exec_, values, values.rows.count, placed);
  }

  Exec exec_;
  Match match_;
  std::uint64_t num_items_ = 0;
  Parts parts_;
  typename Workspace<MemorySpace>::template Array<std::uint64_t> places_;
  typename Workspace<MemorySpace>::template Array<KeptPairs> kept_;
  UnmatchedRows unmatched_left_, unmatched_right_;
  std::uint64_t num_matches_ = 0;
  PlacedTiles<MemorySpace> placed_left_, placed_right_;
};

}  // namespace hashmill::detail
