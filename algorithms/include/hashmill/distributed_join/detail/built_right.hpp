#pragma once

#include <hashmill/distributed_join/detail/joined_rounds.hpp>
#include <hashmill/distributed_join/detail/replicated_flags.hpp>
#include <hashmill/distributed_join/detail/right_table.hpp>
#include <hashmill/distributed_join/detail/row_partners.hpp>
#include <hashmill/distributed_join/detail/rows_here.hpp>
#include <hashmill/join.hpp>

namespace hashmill::detail {

/// The right side of a join, which all ranks have, in a table. Left rows are joined with it batch
/// by batch, where they lie.
template <class Exec, class LeftSide, class RightSide, bool AsNumbers>
class BuiltRight {
 public:
  using MemorySpace = typename Exec::memory_space;
  using RightColumns = decltype(RightSide::columns);

  /// Waits for `exec`.
  BuiltRight(const Exec& exec, JoinKind kind, const DistributedJoinOptions& options,
             RowsHere<RightColumns> right, Workspace<MemorySpace>& workspace)
      : kind_(kind),
        options_(options),
        right_(std::move(right)),
        table_(right_table<AsNumbers>(exec, right_keys(right_.columns, options), options.seed,
                                      workspace)) {
    if (keeps_right(kind)) has_partner_.allocate(exec, right_.replicated, false);
    exec.fence("hashmill::DistributedJoin: flags are written on any instance");
  }

  /// Joins left rows, and calls `use(joined)`. Waits for `exec`.
  template <class LeftColumns, class Condition, class Use>
  void probe(const Exec& exec, const LeftColumns& left, const Condition& condition,
             Workspace<MemorySpace>& workspace, const Use& use) const {
    JoinedRound<LeftColumns, RightColumns, MemorySpace> round{left, right_.columns, {}, nullptr};
    const auto keys =
        key_of_columns<AsNumbers>(left, typename LeftSide::key_columns(), options_.nulls_equal);
    join(exec, keeps_left(kind_) ? JoinKind::left : JoinKind::inner, keys, table_,
         condition(left, right_.columns), static_cast<const JoinOptions&>(options_), round.pairs,
         workspace);
    if (keeps_right(kind_)) mark_partners(exec, round.pairs.right, has_partner_.flags().data());
    use(join_columns(exec, kind_, std::move(round), workspace));
  }
  /// Calls `use(joined)` with the right rows of this rank's share that have no partner on any rank,
  /// if the join keeps them. `no_left` are left columns without rows. Part of a collective call.
  template <class LeftColumns, class Use>
  void finish(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
              const LeftColumns& no_left, Workspace<MemorySpace>& workspace, const Use& use) const {
    if (!keeps_right(kind_)) return;
    if (ranks.size() > 1) has_partner_.combine(exec, ranks, call);
    call.step("join", [&] {
      JoinedRound<LeftColumns, RightColumns, MemorySpace> round{
          no_left, right_.columns, unmatched(exec, ranks, workspace), nullptr};
      use(join_columns(exec, kind_, std::move(round), workspace));
    });
  }

 private:
  using Pairs = RowPairs<std::uint32_t, std::uint32_t, MemorySpace>;

  [[nodiscard]] static auto right_keys(const RightColumns& columns,
                                       const DistributedJoinOptions& options) {
    return key_of_columns<AsNumbers>(columns, typename RightSide::key_columns(),
                                     options.nulls_equal);
  }
  using Table = decltype(right_table<AsNumbers>(
      std::declval<const Exec&>(),
      right_keys(std::declval<const RightColumns&>(), DistributedJoinOptions()), Seed(0),
      std::declval<Workspace<MemorySpace>&>()));

  [[nodiscard]] Pairs unmatched(const Exec& exec, const Communicator& ranks,
                                Workspace<MemorySpace>& workspace) const {
    const IsUnmatchedHere keep{has_partner_.flags().data(),
                               static_cast<std::uint64_t>(ranks.rank()),
                               static_cast<std::uint64_t>(ranks.size())};
    return pairs_without<Pairs>(exec, 0, has_partner_.flags().extent(0), keep, &Pairs::right,
                                &Pairs::left, workspace);
  }
  JoinKind kind_;
  DistributedJoinOptions options_;
  RowsHere<RightColumns> right_;
  Table table_;
  ReplicatedFlags<MemorySpace> has_partner_;  // of each right row, if the join keeps them
};

}  // namespace hashmill::detail
