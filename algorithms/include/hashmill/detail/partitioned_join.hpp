#pragma once

#include <hashmill/backends/lanes.hpp>
#include <hashmill/detail/join_items.hpp>
#include <hashmill/detail/matched_rows.hpp>
#include <hashmill/detail/select_rows.hpp>
#include <hashmill/join_options.hpp>

namespace hashmill::detail {

/// The table of an item, and the matches of a row of the left side in it.
template <class Exec, class Parts, class Match>
class JoinItemTable {
  using Right = decltype(Parts::right_side);
  using Left = decltype(Parts::left_side);
  using RightRecord = typename Right::record_type;
  using LeftRecord = typename Left::record_type;

 public:
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION JoinItemTable(const Member& team, const Parts& parts,
                                            const Match& match, const JoinItem& item)
      : parts_(parts),
        match_(match),
        left_rows_(parts.left.records + item.left_begin),
        table_(team, parts.plan, parts.right_side, parts.right.records + item.right_begin,
               item.right_count) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION LeftRecord left(std::uint32_t j) const {
    return left_rows_[j];
  }
  /// How many right rows match.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count(const LeftRecord& left) const {
    if constexpr (std::is_same_v<Match, EveryPair>) {
      return table_.count(parts_.left_side, left);
    } else {
      std::uint32_t rows = 0;
      for_each_match(left, CountMatch{&rows});
      return rows;
    }
  }
  /// The rows among which the matches of `left` are.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION JoinRun run(const LeftRecord& left) const {
    return table_.run(parts_.left_side.hash(left));
  }
  /// Whether row `j` of them matches; `value` becomes its value.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool matches(const LeftRecord& left, std::uint32_t j,
                                                         typename Right::Value& value) const {
    const RightRecord right = table_.row(j);
    value = right.second;
    return parts_.right_side.same_key(right, parts_.left_side, left) &&
           match_(left.second, right.second);
  }
  /// Calls `use(value)` with that of each right row that matches.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const LeftRecord& left, const Use& use) const {
    table_.for_each_match(parts_.left_side, left, UseIfMatch<Use>{match_, use, left});
  }

 private:
  template <class Use>
  struct UseIfMatch {
    const Match& match;
    const Use& use;
    const LeftRecord& left;
    KOKKOS_FORCEINLINE_FUNCTION void operator()(const RightRecord& right) const {
      if (match(left.second, right.second)) use(right.second);
    }
  };
  struct CountMatch {
    std::uint32_t* rows;
    KOKKOS_FORCEINLINE_FUNCTION void operator()(const typename Right::Value&) const { ++*rows; }
  };
  const Parts& parts_;
  const Match& match_;
  const LeftRecord* left_rows_;
  JoinPartTable<Exec, Right> table_;
};

/// Counts, and keeps the last value: rows with one match need no second walk.
template <class Value>
struct CountAndKeep {
  std::uint32_t* count;
  Value* kept;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Value& value) const {
    ++*count;
    *kept = value;
  }
};

/// Notes that a row of a side has a match, where somebody asks.
struct NoteMatched {
  UnmatchedRows unmatched;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool nobody_asks() const {
    return unmatched.bits.words == nullptr;
  }
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Value& value) const {
    if constexpr (RowNumber<Value>) {
      if (!nobody_asks()) unmatched.match(value);
    }
  }
};

template <class Value>
struct CountAndNote {
  std::uint64_t* count;
  const NoteMatched& note;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Value& value) const {
    ++*count;
    note(value);
  }
};

/// Counts the pairs of each item, and notes which rows are in one.
template <class Exec, class Parts, class Match>
struct CountItemPairs {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using RightValue = typename decltype(Parts::right_side)::Value;
  Parts parts;
  Match match;
  NoteMatched note_left, note_right;
  std::uint64_t* sizes;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const JoinItem item = parts.item(number);
    const Table table(team, parts, match, item);
    std::uint64_t sum = note_left.nobody_asks() && note_right.nobody_asks()
                            ? count(team, table, item)
                            : count_and_note(team, table, item);
    team.team_reduce(Kokkos::Sum<std::uint64_t>(sum));
    if (team.team_rank() == 0) sizes[number] = sum;
  }

 private:
  using Table = JoinItemTable<Exec, Parts, Match>;
  static constexpr std::uint32_t size = backends::team_threads<Exec>;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count(const Member& team,
                                                                const Table& table,
                                                                const JoinItem& item) const {
    std::uint64_t sum = 0;
    for (std::uint32_t j = team.team_rank(); j < item.left_count; j += size) {
      sum += table.count(table.left(j));
    }
    return sum;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count_and_note(
      const Member& team, const Table& table, const JoinItem& item) const {
    std::uint64_t sum = 0;
    for (std::uint32_t j = team.team_rank(); j < item.left_count; j += size) {
      const auto left = table.left(j);
      const std::uint64_t before = sum;
      table.for_each_match(left, CountAndNote<RightValue>{&sum, note_right});
      if (sum != before) note_left(left.second);
    }
    return sum;
  }
};

template <class Value, class Out>
struct AppendMatch {
  Out* out;
  std::uint64_t* place;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Value& value) const { out[(*place)++] = value; }
};

/// Writes the pairs of each item. Lanes of a group take a run of places together, so that what they
/// write is neighbouring; the matches of rows that have many they also find together.
template <class Exec, class Parts, class Match>
struct WriteItemPairs {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Lanes = backends::LaneGroup<Exec>;
  using Table = JoinItemTable<Exec, Parts, Match>;
  using LeftRecord = typename decltype(Parts::left_side)::record_type;
  using LeftValue = typename decltype(Parts::left_side)::Value;
  using RightValue = typename decltype(Parts::right_side)::Value;
  /// Matches that a lane writes alone, where there are others.
  static constexpr std::uint32_t few = Lanes::lanes > 1 ? 2 : ~std::uint32_t{0};
  Parts parts;
  Match match;
  const std::uint64_t* places;
  LeftValue* left_out;
  RightValue* right_out;

  [[nodiscard]] static std::size_t scratch_bytes(const JoinPartPlan& plan) {
    return JoinPartTable<Exec, decltype(Parts::right_side)>::scratch_bytes(plan) +
           2 * sizeof(std::uint64_t);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const std::uint64_t begin = places[number];
    if (places[number + 1] == begin) return;
    const JoinItem item = parts.item(number);
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    auto* taken =
        static_cast<std::uint32_t*>(team.team_scratch(backends::has_wide_teams<Exec> ? 0 : 1)
                                        .get_shmem_aligned(sizeof(std::uint32_t), 8));
    if (rank == 0) *taken = 0;  // seen by all behind the table's barriers
    const Table table(team, parts, match, item);
    if constexpr (!backends::has_wide_teams<Exec>) {
      write_alone(table, item, begin);
      return;
    }
    const std::uint64_t pairs = places[number + 1] - begin;
    write_together(team, table, item, begin, taken, pairs > few * item.left_count);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void write(const Table& table, const LeftRecord& left,
                                         const RightValue& kept, std::uint32_t count,
                                         std::uint64_t place) const {
    for (std::uint32_t k = 0; k < count; ++k) left_out[place + k] = left.second;
    if (count == 1) {
      right_out[place] = kept;
    } else {
      table.for_each_match(left, AppendMatch<RightValue, RightValue>{right_out, &place});
    }
  }
  /// A team of one thread writes behind itself and need not count.
  KOKKOS_FORCEINLINE_FUNCTION void write_alone(const Table& table, const JoinItem& item,
                                               std::uint64_t place) const {
    for (std::uint32_t j = 0; j < item.left_count; ++j) {
      const LeftRecord left = table.left(j);
      const std::uint64_t begin = place;
      table.for_each_match(left, AppendMatch<RightValue, RightValue>{right_out, &place});
      for (std::uint64_t k = begin; k < place; ++k) left_out[k] = left.second;
    }
  }
  /// The rows of groups of lanes; `many`: some may have more than a few matches.
  KOKKOS_FORCEINLINE_FUNCTION void write_together(const Member& team, const Table& table,
                                                  const JoinItem& item, std::uint64_t begin,
                                                  std::uint32_t* taken, bool many) const {
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const Lanes lanes(rank);
    for (std::uint32_t first = rank - lanes.lane(); first < item.left_count; first += size) {
      const std::uint32_t j = first + lanes.lane();
      LeftRecord left{};
      RightValue kept{};
      std::uint32_t count = 0;
      if (j < item.left_count) {
        left = table.left(j);
        table.for_each_match(left, CountAndKeep<RightValue>{&count, &kept});
      }
      std::uint32_t total = 0, base = 0;
      const std::uint32_t before = lanes.sum_before(count, total);
      if (total == 0) continue;
      if (lanes.lane() == 0) base = backends::team_fetch_add<Exec>(taken, total);
      const std::uint64_t group_place = begin + lanes.broadcast(base, 0);
      if (count != 0 && (!many || count <= few)) {
        write(table, left, kept, count, group_place + before);
      }
      if (many) write_many(lanes, table, first, count, group_place, before);
    }
  }
  /// The lanes write the matches of each row of their group that has many.
  KOKKOS_FORCEINLINE_FUNCTION void write_many(const Lanes& lanes, const Table& table,
                                              std::uint32_t first, std::uint32_t count,
                                              std::uint64_t group_place,
                                              std::uint32_t before) const {
    for (unsigned owner = 0; owner < Lanes::lanes; ++owner) {
      if (lanes.broadcast(count, owner) <= few) continue;
      const LeftRecord left = table.left(first + owner);
      const JoinRun run = table.run(left);
      std::uint64_t place = group_place + lanes.broadcast(before, owner);
      for (std::uint32_t j = run.begin; j < run.end; j += Lanes::lanes) {
        RightValue value{};
        const bool mine =
            j + lanes.lane() < run.end && table.matches(left, j + lanes.lane(), value);
        std::uint32_t total = 0;
        const std::uint64_t mine_at = place + lanes.sum_before(mine ? 1 : 0, total);
        place += total;
        if (!mine) continue;
        left_out[mine_at] = left.second;
        right_out[mine_at] = value;
      }
    }
  }
};

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
          JoinPartTable<Exec, Right>::scratch_bytes(parts_.plan),
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
          "hashmill::join::write_parts", exec_, num_items_, Write::scratch_bytes(parts_.plan),
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
