#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/distributed_join/detail/join_by_plan.hpp>
#include <hashmill/distributed_join/plan.hpp>

namespace hashmill {

namespace detail {

/// Joins, and calls `by` as `join_by_plan` does.
template <class Request, class By>
void run_distributed_join(const Request& request, const By& by) {
  join_by_plan(request, agree_on_movement(request), by);
  request.call.agree("agree on results");
}

/// What the ranks agree on before rows move.
template <class Request>
[[nodiscard]] DistributedJoinPlan agree_on_whole_plan(const Request& request) {
  const MovementPlan movement = agree_on_movement(request);
  if (request.ranks.size() == 1) return {};
  DistributedJoinPlan plan{movement.movement, movement.rounds};
  if (movement.movement != JoinMovement::repartition) return plan;
  const auto routing = agree_on_routing(request, movement);
  plan.heavy_left = routing.heavy().count(true);
  plan.heavy_right = routing.heavy().count(false);
  plan.filters_left = routing.left_filter().has_value();
  return plan;
}

}  // namespace detail

/// Joins two sides whose rows lie on any ranks, and returns this rank's share of the joined rows.
/// Collective over `ranks`, on `exec`, which is fenced.
///
/// - left, right: made by `join_side`. The left side is the probe side. Ranks have any numbers of
///   rows, also none, in columns of the same kinds and types.
/// - kind: which rows without a partner are kept; the columns of the missing side are null there.
/// - condition: see `EveryRow`.
/// - options: equal on all ranks.
///
/// Keys match as those of `hash_join`: nulls match nothing, unless `options.nulls_equal`.
///
///     const auto lines = hashmill::join_side<0>(line_orders, prices);
///     const auto orders = hashmill::join_side<0>(order_keys, dates);
///     const auto mine = hashmill::distributed_join(exec, ranks, hashmill::JoinKind::inner, lines,
///                                                  orders, {}, workspace);
///     const auto my_prices = mine.left_column<1>().values;  // prices(i) was paid
///     const auto my_dates = mine.right_column<1>().values;  // on dates(i)
///
/// Rows travel in one of these ways (`JoinMovement`). `automatic` broadcasts a side where the other
/// one has more than (ranks - 1) times its bytes:
///
///     | movement        | a rank receives                                              |
///     |-----------------|--------------------------------------------------------------|
///     | repartition     | its share of both sides                                      |
///     | broadcast_right | the whole right side; its left rows stay                     |
///     | broadcast_left  | the whole left side; its right rows stay                     |
///
/// A repartitioned join sends rows in rounds, by further bits of their hashes. Each is joined while
/// the next ones are under way. On devices, columns of plain values of at most 32 bytes per row are
/// brought into the order of ranks and rounds in one pass. The same pass cuts what a rank receives
/// in a round further, so that the local join of a round takes one pass less. Rows whose null
/// matches nothing stay on their rank, or are dropped where the result has no place for them. On
/// one rank nothing is copied.
///
/// Heavy keys would give one rank more than its share. They are looked for where a side has 2^18
/// rows or more, in a sample of at least 128 rows of each rank and side. A key is heavy if a side
/// has more than an eighth of a rank's share of rows for it. Rows of one side then stay where they
/// are, and the fewer rows of the other side go to all ranks. Rows that stay are dealt to all ranks
/// in turn where one rank has more than 1.5 times its share.
///
/// Rows that go to all ranks may have to be kept without a partner. Then the ranks tell each other
/// which of them have one, 2 bytes per row, and each of the others is in the result of one rank.
///
/// Left rows that have no partner need not travel. A filter of all right keys tells most of them
/// (see JoinFilter). `automatic` makes it where it takes at most 64 MiB, and at most a 32nd of the
/// bytes of a rank's left rows. It is used where at most half of the left rows of a sample pass.
///
/// Joined rows come in no specified order. With `options.ordered` the result is the same, byte for
/// byte, for the same ranks, rows and rounds.
///
/// Cost: that of `shuffle` for the rows that travel, of `hash_join` for a rank's share, and of a
/// gather for each column of the result. Memory: from `workspace` the columns that are sent, and
/// those received; new, the result and 8 bytes per joined row.
///
/// Throws on all ranks, after which the communicator can be used again:
///
/// - InvalidArgument where columns differ in length, options do not suit the kind, or ranks give
///   other columns or options.
/// - CapacityError where memory is short, or the row numbers of a round exceed
///   `options.memory_budget`.
/// - CommunicationError on ranks that did not fail; it names one that did.
///
/// Source: Gao and Sakharnykh, "Scaling Joins to a Thousand GPUs", the repartitioned join.
template <backends::ExecutionSpace Exec, class Left, class Right, class Condition = EveryRow>
[[nodiscard]] auto distributed_join(const Exec& exec, const Communicator& ranks, JoinKind kind,
                                    const Left& left, const Right& right,
                                    const DistributedJoinOptions& options,
                                    Workspace<typename Exec::memory_space>& workspace,
                                    const Condition& condition = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::distributed_join");
  detail::CollectiveCall call(ranks, "distributed_join",
                              detail::join_signature(kind, options, left.columns, right.columns));
  using Memory = typename Exec::memory_space;
  detail::JoinedOf<Memory, Left, Right> result;
  const detail::DistributedJoinRequest<Exec, Left, Right, Condition> request(
      {exec, ranks, call, kind, condition, options, workspace}, left, right);
  detail::run_distributed_join(request, [&]<class Round>(const auto& join) {
    std::vector<Round> rounds;
    join([&](Round round) { rounds.push_back(std::move(round)); });
    call.step("gather", [&] { result = detail::join_columns(exec, kind, rounds, workspace); });
  });
  return result;
}

/// As `distributed_join`, but calls `use(joined)` on the host with the rows of one round after
/// another, and keeps none of them. Some may be empty. What `use` throws ends the call on all
/// ranks. Without `options.rounds` there is one round for each 128 MiB that a rank receives.
template <backends::ExecutionSpace Exec, class Left, class Right, class Use,
          class Condition = EveryRow>
void distributed_join_in_chunks(const Exec& exec, const Communicator& ranks, JoinKind kind,
                                const Left& left, const Right& right,
                                const DistributedJoinOptions& options,
                                Workspace<typename Exec::memory_space>& workspace, const Use& use,
                                const Condition& condition = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::distributed_join_in_chunks");
  detail::CollectiveCall call(ranks, "distributed_join_in_chunks",
                              detail::join_signature(kind, options, left.columns, right.columns));
  const detail::DistributedJoinRequest<Exec, Left, Right, Condition> request(
      {exec, ranks, call, kind, condition, options, workspace}, left, right);
  detail::run_distributed_join(request, [&]<class Round>(const auto& join) {
    join([&](Round round) { use(detail::join_columns(exec, kind, std::move(round), workspace)); });
  });
}

/// How `distributed_join` of the same arguments moves rows, by the sizes of the sides, a sample of
/// their keys, and a filter where it may pay. Moves and joins none. Collective over `ranks`, on
/// `exec`, which is fenced. Throws as `distributed_join`.
template <backends::ExecutionSpace Exec, class Left, class Right>
[[nodiscard]] DistributedJoinPlan plan_distributed_join(
    const Exec& exec, const Communicator& ranks, JoinKind kind, const Left& left,
    const Right& right, const DistributedJoinOptions& options,
    Workspace<typename Exec::memory_space>& workspace) {
  Kokkos::Profiling::ScopedRegion region("hashmill::plan_distributed_join");
  detail::CollectiveCall call(ranks, "plan_distributed_join",
                              detail::join_signature(kind, options, left.columns, right.columns));
  const EveryRow every_row;
  const detail::DistributedJoinRequest<Exec, Left, Right, EveryRow> request(
      {exec, ranks, call, kind, every_row, options, workspace}, left, right);
  const DistributedJoinPlan plan = detail::agree_on_whole_plan(request);
  call.agree("agree on results");
  return plan;
}

}  // namespace hashmill
