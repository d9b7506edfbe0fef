#pragma once

#include <array>
#include <hashmill/capacity.hpp>
#include <hashmill/detail/expand_rows.hpp>
#include <hashmill/detail/key_access.hpp>
#include <hashmill/detail/mark_join.hpp>
#include <hashmill/detail/matched_rows.hpp>

namespace hashmill::detail {

/// What a visit of a query's matches does with those that pass the caller's condition.
template <class Row, class Match, class Use>
struct VisitPair {
  const Match& match;
  const Use& use;
  Row left;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Row right) const {
    if (match(left, right)) use(right);
  }
};

template <class Row>
struct CountPair {
  std::uint64_t* count;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Row) const { ++*count; }
};

/// Counts, and tells which rows of the table were matched.
template <class Row>
struct CountAndMark {
  std::uint64_t* count;
  const UnmatchedRows& unmatched;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Row right) const {
    ++*count;
    unmatched.match(right);
  }
};

/// Counts the pairs of each query, one thread a query.
template <class Ref, class Row, class Match, bool Marks>
struct CountPairsEach {
  Ref ref;
  Match match;
  UnmatchedRows unmatched;
  std::uint64_t* sizes;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    std::uint64_t count = 0;
    const auto left = static_cast<Row>(i);
    if constexpr (Marks) {
      const CountAndMark<Row> use{&count, unmatched};
      ref.for_each_match(key, VisitPair<Row, Match, CountAndMark<Row>>{match, use, left});
    } else {
      const CountPair<Row> use{&count};
      ref.for_each_match(key, VisitPair<Row, Match, CountPair<Row>>{match, use, left});
    }
    sizes[i] = count;
  }
};

/// Writes the pairs of each query where its offset says, one thread a query.
template <class Ref, class Row, class Match>
struct WritePairsEach {
  Ref ref;
  Match match;
  std::uint64_t first;  // number of query 0
  const std::uint64_t* offsets;
  Row* right;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    const AppendRow<Row> use{right + offsets[i]};
    const auto left = static_cast<Row>(first + i);
    ref.for_each_match(key, VisitPair<Row, Match, AppendRow<Row>>{match, use, left});
  }
};

/// Gives queries without a match the room of one.
struct RoomForOne {
  std::uint64_t* sizes;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (sizes[i] == 0) sizes[i] = 1;
  }
};

/// Consecutive queries of others.
template <class Queries>
struct QueryRange {
  Queries queries;
  std::uint64_t first;
  std::uint64_t count;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) operator()(std::uint64_t i) const {
    return queries(first + i);
  }
};

/// The offsets of a range of queries, from 0.
struct ShiftOffsets {
  const std::uint64_t* offsets;
  std::uint64_t first;
  std::uint64_t* shifted;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    shifted[i] = offsets[first + static_cast<std::uint64_t>(i)] - offsets[first];
  }
};

/// The largest number of pairs of one query.
struct LargestSize {
  const std::uint64_t* offsets;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& largest) const {
    const std::uint64_t size = offsets[i + 1] - offsets[i];
    if (size > largest) largest = size;
  }
};

/// Where a chunk of queries ends that begins at one: `end[0]` is the query, `end[1]` the pairs.
struct FindChunkEnd {
  const std::uint64_t* offsets;
  std::uint64_t num_queries;
  std::uint64_t first;
  std::uint64_t most_pairs;
  std::uint64_t* end;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    std::uint64_t low = first, high = num_queries + 1;
    while (high - low > 1) {  // invariant: [first, low) fits, [first, high) does not
      const std::uint64_t middle = low + (high - low) / 2;
      (offsets[middle] - offsets[first] <= most_pairs ? low : high) = middle;
    }
    end[0] = low;
    end[1] = offsets[low] - offsets[first];
  }
};

/// A join of queries with a table, counted: it knows its size, and then writes its pairs. The
/// workspace must outlive it.
///
/// Without a condition it counts and writes with the kernels of `count` and `retrieve`; with one,
/// or where matches must be marked, a thread visits all matches of its query.
template <class Exec, class Table, class Probe, class Match>
class JoinPlan {
  using Row = typename Table::row_type;
  using Ref = typename Table::ref_type;
  using Memory = typename Table::memory_space;
  static constexpr bool takes_all = std::is_same_v<Match, EveryPair>;

 public:
  /// Counts; waits for `exec`. `keeps_left`: queries without a match are in one pair.
  /// `keeps_right`: so are rows of the table that no query matches.
  JoinPlan(const Exec& exec, const Table& table, const Probe& probe, const Match& match,
           bool keeps_left, bool keeps_right, Workspace<Memory>& workspace)
      : exec_(exec), ref_(table.ref()), probe_(probe), match_(match), keeps_left_(keeps_left) {
    const std::uint64_t n = probe.size();
    check_rows<Row>(0, n);
    offsets_ = workspace.template take<std::uint64_t>(exec, checked_add(n, 1, "queries of a join"));
    Kokkos::deep_copy(exec, Kokkos::subview(offsets_, n), std::uint64_t{0});
    if (keeps_right) {
      unmatched_ = enter_rows(exec, table.entries(), table.size() == 0, workspace);
      count_each<true>();
    } else if constexpr (takes_all) {
      bulk_count(exec, ref_, probe_,
                 Kokkos::subview(offsets_, std::make_pair(std::uint64_t{0}, n)));
    } else {
      count_each<false>();
    }
    if (keeps_left) {
      Kokkos::parallel_for("hashmill::join::keep_left", backends::range(exec, n),
                           RoomForOne{offsets_.data()});
    }
    backends::exclusive_scan(exec, offsets_, workspace);
    Kokkos::deep_copy(exec, num_found_, Kokkos::subview(offsets_, n));
    exec.fence("hashmill::join: the total sizes the result");
    if (keeps_right) {
      num_unmatched_ =
          count_kept("hashmill::join::count_unmatched", exec, unmatched_.count, unmatched_);
    }
  }

  /// Number of pairs.
  [[nodiscard]] std::uint64_t size() const { return num_found_ + num_unmatched_; }

  /// Writes `size()` pairs; asynchronous.
  void write(Row* left, Row* right) const {
    write_found(probe_, offsets_.data(), 0, num_found_, left, right);
    if (num_unmatched_ == 0) return;
    write_unmatched({0, unmatched_.count}, num_unmatched_, left + num_found_, right + num_found_);
  }

  /// Calls `use(number of pairs)` for chunks of at most `most_pairs` pairs that lie in `left` and
  /// `right`, the same memory for each; waits for `exec` before every call. Throws CapacityError
  /// before the first when a query alone has more pairs.
  template <class Use>
  void write_chunks(std::uint64_t most_pairs, Row* left, Row* right, Workspace<Memory>& workspace,
                    const Use& use) const {
    if (size() == 0) return;
    check_largest(most_pairs);
    const std::uint64_t n = probe_.size();
    const auto shifted = workspace.template take<std::uint64_t>(exec_, n + 1);
    const auto queries = key_access(probe_);
    for (std::uint64_t first = 0; first < n;) {
      const auto [end, pairs] = chunk_end(first, most_pairs, workspace);
      Kokkos::parallel_for("hashmill::join::shift_offsets", backends::range(exec_, end - first + 1),
                           ShiftOffsets{offsets_.data(), first, shifted.data()});
      write_found(QueryRange<KeyAccess<Probe>>{queries, first, end - first}, shifted.data(), first,
                  pairs, left, right);
      hand_over(pairs, use);
      first = end;
    }
    for (std::uint64_t first = 0; num_unmatched_ != 0 && first < unmatched_.count;) {
      const BitRange bits{first, std::min(most_pairs, unmatched_.count - first)};
      const std::uint64_t pairs = count_kept("hashmill::join::count_unmatched", exec_, bits.count,
                                             KeepInRange{unmatched_, bits.first});
      if (pairs != 0) write_unmatched(bits, pairs, left, right);
      hand_over(pairs, use);
      first += bits.count;
    }
  }

 private:
  using RowsView = Kokkos::View<Row*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  struct BitRange {
    std::uint64_t first;
    std::uint64_t count;
  };

  /// Writes the pairs of some queries, the first of which has number `first`.
  template <class Queries>
  void write_found(const Queries& queries, const std::uint64_t* offsets, std::uint64_t first,
                   std::uint64_t total, Row* left, Row* right) const {
    if (keeps_left_) Kokkos::deep_copy(exec_, RowsView(right, total), no_row<Row>);
    if constexpr (takes_all) {
      fill_rows(exec_, ref_, queries, offsets, right);
    } else {
      for_each_query("hashmill::join::write", exec_, ref_, queries,
                     WritePairsEach<Ref, Row, Match>{ref_, match_, first, offsets, right});
    }
    expand_rows("hashmill::join::expand", exec_, offsets, queries.size(), first, total, left);
  }

  /// Writes the pairs of unmatched rows of a range of bits, `count` of them.
  void write_unmatched(const BitRange& bits, std::uint64_t count, Row* left, Row* right) const {
    Kokkos::deep_copy(exec_, RowsView(left, count), no_row<Row>);
    write_kept("hashmill::join::write_unmatched", exec_, bits.count,
               KeepInRange{unmatched_, bits.first}, unmatched_.first + bits.first, right);
  }

  /// The query after the last of a chunk that begins at `first`, and the chunk's pairs.
  std::array<std::uint64_t, 2> chunk_end(std::uint64_t first, std::uint64_t most_pairs,
                                         Workspace<Memory>& workspace) const {
    const typename Workspace<Memory>::Frame frame(workspace);
    const auto found = workspace.template take<std::uint64_t>(exec_, 2);
    Kokkos::parallel_for(
        "hashmill::join::chunk_end", backends::range(exec_, 1),
        FindChunkEnd{offsets_.data(), probe_.size(), first, most_pairs, found.data()});
    std::array<std::uint64_t, 2> end{};
    using End =
        Kokkos::View<std::uint64_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(exec_, End(end.data(), 2), found);
    exec_.fence("hashmill::join: the end of a chunk");
    return end;
  }

  /// Refuses a budget that not even one pair, or the pairs of one query, fit.
  void check_largest(std::uint64_t most_pairs) const {
    std::uint64_t largest = 1;
    if (num_found_ != 0) {
      Kokkos::parallel_reduce("hashmill::join::largest", backends::range(exec_, probe_.size()),
                              LargestSize{offsets_.data()}, Kokkos::Max<std::uint64_t>(largest));
    }
    if (largest <= most_pairs) return;
    throw CapacityError("join in chunks: one query has " + std::to_string(largest) +
                            " pairs, the memory budget holds " + std::to_string(most_pairs),
                        largest, most_pairs);
  }

  template <class Use>
  void hand_over(std::uint64_t count, const Use& use) const {
    exec_.fence("hashmill::join: a chunk is handed to the caller");
    if (count != 0) use(count);
  }

  template <bool Marks>
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
  std::uint64_t num_found_ = 0;
  std::uint64_t num_unmatched_ = 0;
};

/// The plan of a join of that kind.
template <class Exec, class Table, class Probe, class Match>
JoinPlan<Exec, Table, Probe, Match> plan_join(const Exec& exec, JoinKind kind, const Table& right,
                                              const Probe& left, const Match& match,
                                              Workspace<typename Table::memory_space>& workspace) {
  static_assert(Table::has_rows, "hashmill::join: this table stores keys without rows");
  require_accessible_table<Exec, typename Table::memory_space>();
  require_accessible_queries<Exec, Probe>();
  const bool keeps_left = kind == JoinKind::left || kind == JoinKind::full;
  const bool keeps_right = kind == JoinKind::right || kind == JoinKind::full;
  return {exec, right, left, match, keeps_left, keeps_right, workspace};
}

}  // namespace hashmill::detail
