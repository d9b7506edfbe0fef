#pragma once

#include <hashmill/group_by/detail/host_shares.hpp>
#include <hashmill/hybrid_hash_aggregation/detail/stored_groups.hpp>
#include <type_traits>

namespace hashmill::detail {

/// Groups all partial groups of a round at once, as `group_by` groups rows of many keys: by parts
/// whose tables fit a thread's cache. On hosts that takes a third of the time of adding them to the
/// table of groups, slice by slice.
///
/// Keeps its temporary memory from round to round.
template <class Exec, class Batches, class GroupRows>
class WholeRounds {
  using Memory = typename Exec::memory_space;
  using Group = typename Batches::Group;
  using Kept = typename Batches::Kept;
  using Columns = typename GroupRows::Columns;
  using Row = std::uint64_t;
  using KeyView = std::decay_t<decltype(GroupRows::keys_of(std::declval<const Columns&>()))>;
  using Keys = decltype(group_keys(std::declval<const KeyView&>()));
  using Folds = decltype(folds_of_states(std::declval<const Kept&>(),
                                         GroupRows::states_of(std::declval<const Columns&>())));
  using Table = HostGroupTable<Keys, Row, typename Folds::Group>;

 public:
  /// Not for columns of keys, which are not parted by hash, nor for aggregations that pass twice
  /// over the rows, or that need more for rows than for groups, as `agg::first` does.
  static constexpr bool possible = !backends::has_wide_teams<Exec> && Kokkos::is_view_v<KeyView> &&
                                   fits_slot<KeyOf<Keys>> && !Folds::two_passes &&
                                   std::is_same_v<typename Folds::Group, Group>;

  /// The bytes of temporary memory for so many partial groups.
  [[nodiscard]] static std::uint64_t bytes(const Exec& exec, std::uint64_t rows) {
    const SharePlan plan = plan_host_parts(exec, rows);
    return host_parts_bytes<Row, Keys, Folds>(exec, rows, plan) +
           backends::concurrent_teams(exec) * Table::bytes(plan.slots);
  }
  /// Groups them, in memory of `bytes(exec, rows)` bytes, and calls `use(rows, states, count)` with
  /// a row that has the key of each group, and its state. Returns false, before that, where a part
  /// has far more groups than others, so that its table was full.
  template <class Use>
  [[nodiscard]] bool group(const Exec& exec, const Kept& kept, Seed seed, const Columns& groups,
                           const Use& use) {
    const typename Workspace<Memory>::Frame frame(workspace_);
    const KeyView view = GroupRows::keys_of(groups);
    const Keys keys = group_keys(view);
    const SharePlan plan = plan_host_parts(exec, keys.size());
    workspace_.reserve(exec, host_parts_bytes<Row, Keys, Folds>(exec, keys.size(), plan));
    const auto found = partial_host_groups<Row>(
        exec, keys, folds_of_states(kept, GroupRows::states_of(groups)),
        own_hash(GroupHashOf<KeyView>(seed), HashLevel::groups), plan, workspace_);
    if (found.counts.num_spilled != 0) return false;
    use(found.rows.listed.data(), found.groups.data(), found.counts.num_groups);
    return true;
  }
  /// Frees the memory.
  void free() { workspace_ = {}; }

 private:
  Workspace<Memory> workspace_;
};

}  // namespace hashmill::detail
