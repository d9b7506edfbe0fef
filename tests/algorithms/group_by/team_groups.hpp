#pragma once

#include <hashmill/group_by.hpp>

#include "algorithms/support/views.hpp"

namespace hashmill::test {

/// Groups and accumulates with the team engine, as planned; also on hosts, where a team is one
/// thread.
template <class Keys, class Folds>
auto group_in_teams(const Keys& keys, const Folds& folds, const detail::SharePlan& plan,
                    Workspace<Memory>& workspace) {
  using Row = std::uint32_t;
  const auto by = detail::group_keys(keys);
  using By = std::decay_t<decltype(by)>;
  const auto hash = detail::own_hash(detail::GroupHashOf<By>(Seed(1)), HashLevel::groups);
  if (plan.part_bits != 0) {
    return detail::accumulate_team_parts<Row, Memory>(Exec(), by, folds, hash, plan, workspace);
  }
  return detail::accumulate_team_slices<Row, Memory>(Exec(), by, folds, hash, plan, workspace);
}

}  // namespace hashmill::test
