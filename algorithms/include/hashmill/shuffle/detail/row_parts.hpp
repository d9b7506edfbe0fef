#pragma once

#include <algorithm>
#include <hashmill/capacity.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// What a rank would do about compression. All ranks do what one of them wishes.
enum class CompressionWish : std::uint64_t {
  none,      ///< columns are sent as they are
  compress,  ///< each rank compresses columns where that pays
  measure    ///< likewise, after the rate of the link was measured
};

/// How many parts rows are cut into, to travel in rounds.
struct PartShape {
  std::uint64_t ranks;
  std::uint64_t rounds = 1;
  bool for_all = false;  ///< whether there is a part that all ranks receive
  bool drops = false;    ///< whether there is a part that no rank receives

  /// The parts of one rank's rows that are sent.
  [[nodiscard]] std::uint64_t parts() const { return ranks * rounds + (for_all ? 1 : 0); }
  /// The part that is for all ranks.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t part_for_all() const {
    return ranks * rounds;
  }
  /// The part that is not sent, behind all others.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t dropped_part() const {
    return ranks * rounds + (for_all ? 1 : 0);
  }
};

/// Rows that all ranks have in the same order, among those of each: from `begin` to `end`.
struct ReplicatedRows {
  std::uint64_t begin = 0, end = 0;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool has(std::uint64_t row) const {
    return row >= begin && row < end;
  }
};

/// Rows that travel between ranks in rounds. Numbers are those of the first row, and of the end.
///
///     out   a part for each round and rank, round by round; then perhaps a part for all ranks
///     in    of each round a piece from each rank; in the last one then each rank's part for all
struct RowParts {
  PartShape shape{1};
  std::vector<std::uint64_t> out;
  std::vector<std::vector<std::uint64_t>> in;
  CompressionWish wish = CompressionWish::none;  ///< the greatest of all ranks

  /// Calls `use(part)` for the parts that are for a rank in a round.
  template <class Use>
  void for_each_part(std::size_t round, int rank, const Use& use) const {
    use(round * shape.ranks + static_cast<std::size_t>(rank));
    if (sends_to_all_in(round)) use(shape.part_for_all());
  }
  /// Calls `use(piece)` for the pieces that come from a rank in a round.
  template <class Use>
  void for_each_piece(std::size_t round, int rank, const Use& use) const {
    const auto piece = static_cast<std::size_t>(rank);
    use(piece);
    if (sends_to_all_in(round)) use(shape.ranks + piece);
  }
  /// Calls `use(begin, end)` for the rows that are for a rank in a round.
  template <class Use>
  void for_each_sent(std::size_t round, int rank, const Use& use) const {
    for_each_part(round, rank, [&](std::size_t part) { use(out[part], out[part + 1]); });
  }
  /// Calls `use(begin, end)` for those that come from a rank.
  template <class Use>
  void for_each_received(std::size_t round, int rank, const Use& use) const {
    for_each_piece(round, rank,
                   [&](std::size_t piece) { use(in[round][piece], in[round][piece + 1]); });
  }

  /// Those that come in a round, behind all others, and are for all ranks.
  [[nodiscard]] ReplicatedRows replicated(std::size_t round) const {
    return {in[round][shape.ranks], in[round].back()};
  }

 private:
  [[nodiscard]] bool sends_to_all_in(std::size_t round) const {
    return shape.for_all && round + 1 == shape.rounds;
  }
};

/// Tells all ranks how much they receive, and what this one wishes. `out` has zeros where the call
/// fails.
inline RowParts exchange_sizes(CollectiveCall& call, const PartShape& shape,
                               std::vector<std::uint64_t> out,
                               CompressionWish wish = CompressionWish::none) {
  const std::size_t sizes = shape.rounds + (shape.for_all ? 1 : 0), words = sizes + 1;
  std::vector<std::uint64_t> letters, received(shape.ranks * words);
  for (std::size_t r = 0; r < shape.ranks; ++r) {
    for (std::size_t round = 0; round < sizes; ++round) {
      const bool is_for_all = round == shape.rounds;
      const std::size_t part = is_for_all ? shape.part_for_all() : round * shape.ranks + r;
      letters.push_back(out[part + 1] - out[part]);
    }
    letters.push_back(static_cast<std::uint64_t>(wish));
  }
  call.exchange_words(letters, received, "exchange sizes");
  RowParts parts{shape, std::move(out), {}};
  for (std::size_t round = 0; round < sizes; ++round) {
    if (round < shape.rounds) parts.in.push_back({0});
    std::vector<std::uint64_t>& pieces = parts.in.back();
    for (std::size_t r = 0; r < shape.ranks; ++r) {
      pieces.push_back(
          checked_add(pieces.back(), received[r * words + round], "rows that a rank receives"));
    }
  }
  for (std::size_t r = 0; r < shape.ranks; ++r) {
    parts.wish = std::max(parts.wish, CompressionWish{received[r * words + sizes]});
  }
  return parts;
}

}  // namespace hashmill::detail
