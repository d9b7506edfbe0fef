#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/hybrid_hash_join/detail/join_rounds.hpp>
#include <hashmill/primitives/detail/call_order.hpp>

namespace hashmill {

/// A join on one device whose sides come in batches, and may be larger than memory. Made by
/// `hybrid_hash_join`, which takes the types of the columns and reads no rows.
///
///     auto join = hashmill::hybrid_hash_join(exec, hashmill::HybridJoinKind::inner, lines, orders,
///                                            {.budget = {.device = 4ull << 30}});
///     while (read(orders)) join.add_right(exec, orders);
///     join.finish_right(exec);
///     const auto write_rows = [&](const auto& joined) { write(joined); };
///     while (read(lines)) join.add_left(exec, lines, write_rows);
///     join.finish_left(exec, write_rows);
///
/// It takes no more memory than `options.budget` says; see MemoryBudget for where rows go. A batch
/// need not stay once it is added:
///
///     | right rows          | left rows                                                         |
///     |---------------------|-------------------------------------------------------------------|
///     | fit in memory       | are joined as they come, where they lie or slice by slice, and    |
///     |                     | none is kept                                                      |
///     | do not              | Both sides are parted into rounds by their hashes. Those of the   |
///     |                     | lowest rounds are joined as they come, as many as fit. All others |
///     |                     | are stored, and joined round by round in `finish_left`            |
///
/// On hosts, joining whole rounds takes less time than asking a table that no cache holds. So more
/// than 2^18 right rows are parted too, and left rows wait in memory. They are joined in
/// `finish_left`, or once memory is short and as many wait as there are right rows. Where fewer
/// wait, and in right and full joins, the rule above takes over then. Semi and anti joins follow it
/// from the start.
///
/// A round that is still too large is parted again by further bits of the hash. Where no bits help,
/// as with a single key, its right rows are joined block by block, and its left rows read for each.
///
/// `use(joined)` is called on the host any number of times with a `Joined`: the columns of both
/// sides, and null where a side has no row. They come in no specified order. About a sixteenth of
/// the budget is handed over at a time, or as much as one left row has partners. Of a semi or anti
/// join only the left columns mean anything. Give it no right columns beside the key.
///
/// On several ranks, `shuffle` each batch by its key and add what comes, on all ranks as often.
/// Then each rank has all rows of its keys, and joins them within a budget of its own:
///
///     const auto mine = hashmill::shuffle(exec, ranks, key, workspace, key, price);
///     join.add_right(exec, hashmill::join_side<0>(mine.column<0>(), mine.column<1>()));
///
/// Cost, beside that of `hash_join` and of gathering the result: a copy of each row that is stored,
/// and its bytes once to and from where it goes. Each time that a round is parted again adds as
/// much. In the size of results strings count as 16 bytes each; stored ones count exactly.
///
/// Memory beyond the budget: the caller's batches, and what the system adds to small arrays.
///
/// Every function throws InvalidArgument if it is called out of order, or columns differ in length.
/// The others throw CapacityError where the budget, a disk or memory is short, BackendError where a
/// file cannot be read. The join has ended then; files vanish with it. What `use` throws goes
/// through, and ends it too.
///
/// Source: DeWitt and others 1984, hybrid hash join; Gao and Sakharnykh for joins in rounds.
template <class Exec, class Left, class Right, class Condition>
class HybridHashJoin {
 public:
  using memory_space = typename Exec::memory_space;

  /// See `hybrid_hash_join`.
  HybridHashJoin(HybridJoinKind kind, const HybridHashJoinOptions& options,
                 const Condition& condition)
      : rounds_(std::make_unique<Rounds>(kind, options, condition)) {
    rounds_->store.add_parts(first_round);
  }

  /// Adds right rows, of the types that the join was made with. Fences `exec`.
  template <class Side>
  void add_right(const Exec& exec, const Side& side) {
    Kokkos::Profiling::ScopedRegion region("hashmill::HybridHashJoin::add_right");
    const backends::WithoutMemoryCache within_budget;
    const auto columns = batch_of<Right>(side);
    auto attempt = order_.begin(Stage::right, "add_right");
    const std::uint64_t rows = detail::length_of(std::get<0>(columns));
    if (!is_parted() && (!would_fit(exec, rows) || is_large(rows))) part_right(exec);
    if (is_parted() && is_slice(rows)) {
      rounds_->store_right(exec, columns, bits_, right_of(0));
    } else {
      rounds_->store_right(exec, columns, {}, new_right);
    }
    if (is_parted() && is_slice(rounds_->store.rows(new_right))) store_new_right(exec);
    attempt.succeeded();
  }
  /// Ends the right side. Fences `exec`.
  void finish_right(const Exec& exec) {
    Kokkos::Profiling::ScopedRegion region("hashmill::HybridHashJoin::finish_right");
    const backends::WithoutMemoryCache within_budget;
    auto attempt = order_.begin(Stage::right, "finish_right");
    if (is_parted()) store_new_right(exec);
    waits_ = is_parted() && may_wait();
    if (waits_) {
      loadable_ = lowest_that_fit(exec);
    } else {
      load(exec);
    }
    attempt.succeeded(Stage::left);
  }
  /// Adds left rows. Calls `use(joined)` with joined rows of those whose right rows are in memory.
  /// Fences `exec`.
  template <class Side, class Use>
  void add_left(const Exec& exec, const Side& side, const Use& use) {
    Kokkos::Profiling::ScopedRegion region("hashmill::HybridHashJoin::add_left");
    const backends::WithoutMemoryCache within_budget;
    const auto columns = batch_of<Left>(side);
    auto attempt = order_.begin(Stage::left, "add_left");
    const std::uint64_t rows = detail::length_of(std::get<0>(columns));
    if (waits_ && !has_room_for_left(rows)) make_way(exec, use);
    if (!is_parted() && probe_there(exec, columns, use)) {
      // they are not copied
    } else if (!is_parted() || is_slice(rows)) {
      add_slices(exec, columns, use);
    } else {
      rounds_->store_left(exec, columns, {}, new_left);
    }
    if (is_slice(rounds_->store.rows(new_left))) add_new_left(exec, use);
    attempt.succeeded();
  }
  /// Ends the left side, and joins all rows that were stored. Fences `exec`.
  template <class Use>
  void finish_left(const Exec& exec, const Use& use) {
    Kokkos::Profiling::ScopedRegion region("hashmill::HybridHashJoin::finish_left");
    const backends::WithoutMemoryCache within_budget;
    auto attempt = order_.begin(Stage::left, "finish_left");
    add_new_left(exec, use);
    if (rounds_->loaded_rows) rounds_->finish(exec, *rounds_->loaded_rows, use);
    rounds_->loaded_rows.reset();
    detail::JoinRounds<Rounds, Exec, Use> join(*rounds_, exec, use);
    const std::uint64_t first = std::exchange(resident_, is_parted() ? rounds_in_memory() : 0);
    for (std::uint64_t r = first; is_parted() && r < bits_.rounds(); ++r) {
      join.join(right_of(r), left_of(r), bits_);
    }
    attempt.succeeded(Stage::done);
  }
  /// What it has done so far.
  [[nodiscard]] HybridHashJoinStatistics statistics() const {
    if (!rounds_) return {};
    HybridHashJoinStatistics result = rounds_->statistics;
    result.rounds = bits_.rounds();
    result.resident_rounds = is_parted() ? resident_ : 1;
    result.device_peak = rounds_->account.peak(detail::MemoryTier::device);
    result.host_bytes = rounds_->store.host_bytes();
    result.file_bytes = rounds_->store.file_bytes();
    return result;
  }

 private:
  enum class Stage { right, left, done, failed };
  using Rounds = detail::StoredRounds<Exec, Left, Right, Condition>;
  // The parts of the store: rows that have not been routed, then the right and left rows of each
  // round.
  static constexpr std::size_t new_right = 0, new_left = 1, first_round = 2;

  template <class Made, class Side>
  [[nodiscard]] static auto batch_of(const Side& side) {
    return detail::batch_columns<memory_space, Made>("HybridHashJoin", side);
  }

  [[nodiscard]] bool is_parted() const { return is_parted_; }
  /// The parts of a round.
  [[nodiscard]] static std::size_t right_of(std::uint64_t round) {
    return first_round + detail::parts_of_round * round;
  }
  [[nodiscard]] static std::size_t left_of(std::uint64_t round) { return right_of(round) + 1; }
  /// Whether all right rows so far and so many more could be loaded.
  [[nodiscard]] bool would_fit(const Exec& exec, std::uint64_t more) const {
    const auto& store = rounds_->store;
    return rounds_->fits(exec, store.rows(new_right) + more,
                         store.bytes(new_right) + more * Rounds::RightRows::bytes_of_row);
  }
  /// Whether left rows may wait for whole rounds. Where memory is all there is they must not take
  /// that of tables.
  [[nodiscard]] bool may_wait() const {
    return Rounds::can_wait && !detail::only_marks(rounds_->kind) && rounds_->can_spill();
  }
  /// Whether right rows, and so many more, are parted so that left rows may wait.
  [[nodiscard]] bool is_large(std::uint64_t more) const {
    return may_wait() && rounds_->store.rows(new_right) + more > Rounds::rows_in_caches;
  }
  /// Whether so many rows are worth routing. Fewer wait for others: each round has some of them.
  [[nodiscard]] bool is_slice(std::uint64_t rows) const {
    return rows >= rounds_->memory.slice_rows() / 2;
  }
  /// Parts the right rows so far into rounds.
  void part_right(const Exec& exec) {
    is_parted_ = true;
    bits_ = {0, rounds_->memory.round_bits(rounds_->options.rounds)};
    rounds_->store.add_parts(detail::parts_of_round * bits_.rounds());
    store_new_right(exec);
  }
  void store_new_right(const Exec& exec) {
    rounds_->template for_each_slice<typename Rounds::RightRows>(
        exec, new_right, false,
        [&](const auto& slice) { rounds_->store_right(exec, slice.columns, bits_, right_of(0)); });
  }
  template <class Use>
  void add_new_left(const Exec& exec, const Use& use) {
    rounds_->template for_each_slice<typename Rounds::LeftRows>(
        exec, new_left, false, [&](const auto& slice) { add_slices(exec, slice.columns, use); });
  }
  /// Loads all right rows, or those of the lowest rounds.
  void load(const Exec& exec) {
    if (!is_parted()) {
      rounds_->loaded_rows = rounds_->load(exec, rounds_->take(exec, new_right, 1), {}, new_right);
      if (rounds_->loaded_rows) return;
      part_right(exec);
    }
    resident_ = lowest_that_fit(exec);
    if (resident_ == 0) return;
    rounds_->loaded_rows =
        rounds_->load(exec, rounds_->take(exec, right_of(0), resident_), bits_, right_of(0));
    if (!rounds_->loaded_rows) resident_ = 0;
  }
  /// How many of the lowest rounds could be loaded, beside an eighth of the budget for left rows
  /// that are stored.
  [[nodiscard]] std::uint64_t lowest_that_fit(const Exec& exec) const {
    const auto& store = rounds_->store;
    std::uint64_t rows = 0, bytes = 0;
    for (std::uint64_t r = 0; r < bits_.rounds(); ++r) {
      rows += store.rows(right_of(r));
      bytes += store.bytes(right_of(r));
      const bool fits = rounds_->fits(exec, rows, bytes, rounds_->memory.working());
      if (!fits || !store.is_resident(right_of(r))) return r;
    }
    return bits_.rounds();
  }
  /// How many of the lowest rounds have left no row to the file.
  [[nodiscard]] std::uint64_t rounds_in_memory() const {
    const auto& store = rounds_->store;
    std::uint64_t r = 0;
    while (r < bits_.rounds() && store.is_resident(right_of(r)) && store.is_resident(left_of(r))) {
      ++r;
    }
    return r;
  }
  /// Whether so many more left rows can wait without others leaving the memory.
  [[nodiscard]] bool has_room_for_left(std::uint64_t rows) const {
    return rounds_->account.available(detail::MemoryTier::device) >=
           rounds_->memory.working() + 2 * rows * Rounds::LeftRows::bytes_of_row;
  }
  /// Makes room for left rows, by the first line that holds; else high rounds will go to the file.
  ///
  ///     | as many bytes of left rows wait as right rows are in memory | they are joined          |
  ///     | as many rounds could be loaded as are in memory             | right rows are loaded    |
  template <class Use>
  void make_way(const Exec& exec, const Use& use) {
    const std::uint64_t rounds = rounds_in_memory();
    std::uint64_t right = 0, left = 0;
    for (std::uint64_t r = 0; r < rounds; ++r) {
      right += rounds_->store.bytes(right_of(r));
      left += rounds_->store.bytes(left_of(r));
    }
    const bool joins = left >= right && !detail::keeps_strangers_right(rounds_->kind);
    if (joins && join_waiting(exec, rounds, use)) return;
    if (joins || rounds <= loadable_) stop_waiting(exec, use);
  }
  /// Joins the left rows of so many rounds, whose right rows stay. Returns whether it could.
  template <class Use>
  [[nodiscard]] bool join_waiting(const Exec& exec, std::uint64_t rounds, const Use& use) {
    detail::JoinRounds<Rounds, Exec, Use> join(*rounds_, exec, use);
    for (std::uint64_t r = 0; r < rounds; ++r) {
      if (rounds_->store.rows(left_of(r)) == 0) continue;
      if (!join.join_left(right_of(r), left_of(r))) return false;
    }
    return true;
  }
  /// Loads right rows, and joins the left rows that have waited for them.
  template <class Use>
  void stop_waiting(const Exec& exec, const Use& use) {
    waits_ = false;
    load(exec);
    for (std::uint64_t r = 0; is_parted() && r < resident_; ++r) {
      rounds_->template for_each_slice<typename Rounds::LeftRows>(
          exec, left_of(r), false, [&](const auto& slice) {
            rounds_->probe(exec, *rounds_->loaded_rows, slice.columns, nullptr, use);
          });
    }
    add_new_left(exec, use);
  }

  /// Joins left rows where they lie, if all right rows are in memory. Returns whether it did.
  template <class Columns, class Use>
  bool probe_there(const Exec& exec, const Columns& columns, const Use& use) {
    if constexpr (std::is_same_v<Columns, typename Rounds::LeftRows::Columns>) {
      if (is_parted() || detail::length_of(std::get<0>(columns)) > rounds_->memory.slice_rows()) {
        return false;
      }
      rounds_->probe(exec, *rounds_->loaded_rows, columns, nullptr, use);
      return true;
    } else {
      return false;
    }
  }
  template <class Columns, class Use>
  void add_slices(const Exec& exec, const Columns& columns, const Use& use) {
    using LeftRows = typename Rounds::LeftRows;
    const std::uint64_t lowest = is_parted() && resident_ > 0 ? resident_ - 1 : 0;
    const auto add = [&](std::uint64_t round, detail::StoredBatch batch) {
      if (rounds_->loaded_rows && round == lowest) {
        const auto here = LeftRows::rows_of(std::move(batch));
        rounds_->probe(exec, *rounds_->loaded_rows, here.columns, nullptr, use);
      } else {
        rounds_->store.append(left_of(round), std::move(batch));
      }
    };
    rounds_->template route<typename Left::key_columns>(
        exec, columns, bits_, lowest, !detail::keeps_strangers_left(rounds_->kind),
        [&](const auto& lists) {
          LeftRows::copy_lists(exec, columns, lists, lowest, bits_.rounds(), rounds_->account,
                               rounds_->store, rounds_->workspace, add);
        });
  }

  std::unique_ptr<Rounds> rounds_;
  detail::CallOrder<Stage> order_{
      "HybridHashJoin", {"before finish_right", "after finish_right", "after finish_left"}};
  bool is_parted_ = false;
  detail::RoundBits bits_{};    // one round, until rows do not fit
  bool waits_ = false;          // left rows, until whole rounds are joined
  std::uint64_t loadable_ = 0;  // rounds that could be loaded when the right side ended
  std::uint64_t resident_ = 0;  // rounds that are loaded, and at last those that stayed in memory
};

/// A join without rows, of sides with the key columns and types of `left` and `right`, which are
/// not read. For the kinds of columns see `join_side`; for the condition see `EveryRow`. Throws
/// InvalidArgument for 0 rounds or more than 2^12, and as MemoryBudget says; CapacityError for a
/// budget without room for 64 rows, of 32 KiB or more.
template <backends::ExecutionSpace Exec, class Left, class Right, class Condition = EveryRow>
[[nodiscard]] HybridHashJoin<Exec, Left, Right, Condition> hybrid_hash_join(
    const Exec&, HybridJoinKind kind, const Left&, const Right&,
    const HybridHashJoinOptions& options, const Condition& condition = {}) {
  return HybridHashJoin<Exec, Left, Right, Condition>(kind, options, condition);
}

}  // namespace hashmill
