#pragma once

#include <hashmill/hybrid_hash_join/detail/whole_sides.hpp>

namespace hashmill::detail {

/// Joins rounds that lie in a store, one after the other. The first line that holds:
///
///     | a round whose right rows          | is joined                                           |
///     |-----------------------------------|-----------------------------------------------------|
///     | cannot give a row of the result   | not at all, and likewise for its left rows          |
///     | fit in memory with its left rows  | as a whole, by `hash_join`                          |
///     | and all pairs                     |                                                     |
///     | fit in memory                     | slice by slice of its left rows, with a table       |
///     | have hash bits that tell them     | round by round, after both sides are parted by      |
///     | apart                             | further bits                                        |
///     | any other, such as one key        | by blocks of right rows. The left rows are read     |
///     |                                   | for each, and have a mark of a byte if they need it |
template <class Rounds, class Exec, class Use>
class JoinRounds {
 public:
  JoinRounds(Rounds& rounds, const Exec& exec, const Use& use)
      : rounds_(rounds), store_(rounds.store), exec_(exec), use_(use) {}

  /// Joins two parts of the store, which `bits` chose. They are empty then.
  void join(std::size_t right, std::size_t left, const RoundBits& bits) {
    const bool gives_left = store_.rows(right) > 0 || keeps_strangers_left(rounds_.kind);
    const bool gives_right = store_.rows(left) > 0 || keeps_strangers_right(rounds_.kind);
    if (gives_left && gives_right) {
      if (join_sides(right, left)) {
        // both were in memory
      } else if (rounds_.fits(exec_, store_.rows(right), store_.bytes(right))) {
        if (!join_slices(right, left)) join_blocks(right, left);
      } else if (const unsigned more = rounds_.memory.round_bits(split_rounds);
                 bits.has_next(more)) {
        split(right, left, bits.next(more));
      } else {
        join_blocks(right, left);
      }
    }
    store_.clear(right);
    store_.clear(left);
  }

  /// Joins all rows of two parts where they fit in memory with their pairs. Only the left part is
  /// empty then. Returns whether it did; else both are as before. For joins that give no right rows
  /// without a partner.
  [[nodiscard]] bool join_left(std::size_t right, std::size_t left) {
    return join_sides(right, left, true);
  }

 private:
  static constexpr std::uint64_t split_rounds = 16;
  using LeftRows = typename Rounds::LeftRows;

  /// Returns whether it did; else the parts are as before.
  bool join_sides(std::size_t right, std::size_t left, bool keeps_right = false) {
    using Sides = WholeSides<Rounds, Exec>;
    if (!Sides::fit(rounds_, exec_, right, left)) return false;
    Sides sides(rounds_, exec_, right, left);
    const bool joined = sides.join(use_);
    if (!joined || keeps_right) sides.store_right(right);
    if (!joined) sides.store_left(left);
    return joined;
  }
  /// Returns whether it did; else a key has more rows than fit with what they are joined to.
  bool join_slices(std::size_t right, std::size_t left) {
    const auto loaded = rounds_.load(exec_, rounds_.take(exec_, right, 1), {}, right);
    if (!loaded) return false;
    rounds_.template for_each_slice<LeftRows>(exec_, left, false, [&](const auto& rows) {
      rounds_.probe(exec_, *loaded, rows.columns, nullptr, use_);
    });
    rounds_.finish(exec_, *loaded, use_);
    return true;
  }

  void split(std::size_t right, std::size_t left, const RoundBits& bits) {
    ++rounds_.statistics.split_rounds;
    const std::uint64_t rows = store_.rows(right);
    const std::size_t first_right = store_.add_parts(parts_of_round * bits.rounds());
    const std::size_t first_left = first_right + 1;
    rounds_.template for_each_slice<typename Rounds::RightRows>(
        exec_, right, false,
        [&](const auto& slice) { rounds_.store_right(exec_, slice.columns, bits, first_right); });
    rounds_.template for_each_slice<LeftRows>(exec_, left, false, [&](const auto& slice) {
      rounds_.store_left(exec_, slice.columns, bits, first_left);
    });
    for (std::size_t at = 0; at < parts_of_round * bits.rounds(); at += parts_of_round) {
      // Where most rows stay together they have one key, and no bits tell them apart.
      const bool is_stuck = store_.rows(first_right + at) > rows / 4 * 3;
      join(first_right + at, first_left + at, is_stuck ? RoundBits{64, 0} : bits);
    }
    store_.remove_parts(first_right);
  }

  void join_blocks(std::size_t right, std::size_t left) {
    ++rounds_.statistics.block_joins;
    const std::uint64_t flags = needs_marks(rounds_.kind) ? store_.rows(left) : 0;
    const MemoryAccount::Grant grant = rounds_.reserve(exec_, flags, "marks of left rows");
    using Marks = typename Rounds::Loaded::Marks;
    const auto marks =
        backends::allocate_zeroed<Marks>(exec_, "hashmill::hybrid_hash_join::marks", flags);
    for (std::size_t first = 0; first < store_.batches(right);) {
      std::uint64_t bytes = 0;
      const std::size_t last = block_end(right, first, flags, bytes);
      std::vector<StoredBatch> batches;
      store_.make_room(exec_, bytes);
      store_.read(exec_, right, first, last, false,
                  [&](StoredBatch batch) { batches.push_back(std::move(batch)); });
      const auto block = rounds_.load_block(exec_, std::move(batches));
      for_each_left(left, marks, true, [&](const auto& rows, bool* of_rows) {
        rounds_.probe(exec_, block, rows, of_rows, use_);
      });
      rounds_.finish(exec_, block, use_);
      first = last;
    }
    if (flags == 0) return;
    const auto none = rounds_.load_block(exec_, {});
    for_each_left(left, marks, false, [&](const auto& rows, const bool* of_rows) {
      none.right.give_marked(exec_, rows, of_rows, rounds_.workspace, use_);
    });
  }
  /// Calls `use(columns, marks)` for slices of left rows.
  template <class Marks, class Each>
  void for_each_left(std::size_t left, const Marks& marks, bool keeps, const Each& each) {
    std::uint64_t first = 0;
    rounds_.template for_each_slice<LeftRows>(exec_, left, keeps, [&](const auto& rows) {
      each(rows.columns, marks.extent(0) > 0 ? marks.data() + first : nullptr);
      first += length_of(std::get<0>(rows.columns));
    });
  }
  /// The end of the longest block of batches that fits whatever its keys are, and its bytes.
  [[nodiscard]] std::size_t block_end(std::size_t right, std::size_t first, std::uint64_t others,
                                      std::uint64_t& bytes) const {
    std::uint64_t rows = 0;
    std::size_t last = first;
    for (; last < store_.batches(right); ++last) {
      const std::uint64_t more = store_.batch_bytes(right, last);
      rows += store_.batch_rows(right, last);
      if (last > first && !rounds_.fits_any_keys(exec_, rows, bytes + more, others)) break;
      bytes += more;
    }
    return last;
  }
  Rounds& rounds_;
  PartStore<Exec>& store_;
  const Exec& exec_;
  const Use& use_;
};

}  // namespace hashmill::detail
