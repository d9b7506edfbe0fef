#pragma once

#include <hashmill/distributed_group_by/detail/frequent_rows.hpp>
#include <hashmill/distributed_group_by/detail/listed_batch.hpp>
#include <hashmill/distributed_group_by/detail/row_states.hpp>
#include <hashmill/group_by/detail/accumulate_groups.hpp>
#include <hashmill/group_by/detail/batches/aggregated_batches.hpp>

namespace hashmill::detail {

/// Writes the states of the groups of a batch.
template <class Kept, class Folds>
struct KeepGroups {
  Kept kept;
  Folds folds;
  const typename Folds::Group* groups;
  typename Kept::Group* out;
  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    out[g] = kept_state(kept, folds, groups[g]);
  }
};

/// Rows of a batch that stand for all of them: first one for each group, then rows of rare keys,
/// each with a state of its own. A source of states.
template <class Row, class Folds, class Kept, class MemorySpace>
struct BatchStates {
  using memory_space = MemorySpace;
  using value_type = typename Kept::Group;
  static constexpr bool has_rare_rows = !Folds::two_passes;
  Kept kept;
  Folds folds;
  const Row* rows = nullptr;
  const value_type* groups = nullptr;  // the states of the first `num_groups` rows
  std::uint64_t num_groups = 0, count = 0;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator()(std::uint64_t i) const {
    if constexpr (has_rare_rows) {
      if (i >= num_groups) return state_of_row(kept, folds, rows[i]);
    }
    return groups[i];
  }
};

/// One batch on its way to other ranks. Its rows stay in the caller's columns.
template <class Row, class Keys, class... Aggregations>
class BatchToSend {
 public:
  using MemorySpace = typename Keys::memory_space;
  using Kept = FoldList<KeptFold<Aggregations>...>;
  using Folds = FoldList<Aggregations...>;
  using States = BatchStates<Row, Folds, Kept, MemorySpace>;

  explicit BatchToSend(const Aggregations&... aggregations)
      : states_{list_folds(KeptFold<Aggregations>{aggregations}...), list_folds(aggregations...)} {}

  [[nodiscard]] const Kept& kept() const { return states_.kept; }
  [[nodiscard]] const States& states() const { return states_; }
  /// The key columns of the rows that stand for the batch.
  [[nodiscard]] auto key_columns(const Keys& by) const {
    return listed_columns(by, states_.rows, states_.count);
  }

  /// Groups rows, all of them or those of frequent keys, as the options say. Arrays are in memory
  /// of the caller's frame of `workspace`. Waits for `exec`.
  template <class Exec, class BatchKeys>
  void take(const Exec& exec, Workspace<MemorySpace>& workspace,
            const DistributedGroupOptions& options, const BatchKeys& keys, const Keys& by,
            const Aggregations&... aggregations) {
    if constexpr ((has_row_state<Aggregations> && ...)) {
      if (takes_frequent_keys(exec, by, options, workspace)) {
        return take_frequent(exec, workspace, options.seed, keys, by, aggregations...);
      }
    }
    const auto groups = accumulate_groups<Row, MemorySpace>(exec, faster_keys(keys, by),
                                                            states_.folds, options.seed, workspace);
    rows_ = groups.representatives;
    keep(exec, workspace, states_.folds, groups.accumulators);
  }

 private:
  using Group = typename Kept::Group;

  /// Groups the rows of frequent keys. All other rows stand for themselves.
  template <class Exec, class BatchKeys>
  void take_frequent(const Exec& exec, Workspace<MemorySpace>& workspace, Seed seed,
                     const BatchKeys& keys, const Keys& by, const Aggregations&... aggregations) {
    const auto rows = divide_rows<Row>(exec, by, seed, workspace);
    const auto folds = list_folds(
        listed_aggregation(aggregations, rows.frequent.data(), rows.frequent.extent(0))...);
    const auto groups = accumulate_groups<Row, MemorySpace>(
        exec, listed_keys(exec, keys, by, rows.frequent, workspace), folds, seed, workspace);
    const std::uint64_t count = groups.representatives.extent(0);
    const std::uint64_t all = count + rows.rare.extent(0);
    rows_ = workspace.template take<Row>(exec, all);
    gather(exec, rows.frequent, groups.representatives,
           Kokkos::subview(rows_, std::pair(std::uint64_t{0}, count)));
    Kokkos::deep_copy(exec, Kokkos::subview(rows_, std::pair(count, all)), rows.rare);
    keep(exec, workspace, folds, groups.accumulators);
  }
  /// Keeps the states of groups, which are those of the first rows.
  template <class Exec, class SourceFolds, class Groups>
  void keep(const Exec& exec, Workspace<MemorySpace>& workspace, const SourceFolds& folds,
            const Groups& groups) {
    const auto states = workspace.template take<Group>(exec, groups.extent(0));
    backends::for_each_index(
        "hashmill::distributed_group_by::keep", exec, groups.extent(0),
        KeepGroups<Kept, SourceFolds>{states_.kept, folds, groups.data(), states.data()});
    exec.fence("hashmill::distributed_group_by: accumulators go");
    states_.rows = rows_.data();
    states_.groups = states.data();
    states_.num_groups = groups.extent(0);
    states_.count = rows_.extent(0);
  }

  States states_;
  Kokkos::View<Row*, MemorySpace> rows_;  // or in memory of the workspace
};

}  // namespace hashmill::detail
