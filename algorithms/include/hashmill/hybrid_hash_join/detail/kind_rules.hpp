#pragma once

#include <hashmill/hybrid_hash_join/options.hpp>
#include <hashmill/join/options.hpp>

namespace hashmill::detail {

// What a kind of join does with rows.

/// Whether left or right rows without a partner are in the result.
[[nodiscard]] constexpr bool keeps_strangers_left(HybridJoinKind kind) {
  return kind == HybridJoinKind::left || kind == HybridJoinKind::full ||
         kind == HybridJoinKind::anti;
}
[[nodiscard]] constexpr bool keeps_strangers_right(HybridJoinKind kind) {
  return kind == HybridJoinKind::right || kind == HybridJoinKind::full;
}
/// Whether it asks of left rows only if they have a partner.
[[nodiscard]] constexpr bool only_marks(HybridJoinKind kind) {
  return kind == HybridJoinKind::semi || kind == HybridJoinKind::anti;
}
/// Whether it must know of each left row if it has a partner anywhere.
[[nodiscard]] constexpr bool needs_marks(HybridJoinKind kind) {
  return only_marks(kind) || keeps_strangers_left(kind);
}
/// The kind of join whose columns can be null where those of the result can.
[[nodiscard]] constexpr JoinKind nulls_of(HybridJoinKind kind) {
  switch (kind) {
    case HybridJoinKind::inner:
      return JoinKind::inner;
    case HybridJoinKind::right:
      return JoinKind::right;
    case HybridJoinKind::full:
      return JoinKind::full;
    default:
      return JoinKind::left;
  }
}

}  // namespace hashmill::detail
