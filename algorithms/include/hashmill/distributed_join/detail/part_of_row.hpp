#pragma once

#include <bit>
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

/// The cell to which a row belongs (see PartShape): one of the cuts of a part. The first line that
/// holds:
///
///     | row                                 | part                                              |
///     |-------------------------------------|---------------------------------------------------|
///     | has no partner for sure             | its rank's own, in a cut in turn, or dropped if   |
///     |                                     | it is in no result                                |
///     | has a heavy key, its side stays     | its rank's own, or that of a rank in turn         |
///     | has a heavy key, the other stays    | that of all ranks                                 |
///     | any other                           | that of the rank and round of its key, in its cut |
template <class Routes>
class PartOfRow {
 public:
  PartOfRow(const Routes& route_of_row, const RowRules& rules)
      : route_of_row_(route_of_row),
        rules_(rules),
        cells_(
            static_cast<std::uint32_t>(rules.shape.ranks * rules.shape.rounds * rules.shape.cuts)),
        cut_bits_(static_cast<unsigned>(std::bit_width(rules.shape.cuts)) - 1),
        rounds_inverse_(((std::uint64_t{1} << 32) + rules.shape.rounds - 1) / rules.shape.rounds) {}

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    const PartShape& shape = rules_.shape;
    const auto key = route_of_row_.keys(i);
    if (route_of_row_.matches_nothing(key) ||
        (rules_.may_match != nullptr && !rules_.may_match[i])) {
      return rules_.keeps_strangers || !shape.drops
                 ? first_cut(rules_.own_rank) + i % (std::uint64_t{1} << cut_bits_)
                 : shape.dropped_cell();
    }
    const std::uint64_t route = route_of(route_of_row_.hash(key));
    if (const unsigned heavy = rules_.heavy.find(route); heavy != HeavyRoutesRef::none) {
      if (rules_.heavy.left_stays(heavy) != rules_.stays) {
        return shape.first_cell(shape.part_for_all());
      }
      return first_cut(rules_.deals ? (rules_.own_rank + i) % shape.ranks : rules_.own_rank);
    }
    return cell_of(route);
  }

 private:
  /// The first cut of what a rank receives in the last round.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t first_cut(std::uint64_t rank) const {
    const PartShape& shape = rules_.shape;
    return ((shape.rounds - 1) * shape.ranks + rank) * shape.cuts;
  }
  /// The upper bits choose the rank, as in `rank_of_hash`, and the next ones the round and the cut.
  /// There are at most 2^16 cells, so that to multiply by a rounded inverse of 32 bits is to
  /// divide.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t cell_of(std::uint64_t route) const {
    const auto place = static_cast<std::uint32_t>(bucket_of_narrow(route, cells_));
    const auto ranks = static_cast<std::uint32_t>(rules_.shape.ranks);
    const auto rounds = static_cast<std::uint32_t>(rules_.shape.rounds);
    const std::uint32_t rank_and_round = place >> cut_bits_;
    const auto rank = static_cast<std::uint32_t>(rank_and_round * rounds_inverse_ >> 32);
    const std::uint32_t round = rank_and_round - rank * rounds;
    return ((round * ranks + rank) << cut_bits_) + (place & ((1U << cut_bits_) - 1));
  }

  Routes route_of_row_;
  RowRules rules_;
  std::uint32_t cells_;  // of ranks, rounds and cuts
  unsigned cut_bits_;
  std::uint64_t rounds_inverse_;  // 2^32 / rounds, rounded up
};

/// The part of all rows, if there is one only.
struct OnePart {
  std::uint64_t part;
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t) const { return part; }
};

}  // namespace hashmill::detail
