#pragma once

#include <hashmill/hybrid_hash_join/detail/stored_rounds.hpp>

namespace hashmill::detail {

/// Both sides of a round in memory, which `hash_join` joins at once. On hosts that takes a third of
/// the time of asking a table of right rows for each slice of left rows: both sides are partitioned
/// until look-ups stay in a cache.
template <class Rounds, class Exec>
class WholeSides {
 public:
  /// Whether the rows of both parts fit, with a pair for each row of the larger one. Never for
  /// joins that ask of left rows only if they have a partner: they need no pairs.
  [[nodiscard]] static bool fit(const Rounds& rounds, const Exec& exec, std::size_t right,
                                std::size_t left) {
    if (only_marks(rounds.kind)) return false;
    const auto& store = rounds.store;
    const std::uint64_t joining =
        joining_bytes(rounds, exec, LeftRows::no_rows(exec).columns,
                      RightRows::no_rows(exec).columns, store.rows(left), store.rows(right));
    return rounds.memory.fits(store.bytes(left) + store.bytes(right), joining,
                              rounds.memory.joined());
  }
  /// Takes the rows out of the store.
  WholeSides(Rounds& rounds, const Exec& exec, std::size_t right, std::size_t left)
      : rounds_(rounds),
        exec_(exec),
        right_(rounds.template take_all<RightRows>(exec, right)),
        left_(rounds.template take_all<LeftRows>(exec, left)) {}

  /// Joins them, and calls `use(joined)` for as many pairs at a time as are handed over. Returns
  /// false, before the first, where there are more pairs than fit, or the system has no memory for
  /// them: joining slice by slice needs less.
  template <class Use>
  [[nodiscard]] bool join(const Use& use) {
    MemoryAccount::Grant grant;
    Pairs pairs;
    try {
      pairs = counted_pairs(grant);
    } catch (const CapacityError&) {
      return false;
    }
    const std::uint64_t most = rounds_.pairs_handed_over();
    for (std::uint64_t first = 0; first < pairs.size(); first += most) {
      const auto range = std::pair(first, std::min(first + most, pairs.size()));
      give_pairs(exec_, rounds_.kind, left_.columns, right_.columns,
                 Pairs{Kokkos::subview(pairs.left, range), Kokkos::subview(pairs.right, range)},
                 rounds_.workspace, use);
    }
    return true;
  }
  /// Stores the rows of a side again.
  void store_right(std::size_t part) { rounds_.store_right(exec_, right_.columns, {}, part); }
  void store_left(std::size_t part) { rounds_.store_left(exec_, left_.columns, {}, part); }

 private:
  using Memory = typename Exec::memory_space;
  using LeftRows = typename Rounds::LeftRows;
  using RightRows = typename Rounds::RightRows;
  using Pairs = RowPairs<std::uint32_t, std::uint32_t, Memory>;

  [[nodiscard]] static HashJoinOptions<> join_options(const Rounds& rounds, std::uint64_t pairs) {
    HashJoinOptions<> options;
    options.seed = rounds.options.seed;
    options.memory_budget = pairs * 2 * sizeof(std::uint32_t);
    return options;
  }
  /// How many pairs there may be: one for each row of the larger side, and rows without a partner.
  [[nodiscard]] static std::uint64_t most_pairs(HybridJoinKind kind, std::uint64_t left,
                                                std::uint64_t right) {
    return kind == HybridJoinKind::inner ? std::max(left, right) : left + right;
  }
  /// Bytes of a hash join of so many rows, of the types of these columns, with its pairs.
  template <class Left, class Right>
  [[nodiscard]] static std::uint64_t joining_bytes(const Rounds& rounds, const Exec& exec,
                                                   const Left& left, const Right& right,
                                                   std::uint64_t left_rows,
                                                   std::uint64_t right_rows) {
    const JoinSizes sizes{left_rows, right_rows, most_pairs(rounds.kind, left_rows, right_rows)};
    return hash_join_peak_bytes(exec, nulls_of(rounds.kind), rounds.left_keys(left),
                                rounds.right_keys(right), sizes, join_options(rounds, sizes.pairs));
  }
  /// The pairs of rows that match, with memory of the account. Throws CapacityError if they do not
  /// fit.
  [[nodiscard]] Pairs counted_pairs(MemoryAccount::Grant& grant) {
    const std::uint64_t left = length_of(std::get<0>(left_.columns));
    const std::uint64_t right = length_of(std::get<0>(right_.columns));
    const std::uint64_t joining =
        joining_bytes(rounds_, exec_, left_.columns, right_.columns, left, right);
    grant = rounds_.reserve(exec_, joining + rounds_.memory.joined(), "a join of both sides");
    Workspace<Memory> workspace;  // freed before rows are handed over
    return hash_join(exec_, nulls_of(rounds_.kind), rounds_.left_keys(left_.columns),
                     rounds_.right_keys(right_.columns),
                     rounds_.condition(left_.columns, right_.columns),
                     join_options(rounds_, most_pairs(rounds_.kind, left, right)), workspace);
  }

  Rounds& rounds_;
  const Exec& exec_;
  RowsHere<typename RightRows::Columns> right_;
  RowsHere<typename LeftRows::Columns> left_;
};

}  // namespace hashmill::detail
