#pragma once

#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/join/detail/condition.hpp>
#include <hashmill/join/detail/pairs.hpp>
#include <hashmill/join/detail/unmatched_entries.hpp>
#include <hashmill/join/options.hpp>
#include <hashmill/primitives/detail/expand_rows.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/primitives/detail/keys_at.hpp>
#include <hashmill/primitives/detail/select_rows.hpp>

namespace hashmill::detail {

/// A counted join of queries with a table: it knows its size, and can write its pairs. The
/// workspace must outlive it.
///
/// Without a condition it counts and writes with the kernels of `count` and `retrieve`. With one,
/// or where matches must be marked, one thread visits all matches of a query.
template <class Exec, class Probe, class Table, class Match>
class JoinPlan {
  using Ref = typename Table::ref_type;
  using Memory = typename Table::memory_space;
  static constexpr bool takes_all = std::is_same_v<Match, EveryPair>;

 public:
  using Row = typename Table::row_type;

  /// Counts the pairs. Waits for `exec`.
  ///
  /// - `keeps_left`: each query without a match is in one pair.
  /// - `keeps_right`: each row of the table that no query matches is in one pair.
  /// - `writes`: the pairs will be written, not only counted.
  JoinPlan(const Exec& exec, const Probe& probe, const Table& table, const Match& match,
           bool keeps_left, bool keeps_right, bool writes, Workspace<Memory>& workspace)
      : exec_(exec), ref_(table.ref()), probe_(probe), match_(match), keeps_left_(keeps_left) {
    const std::uint64_t n = probe.size();
    check_rows<Row>(0, n);
    offsets_ = workspace.template take<std::uint64_t>(exec, checked_add(n, 1, "queries of a join"));
    Kokkos::deep_copy(exec, Kokkos::subview(offsets_, n), std::uint64_t{0});
    if (keeps_right) {
      count_and_mark(table.entries(), writes, workspace);
    } else if constexpr (takes_all) {
      bulk_count(exec, ref_, probe_,
                 Kokkos::subview(offsets_, std::make_pair(std::uint64_t{0}, n)));
    } else {
      count_each<MatchMarks::none>();
    }
    if (keeps_left) {
      backends::for_each_index("hashmill::join::keep_left", exec, n, RoomForOne{offsets_.data()});
    }
    backends::exclusive_scan(exec, offsets_, workspace);
    num_found_ = backends::fetch(exec, offsets_, n, "hashmill::join: the total sizes the result");
  }

  /// Number of pairs.
  [[nodiscard]] std::uint64_t size() const { return num_found_ + placed_unmatched_.total; }
  /// Number of pairs with a query; the others come after them.
  [[nodiscard]] std::uint64_t num_found() const { return num_found_; }
  /// Pairs with a query come in the order of the queries.
  [[nodiscard]] bool in_left_order() const { return true; }
  /// Left rows are places among the queries.
  static constexpr bool gives_places = true;
  /// Where the pairs of each query begin, and the end of the last: `num_queries() + 1` numbers.
  [[nodiscard]] const std::uint64_t* offsets() const { return offsets_.data(); }
  [[nodiscard]] std::uint64_t num_queries() const { return probe_.size(); }
  [[nodiscard]] const Exec& exec() const { return exec_; }
  /// Among how many row numbers, or rows of a list, the unmatched rows are. 0 if all rows are
  /// matched.
  [[nodiscard]] std::uint64_t num_candidates() const {
    const std::uint64_t total = placed_unmatched_.total;
    return total == 0 || is_listed() ? total : unmatched_.count;
  }

  /// Writes `size()` pairs. Asynchronous.
  void write(Row* left, Row* right) const {
    write_found(left, right);
    write_unmatched(left + num_found_, right + num_found_);
  }
  /// Writes only the pairs with a query. Asynchronous.
  void write_found(Row* left, Row* right) const {
    write_found({0, num_queries()}, offsets(), num_found_, left, right);
  }
  /// Writes only the pairs without a query. Asynchronous.
  void write_unmatched(Row* left, Row* right) const {
    write_unmatched({0, num_candidates()}, placed_unmatched_, left, right);
  }

  /// Writes the `total` pairs of a range of queries. `offsets` tells where the pairs of each begin.
  /// Asynchronous.
  void write_found(const RowRange& range, const std::uint64_t* offsets, std::uint64_t total,
                   Row* left, Row* right) const {
    if (keeps_left_) Kokkos::deep_copy(exec_, RowsView(right, total), no_row<Row>);
    const KeysAt<KeyAccess<Probe>, RowsFrom<>, Memory> queries{
        key_access(probe_), {range.first}, range.count};
    if constexpr (takes_all) {
      fill_rows(exec_, ref_, queries, offsets, right);
    } else {
      for_each_query("hashmill::join::write", exec_, ref_, queries,
                     WritePairsEach<Ref, Row, Match>{ref_, match_, range.first, offsets, right});
    }
    expand_rows("hashmill::join::expand", exec_, offsets, range.count, range.first, total, left);
  }

  /// Counts the unmatched rows among a range of candidates. Waits for `exec`.
  [[nodiscard]] PlacedTiles<Memory> place_unmatched(const RowRange& range,
                                                    Workspace<Memory>& workspace) const {
    if (is_listed()) return {{}, range.count};
    return place_kept<Row>("hashmill::join::count_unmatched", exec_, range.count,
                           KeepInRange{unmatched_, range.first}, workspace);
  }

  /// Writes the pairs of the unmatched rows in a range of candidates. Asynchronous.
  void write_unmatched(const RowRange& range, const PlacedTiles<Memory>& placed, Row* left,
                       Row* right) const {
    if (placed.total == 0) return;
    Kokkos::deep_copy(exec_, RowsView(left, placed.total), no_row<Row>);
    if (is_listed()) {
      Kokkos::deep_copy(exec_, RowsView(right, placed.total),
                        RowsView(listed_.data() + range.first, placed.total));
      return;
    }
    write_kept("hashmill::join::write_unmatched", exec_, range.count,
               KeepInRange{unmatched_, range.first}, placed, unmatched_.first + range.first, right);
  }

 private:
  using RowsView = Kokkos::View<Row*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  [[nodiscard]] bool is_listed() const { return listed_.data() != nullptr; }

  /// Counts the pairs with a query, and the rows of the table that no query matches. Waits for
  /// `exec`.
  template <class Parts>
  void count_and_mark(const Parts& parts, [[maybe_unused]] bool writes,
                      Workspace<Memory>& workspace) {
    if (enter_rows(exec_, parts, unmatched_, workspace)) {
      count_each<MatchMarks::rows>();
      placed_unmatched_ = place_unmatched({0, unmatched_.count}, workspace);
    } else if constexpr (PositionedParts<Parts>) {
      unmatched_ = all_unmatched(exec_, parts.num_positions(), workspace);
      count_each<MatchMarks::positions>();
      const UnmatchedEntries<Parts, Row> entries{parts, unmatched_};
      placed_unmatched_ = place_item_tiles("hashmill::join::count_unmatched", exec_, entries,
                                           parts.size(), workspace);
      if (writes) listed_ = list_unmatched(exec_, entries, placed_unmatched_, workspace);
    }
  }
  template <MatchMarks Marks>
  void count_each() const {
    for_each_query(
        "hashmill::join::count", exec_, ref_, probe_,
        CountPairsEach<Ref, Row, Match, Marks>{ref_, match_, unmatched_, offsets_.data()});
  }

  Exec exec_;
  Ref ref_;
  Probe probe_;
  Match match_;
  bool keeps_left_;
  typename Workspace<Memory>::template Array<std::uint64_t> offsets_;
  UnmatchedRows unmatched_{};
  typename Workspace<Memory>::template Array<Row>
      listed_;  // by number, where bits are of positions
  std::uint64_t num_found_ = 0;
  PlacedTiles<Memory> placed_unmatched_;
};

/// Whether a join of that kind has pairs for rows of that side without a partner.
[[nodiscard]] constexpr bool keeps_left(JoinKind kind) {
  return kind == JoinKind::left || kind == JoinKind::full;
}
[[nodiscard]] constexpr bool keeps_right(JoinKind kind) {
  return kind == JoinKind::right || kind == JoinKind::full;
}

/// Refuses right and full joins with tables of unique keys. These may lack rows, so the rows that
/// no query matches cannot be told.
template <class Table>
void require_all_rows([[maybe_unused]] JoinKind kind) {
  if constexpr (requires { requires Table::unique; }) {
    if (!keeps_right(kind)) return;
    throw InvalidArgument(
        "join: a table of unique keys has one row of each key, so a right or full join with it "
        "would lose the others");
  }
}

/// Counts a join of that kind. `writes`: see JoinPlan.
template <class Exec, class Probe, class Table, class Match>
JoinPlan<Exec, Probe, Table, Match> plan_join(const Exec& exec, JoinKind kind, const Probe& left,
                                              const Table& right, const Match& match, bool writes,
                                              Workspace<typename Table::memory_space>& workspace) {
  require_condition<Match>();
  static_assert(Table::has_rows, "hashmill::join: this table stores keys without rows");
  require_accessible_table<Exec, typename Table::memory_space>();
  check_single_keys<Exec>(left);
  require_all_rows<Table>(kind);
  return {exec, left, right, match, keeps_left(kind), keeps_right(kind), writes, workspace};
}

}  // namespace hashmill::detail
