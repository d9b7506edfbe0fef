#pragma once

#include <hashmill/primitives/detail/row_keys.hpp>
#include <hashmill/route.hpp>
#include <hashmill/shuffle/detail/row_parts.hpp>

namespace hashmill::detail {

/// The part to which a row belongs, whose rank owns its key. Rows that match nothing, because of a
/// null, stay on their rank: they need no partner.
template <class Keys, class Hash>
struct PartOfKey {
  Keys keys;
  Hash hash;
  PartShape shape;
  std::uint64_t own_rank;

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    const auto key = keys(i);
    if constexpr (IsRowKey<std::decay_t<decltype(key)>>::value) {
      if (key.alone != 0) return own_rank;
    }
    // The upper bits choose the rank, as in `rank_of_hash`, and the next ones the round.
    const std::uint64_t place = bucket_of(route_of(hash(key)), shape.ranks * shape.rounds);
    return place % shape.rounds * shape.ranks + place / shape.rounds;
  }
};

/// The part of all rows, if there is one only.
struct OnePart {
  std::uint64_t part;
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t) const { return part; }
};

}  // namespace hashmill::detail
