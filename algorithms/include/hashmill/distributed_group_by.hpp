#pragma once

#include <hashmill/aggregations.hpp>
#include <hashmill/distributed_group_by/detail/aggregation_signature.hpp>
#include <hashmill/distributed_group_by/detail/batch_states.hpp>
#include <hashmill/distributed_group_by/detail/group_owner.hpp>

namespace hashmill {

/// Groups the rows of all ranks by their keys and aggregates each group. Collective, on `exec`,
/// which it fences. Returns a GroupedColumns of the groups that this rank owns; a group is on
/// exactly one rank. Groups are found as a DistributedAggregation finds them, which describes when
/// rows are aggregated before they travel, and their order. But it stores no group: rows of the
/// batch stand for groups, and owners group what arrives as `group_by` does.
///
/// Where keys hardly repeat on any rank, and no key is hot, rows travel as they are: keys and
/// values, for which states take more bytes. Ranks agree on that. Samples must show it on all that
/// have more than 4096 rows, and on one of them at least. It is not done for `agg::first`, the
/// variance of floating-point numbers and the count of strings.
///
///     namespace agg = hashmill::agg;
///     const auto mine = hashmill::distributed_group_by(exec, ranks, hashmill::columns(city, day),
///                                                      options, workspace, agg::sum(price));
///     const auto sums = std::get<0>(mine.results).values;  // sums(g): of group g
///
/// - keys, aggregations: n rows each on this rank, also none. All ranks give the same types.
/// - options: the seed is equal on all ranks.
/// - workspace: temporary memory, 12 to 40 bytes per row.
///
/// Throws on all ranks, after which the communicator can be used again: InvalidArgument where
/// lengths differ, keys have `nans_unequal()`, or ranks give other types, options or aggregations;
/// CapacityError where memory is short. On ranks that did not fail it is a CommunicationError,
/// which names one that did.
template <RowNumber Row = std::uint32_t, class Hash = RowHash, backends::ExecutionSpace Exec,
          class Keys, class... Aggregations>
[[nodiscard]] auto distributed_group_by(const Exec& exec, const Communicator& ranks,
                                        const Keys& keys, const DistributedGroupOptions& options,
                                        Workspace<typename Keys::memory_space>& workspace,
                                        const Aggregations&... aggregations) {
  detail::require_kept_groups<Keys, Aggregations...>();
  Kokkos::Profiling::ScopedRegion region("hashmill::distributed_group_by");
  using Columns = decltype(detail::as_columns(keys));
  using Batch = detail::BatchToSend<Row, Columns, Aggregations...>;
  constexpr bool from_view = Kokkos::is_view_v<Keys>;
  detail::CollectiveCall call(
      ranks, "distributed_group_by",
      detail::group_by_signature<Columns>(from_view, options, aggregations...));
  const typename Workspace<typename Keys::memory_space>::Frame frame(workspace);
  const Columns by = detail::as_columns(keys).nulls_equal();
  Batch batch(aggregations...);
  Hash hash;
  call.step("check rows", [&] {
    hash = detail::seeded_hash("distributed_group_by", Hash(), options.seed);
    static_cast<void>(detail::check_batch<Row, Exec>(keys, aggregations...));
  });
  const detail::GroupOwner<from_view, Row, Exec, Hash> owner(exec, ranks, call, hash, options,
                                                             workspace);
  using Found = decltype(owner.group(batch.kept(), batch.key_columns(by), batch.states()));
  Found found;
  if (ranks.size() == 1) {
    call.step("aggregate", [&] {
      const auto& folds = batch.states().folds;
      const auto groups = detail::accumulate_groups<Row, typename Keys::memory_space>(
          exec, detail::faster_keys(keys, by), folds, options.seed, workspace);
      found =
          detail::grouped_columns(exec, folds, groups, workspace, detail::columns_of(by.list()));
    });
  } else {
    DistributedGroupOptions chosen = options;
    if constexpr ((detail::travels_plainly<Aggregations> && ...)) {
      auto vote = detail::PlainVote::any;
      call.step("sample", [&] {
        const auto plan = detail::plan_batch(exec, by, options, workspace);
        vote = plan.vote;
        chosen.pre_aggregation = plan.states;
      });
      if (call.agree_on_greatest(static_cast<std::uint64_t>(vote), "agree on what travels") ==
          static_cast<std::uint64_t>(detail::PlainVote::plain)) {
        found = owner.group_rows(by.size(), detail::columns_of(by.list()), aggregations...);
        call.agree("agree on results");
        return found;
      }
    }
    call.step("aggregate", [&] { batch.take(exec, workspace, chosen, keys, by, aggregations...); });
    found = owner.group(batch.kept(), batch.key_columns(by), batch.states());
  }
  call.agree("agree on results");
  return found;
}

/// As above, with default options and temporary memory of its own.
template <RowNumber Row = std::uint32_t, class Hash = RowHash, backends::ExecutionSpace Exec,
          class Keys, class First, class... Aggregations>
  requires(!std::same_as<First, DistributedGroupOptions>)
[[nodiscard]] auto distributed_group_by(const Exec& exec, const Communicator& ranks,
                                        const Keys& keys, const First& first,
                                        const Aggregations&... aggregations) {
  Workspace<typename Keys::memory_space> workspace;
  return distributed_group_by<Row, Hash>(exec, ranks, keys, DistributedGroupOptions{}, workspace,
                                         first, aggregations...);
}

}  // namespace hashmill
