#pragma once

#include <hashmill/join/detail/strategies.hpp>
#include <hashmill/join/detail/swap_sides.hpp>

namespace hashmill::detail {

/// Hash and equality of the right side's keys if the caller names none.
template <class Left, class Right>
using RightKeyOf = KeyOf<decltype(keys_of_side<Left>(std::declval<const Right&>()))>;
template <class Left, class Right>
using DefaultHash = GroupHash<RightKeyOf<Left, Right>>;
template <class Left, class Right>
using DefaultEqual = GroupEqual<RightKeyOf<Left, Right>>;

/// Whether the keys of the sides are integer columns that CPUs join as one word per row, which then
/// travels to its part. The caller must name neither hash nor equality.
template <class Exec, class Left, class Right, class Hash, class Equal>
inline constexpr bool packs_columns =
    !backends::has_wide_teams<Exec> && PackedSides<Left, Right>::fit &&
    std::is_same_v<Hash, RowHash> && std::is_same_v<Equal, RowEqual>;

/// Calls `use` with the HashJoin of keys that are read as they will be compared and with its sizes,
/// and returns what it does. Packs integer columns first, where that is possible. Builds the
/// smaller side, where it may.
template <class Row, JoinStrategy Strategy, class Exec, class Left, class Right, class Match,
          class Hash, class Equal, class Pairs, class Memory, class Use>
std::uint64_t with_join_of(const JoinRequest<Exec, Left, Right, Match, Hash, Equal>& request,
                           const HashJoinOptions<Strategy>& options, Pairs* result,
                           Workspace<Memory>& workspace, const Use& use) {
  const auto& [exec, kind, left, right, match, hash, equal, parts] = request;
  if constexpr (Strategy == JoinStrategy::automatic &&
                packs_columns<Exec, Left, Right, Hash, Equal>) {
    if (!any_can_be_null(left.list()) && !any_can_be_null(right.list())) {
      using Sides = PackedSides<Left, Right>;
      const typename Sides::template Packed<Left> packed_left(left);
      const typename Sides::template Packed<Right> packed_right(right);
      return with_join_of<Row>(JoinRequest{exec, kind, packed_left, packed_right, match,
                                           hash.of_number(), KeyEqual(), parts},
                               options, result, workspace, use);
    }
  }
  const auto left_keys = left_keys_as<KeyOf<Right>>(left);
  using LeftKeys = std::decay_t<decltype(left_keys)>;
  if constexpr (Strategy == JoinStrategy::automatic && std::is_same_v<LeftKeys, Right>) {
    const JoinSizes sizes = use.sizes_of(left, right);
    const bool swaps = builds_left(kind, options, sizes);
    const auto condition = match_of_sides(match, swaps);
    using Join =
        HashJoin<Row, Strategy, Exec, Right, Right, std::decay_t<decltype(condition)>, Hash, Equal>;
    const auto join = [&](const Right& probed, const Right& built, const JoinSizes& its) {
      return use(Join({request.exec, request.kind, probed, built, condition, request.hash,
                       request.equal, request.parts.swapped(swaps)},
                      options, result, workspace),
                 its);
    };
    if (!swaps) return join(left_keys, right, sizes);
    const SwappedColumns columns(result);
    return join(right, left_keys, {sizes.right_rows, sizes.left_rows, sizes.pairs});
  } else {
    using Join = HashJoin<Row, Strategy, Exec, LeftKeys, Right, Match, Hash, Equal>;
    return use(
        Join({exec, kind, left_keys, right, match, hash, equal, parts}, options, result, workspace),
        use.sizes_of(left, right));
  }
}

/// Uses a HashJoin by carrying it out.
struct RunJoin {
  template <class Left, class Right>
  [[nodiscard]] JoinSizes sizes_of(const Left& left, const Right& right) const {
    return {left.size(), right.size()};
  }
  template <class Join>
  std::uint64_t operator()(const Join& join, const JoinSizes&) const {
    return join.run();
  }
};
/// Uses a HashJoin by asking for the bytes that it would take with other sizes.
struct TellJoinBytes {
  JoinSizes sizes;
  template <class Left, class Right>
  [[nodiscard]] JoinSizes sizes_of(const Left&, const Right&) const {
    return sizes;
  }
  template <class Join>
  std::uint64_t operator()(const Join& join, const JoinSizes& its) const {
    return join.bytes(its).peak();
  }
};

/// Carries out a hash join of keys that are read as they will be compared.
template <class Row, JoinStrategy Strategy, class Exec, class Left, class Right, class Match,
          class Hash, class Equal, class Pairs, class Memory>
std::uint64_t run_join_of(const JoinRequest<Exec, Left, Right, Match, Hash, Equal>& request,
                          const HashJoinOptions<Strategy>& options, Pairs* result,
                          Workspace<Memory>& workspace) {
  return with_join_of<Row>(request, options, result, workspace, RunJoin());
}

/// Calls `use` with the request for a hash join whose keys are read as they will be compared, and
/// returns what it does. Checks the arguments first.
template <class Row, class Memory, class Exec, class Left, class Right, class Match, class Hash,
          class Equal, class Use>
std::uint64_t with_met_keys(const JoinRequest<Exec, Left, Right, Match, Hash, Equal>& request,
                            const JoinOptions& options, const Use& use) {
  const auto& [exec, kind, left, right, match, hash, equal, parts] = request;
  require_condition<Match>();
  require_accessible_table<Exec, Memory>();
  require_accessible_queries<Exec, Left>();
  require_accessible_queries<Exec, Right>();
  check_rows<Row>(0, left.size());
  check_rows<Row>(0, right.size());
  const auto left_side = keys_of_side<Right>(left);
  const auto right_side = keys_of_side<Left>(right);
  using LeftKey = KeyOf<decltype(left_side)>;
  using RightKey = KeyOf<decltype(right_side)>;
  if constexpr (require_joinable<LeftKey, RightKey, Hash, Equal>()) {
    const auto left_keys = join_keys<RightKey, Hash, Equal>(left_side);
    const auto right_keys = join_keys<LeftKey, Hash, Equal>(right_side);
    return use(JoinRequest{exec, kind, left_keys, right_keys, match,
                           seeded_hash("hash_join", hash, options.seed), equal, parts});
  } else {
    return 0;
  }
}

/// Carries out a hash join. Returns its number of pairs. Writes them to `*result` unless that is
/// null.
template <class Row, JoinStrategy Strategy, class Exec, class Left, class Right, class Match,
          class Hash, class Equal, class Pairs, class Memory>
std::uint64_t run_hash_join(const JoinRequest<Exec, Left, Right, Match, Hash, Equal>& request,
                            const HashJoinOptions<Strategy>& options, Pairs* result,
                            Workspace<Memory>& workspace) {
  return with_met_keys<Row, Memory>(request, options, [&](const auto& met) {
    return run_join_of<Row>(met, options, result, workspace);
  });
}

/// Returns the most bytes that a hash join of such sides takes at once.
template <class Row, class Memory, JoinStrategy Strategy, class Exec, class Left, class Right,
          class Match, class Hash, class Equal>
[[nodiscard]] std::uint64_t tell_join_bytes(
    const JoinRequest<Exec, Left, Right, Match, Hash, Equal>& request,
    const HashJoinOptions<Strategy>& options, const JoinSizes& sizes) {
  check_rows<Row>(0, sizes.left_rows);
  check_rows<Row>(0, sizes.right_rows);
  return with_met_keys<Row, Memory>(request, options, [&](const auto& met) {
    Workspace<Memory> none;
    RowPairs<Row, Row, Memory>* const no_result = nullptr;
    return with_join_of<Row>(met, options, no_result, none, TellJoinBytes{sizes});
  });
}

}  // namespace hashmill::detail
