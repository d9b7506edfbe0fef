#pragma once

#include <hashmill/distributed_join/detail/joined_rounds.hpp>
#include <hashmill/hybrid_hash_join/detail/kind_rules.hpp>

namespace hashmill::detail {

/// Calls `use(joined)` with the rows of pairs, if there are any. Waits for `exec`.
template <class Exec, class Left, class Right, class Memory, class Use>
void give_pairs(const Exec& exec, HybridJoinKind kind, const Left& left, const Right& right,
                RowPairs<std::uint32_t, std::uint32_t, Memory> pairs, Workspace<Memory>& workspace,
                const Use& use) {
  if (pairs.size() == 0) return;
  JoinedRound<Left, Right, Memory> round{left, right, std::move(pairs), nullptr};
  use(join_columns(exec, nulls_of(kind), std::move(round), workspace));
}

}  // namespace hashmill::detail
