#pragma once

#include <hashmill/join/hash_join_options.hpp>
#include <hashmill/shuffle/compression.hpp>
#include <hashmill/shuffle/levels.hpp>
#include <optional>

namespace hashmill {

/// Which rows of a distributed join travel.
enum class JoinMovement {
  automatic,        ///< what sends fewest bytes; see `distributed_join` for the rule
  repartition,      ///< both sides go to the ranks that own their keys
  broadcast_right,  ///< the right side goes to all ranks
  broadcast_left    ///< the left side goes to all ranks
};

/// Whether rows with heavy keys are joined where they lie, where their own rank would have more
/// than its share. Only `automatic` looks at the numbers of rows.
enum class HeavyKeys {
  automatic,  ///< where a side has 2^18 rows or more
  never,      ///< all rows of a key go to its rank
  always      ///< at any size
};

/// Options of `distributed_join` and its kind, equal on all ranks but for `memory_budget` and
/// `compression`, which are of one rank.
struct DistributedJoinOptions : HashJoinOptions<> {
  /// Which rows travel.
  JoinMovement movement = JoinMovement::automatic;
  /// Whether nulls of key columns match nulls; SQL says no.
  bool nulls_equal = false;
  /// Whether heavy keys are looked for; see `distributed_join`.
  HeavyKeys heavy_keys = HeavyKeys::automatic;
  /// Whether left rows whose keys a filter of all right keys refuses are not sent; see
  /// `distributed_join` for the rule.
  Prefilter left_filter = Prefilter::automatic;
  /// Whether columns are compressed on their way.
  Compression compression = Compression::automatic;
  /// Whether rows go straight to their ranks.
  ShuffleLevels levels = ShuffleLevels::automatic;
  /// In how many rounds rows travel. Each is joined while the next is under way. By default rounds
  /// of about 128 MiB for each rank, at most 4.
  std::optional<std::uint64_t> rounds{};
};

/// The condition of a distributed join that holds for all rows with equal keys. A condition is
/// called on the host with the columns of both sides as they lie on this rank, in tuples. It
/// returns the condition for kernels: a device-callable `bool(left_row, right_row)`, whose rows are
/// those of these columns.
struct EveryRow {
  template <class Left, class Right>
  [[nodiscard]] EveryPair operator()(const Left&, const Right&) const {
    return {};
  }
};

}  // namespace hashmill
