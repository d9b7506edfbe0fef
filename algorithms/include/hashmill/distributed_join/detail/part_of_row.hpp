#pragma once

#include <hashmill/distributed_join/detail/heavy_routes.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>
#include <hashmill/route.hpp>
#include <hashmill/shuffle/detail/row_parts.hpp>

namespace hashmill::detail {

/// The route of a row's key, by which ranks are chosen.
template <class Keys, class Hash>
struct RouteOfRow {
  Keys keys;
  Hash hash;

  /// Whether the row matches nothing, because of a null.
  template <class Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool matches_nothing(const Key& key) {
    if constexpr (IsRowKey<Key>::value) return key.alone != 0;
    return false;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return route_of(hash(keys(i)));
  }
};

/// The routes of keys, for kernels.
template <class Keys>
[[nodiscard]] auto routes_of(const Keys& keys, Seed seed) {
  using Hash = GroupHash<KeyOf<Keys>>;
  return RouteOfRow<KeyAccess<Keys>, Hash>{key_access(keys), Hash(seed)};
}

/// What becomes of the rows of one side, apart from their keys.
struct RowRules {
  PartShape shape;
  std::uint64_t own_rank;
  /// Heavy keys. Rows of this side stay where `left_stays` is `stays`.
  HeavyRoutesRef heavy{};
  bool stays = false;
  bool deals = false;  ///< whether rows that stay are dealt to all ranks instead
  /// Whether each row may have a partner; null if all may.
  const bool* may_match = nullptr;
  bool keeps_strangers = false;  ///< whether rows without a partner are part of the result
};

/// The part to which a row belongs; the first line that holds:
///
///     | row                                 | part                                              |
///     |-------------------------------------|---------------------------------------------------|
///     | has no partner for sure             | its rank's own, or dropped if it is in no result  |
///     | has a heavy key, its side stays     | its rank's own, or that of a rank in turn         |
///     | has a heavy key, the other stays    | that of all ranks                                 |
///     | any other                           | that of the rank and round of its key             |
template <class Routes>
struct PartOfRow {
  Routes route_of_row;
  RowRules rules;

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    const PartShape& shape = rules.shape;
    const std::uint64_t last_round = (shape.rounds - 1) * shape.ranks;
    const auto key = route_of_row.keys(i);
    if (route_of_row.matches_nothing(key) || (rules.may_match != nullptr && !rules.may_match[i])) {
      return rules.keeps_strangers || !shape.drops ? last_round + rules.own_rank
                                                   : shape.dropped_part();
    }
    const std::uint64_t route = route_of(route_of_row.hash(key));
    if (const unsigned heavy = rules.heavy.find(route); heavy != HeavyRoutesRef::none) {
      if (rules.heavy.left_stays(heavy) != rules.stays) return shape.part_for_all();
      return last_round + (rules.deals ? (rules.own_rank + i) % shape.ranks : rules.own_rank);
    }
    // The upper bits choose the rank, as in `rank_of_hash`, and the next ones the round.
    const std::uint64_t place = bucket_of(route, shape.ranks * shape.rounds);
    return place % shape.rounds * shape.ranks + place / shape.rounds;
  }
};

template <class Routes>
PartOfRow(const Routes&, const RowRules&) -> PartOfRow<Routes>;

/// The part of all rows, if there is one only.
struct OnePart {
  std::uint64_t part;
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t) const { return part; }
};

}  // namespace hashmill::detail
