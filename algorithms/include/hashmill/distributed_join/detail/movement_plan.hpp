#pragma once

#include <algorithm>
#include <bit>
#include <hashmill/distributed_join/join_side.hpp>
#include <hashmill/distributed_join/options.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/shuffle/detail/column_kind.hpp>
#include <hashmill/shuffle/detail/row_parts.hpp>
#include <string>
#include <vector>

namespace hashmill::detail {

/// The rows of a join, of all ranks together, and about how many bytes they take.
struct JoinTotals {
  std::uint64_t left_rows, right_rows, left_bytes, right_bytes;
};

/// About the bytes of a row of a tuple of columns: strings count as 16 bytes.
template <class Columns>
inline constexpr std::uint64_t row_bytes = 0;
template <class... Columns>
inline constexpr std::uint64_t row_bytes<std::tuple<Columns...>> = (sizeof(KeyOf<Columns>) + ...);

/// Adds up the rows of all ranks. Part of a collective call, where this is the first agreement.
template <class Request>
[[nodiscard]] JoinTotals agree_on_totals(const Request& request) {
  std::vector<std::uint64_t> mine, all(2 * request.num_ranks());
  for (std::uint64_t r = 0; r < request.num_ranks(); ++r) {
    mine.insert(mine.end(), {request.left_rows(), request.right_rows()});
  }
  request.call.exchange_words(mine, all, "agree on options");
  JoinTotals totals{0, 0, 0, 0};
  for (std::size_t r = 0; r < all.size(); r += 2) {
    totals.left_rows += all[r];
    totals.right_rows += all[r + 1];
  }
  totals.left_bytes = totals.left_rows * row_bytes<typename Request::LeftColumns>;
  totals.right_bytes = totals.right_rows * row_bytes<typename Request::RightColumns>;
  return totals;
}

/// The parts of all ranks and rounds that a pass over rows writes well.
inline constexpr std::uint64_t parts_of_a_pass = 256;

/// Which rows of a join travel, and in how many rounds. Equal on all ranks.
struct MovementPlan {
  JoinMovement movement;
  std::uint64_t rounds;
  JoinTotals totals;
  bool any_order = false;  ///< whether rows of a part may come in any order
  std::uint64_t cuts = 1;  ///< of what a rank receives in a round, as local joins begin with
};

/// In how many cuts a rank receives a round of `rows` rows: as many as make `parts_of_a_pass` parts
/// of all ranks and rounds, but none of less than 2^13 rows. A join of cuts needs one pass over
/// rows less.
[[nodiscard]] inline std::uint64_t num_cuts(const MovementPlan& plan, std::uint64_t ranks) {
  constexpr std::uint64_t least_rows = std::uint64_t{1} << 13;
  const std::uint64_t parts = ranks * plan.rounds;
  const std::uint64_t rows = std::min(plan.totals.left_rows, plan.totals.right_rows) / parts;
  return std::bit_floor(
      std::clamp<std::uint64_t>(std::min(parts_of_a_pass / parts, rows / least_rows), 1, 256));
}

/// Makes the plan. Throws InvalidArgument for 0 rounds.
///
///     | movement        | chosen where, on P ranks,                                              |
///     |-----------------|------------------------------------------------------------------------|
///     | broadcast_right | the left side has more than P - 1 times the bytes of the right side    |
///     | broadcast_left  | the reverse                                                            |
///     | repartition     | otherwise                                                              |
///
/// A rank then receives fewer bytes than if both sides were repartitioned.
[[nodiscard]] inline MovementPlan plan_movement(const DistributedJoinOptions& options,
                                                const JoinTotals& totals, std::uint64_t ranks) {
  constexpr std::uint64_t round_bytes = std::uint64_t{128} << 20, most_rounds = 4;
  constexpr std::uint64_t most_rows_of_a_round = std::uint64_t{1} << 31;
  if (options.rounds == 0U) {
    throw InvalidArgument("distributed_join: 0 rounds, but at least 1 is needed");
  }
  MovementPlan plan{options.movement, 1, totals};
  const auto gains = [&](std::uint64_t travels, std::uint64_t stays) {
    return stays / std::max<std::uint64_t>(ranks - 1, 1) > travels;
  };
  if (plan.movement == JoinMovement::automatic) {
    plan.movement = gains(totals.right_bytes, totals.left_bytes)   ? JoinMovement::broadcast_right
                    : gains(totals.left_bytes, totals.right_bytes) ? JoinMovement::broadcast_left
                                                                   : JoinMovement::repartition;
  }
  if (plan.movement != JoinMovement::repartition) return plan;
  const std::uint64_t bytes = (totals.left_bytes + totals.right_bytes) / ranks;
  const std::uint64_t rows = std::max(totals.left_rows, totals.right_rows) / ranks;
  const std::uint64_t most =
      std::min(most_rounds, std::max<std::uint64_t>(1, parts_of_a_pass / ranks));
  plan.rounds = options.rounds.value_or(std::max(
      std::clamp<std::uint64_t>(bytes / round_bytes, 1, most), rows / most_rows_of_a_round + 1));
  return plan;
}

/// What must be equal on all ranks of a join, as a number.
template <class... Left, class... Right>
[[nodiscard]] std::uint64_t join_signature(JoinKind kind, const DistributedJoinOptions& options,
                                           const std::tuple<Left...>&,
                                           const std::tuple<Right...>&) {
  const std::uint64_t numbers = signature_of(
      options.seed.value(),
      {static_cast<std::uint64_t>(kind), static_cast<std::uint64_t>(options.movement),
       static_cast<std::uint64_t>(options.heavy_keys),
       static_cast<std::uint64_t>(options.left_filter), options.nulls_equal ? 1U : 0U,
       options.rounds.value_or(~std::uint64_t{0}), static_cast<std::uint64_t>(options.levels)});
  return columns_signature<Left..., Right...>(numbers + sizeof...(Left));
}

}  // namespace hashmill::detail
