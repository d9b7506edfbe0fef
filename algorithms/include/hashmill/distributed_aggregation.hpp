#pragma once

#include <hashmill/aggregations.hpp>
#include <hashmill/communicator.hpp>
#include <hashmill/distributed_group_by/detail/aggregation_signature.hpp>
#include <hashmill/distributed_group_by/detail/group_owner.hpp>
#include <hashmill/distributed_group_by/detail/local_groups.hpp>
#include <hashmill/primitives/detail/enter.hpp>

namespace hashmill {

/// A group-by of the rows of all ranks, which come in batches: a HashAggregation whose groups the
/// ranks divide. Made by `distributed_aggregation`, which takes the types of the columns and reads
/// no rows:
///
///     namespace agg = hashmill::agg;
///     auto sales = hashmill::distributed_aggregation(exec, ranks, city, agg::sum(price));
///     while (next_batch(city, price)) {               // any number of times on each rank
///       sales.add(exec, city, agg::sum(price));
///     }
///     const auto mine = sales.results(exec);          // collective
///     const auto cities = std::get<0>(mine.keys).values;  // of groups that are on no other rank
///
/// `add` never waits for another rank. It aggregates rows where they are, and `results` sends
/// partial states to the ranks that own their keys: one row per key and rank, however many rows the
/// key has. So a hot key costs no rank more than others do. Where keys hardly repeat, aggregating
/// first would cost more than it saves. Then only rows of frequent keys are aggregated, and each
/// other row travels with a state of its own. The first line that holds decides what `automatic`
/// takes for a batch (PreAggregation):
///
///     agg::first, or the variance of floating-point numbers   all keys
///     one rank                                                all keys
///     the batch has at most 4096 rows                         all keys
///     a sample shows more than 1 key per 2 rows               frequent keys
///     otherwise                                               all keys
///
/// The first line holds for every choice. Frequent keys are those of a sample: every 64th row of
/// the batch, but at most 2^16 rows. A key that holds a 10,000th of a batch of 2^26 rows is missed
/// once in 700 times. The rules are `takes_frequent_keys` and `divide_rows`, under
/// distributed_group_by/detail.
///
/// Rows always travel as keys and states, so that ranks need not choose alike. A state takes the
/// bytes of a group's accumulators (see `aggregate`), where the values themselves might take less:
/// 16 bytes for `sum` and `count` of a column of 8 bytes, but 24 for its `mean`.
///
/// Keys are compared as in `group_by`. Results are those of one `group_by` of all rows of the
/// ranks, those of rank 0 first, each rank's in the order in which it added them. Only
/// floating-point sums, means and variances can differ, in their last digits; `agg::` states the
/// bounds. A group is on exactly one rank. A rank owns about as many groups as any other one.
///
/// - `Row`: numbers the groups of a rank, and the rows of a batch. So a rank may receive at most
///   2^32 - 2 rows if it has 32 bits. `Hash`: hashes RowKeys, alike on all ranks.
///
/// Concurrency: as for HashAggregation; `results` is a call of the communicator, too.
template <RowNumber Row, class Hash, class Keys, class... Aggregations>
class DistributedAggregation {
  static constexpr bool from_view = Kokkos::is_view_v<Keys>;
  using Columns = decltype(detail::as_columns(std::declval<const Keys&>()));
  using Groups = detail::LocalGroups<Row, Hash, Columns, Aggregations...>;

 public:
  using memory_space = typename Columns::memory_space;
  using row_type = Row;
  /// The name of the aggregation in labels of regions and fences.
  static constexpr const char* label = "hashmill::DistributedAggregation";

  /// No groups yet; see `distributed_aggregation`.
  template <backends::ExecutionSpace Exec>
  DistributedAggregation(const Exec& exec, const Communicator& ranks,
                         const DistributedGroupOptions& options, const Hash& hash,
                         const Aggregations&... aggregations)
      : ranks_(ranks),
        options_(options),
        hash_(hash),
        groups_(exec, hash, options.seed, aggregations...),
        signature_(detail::group_by_signature<Columns>(from_view, options, aggregations...)) {}

  /// Adds the rows of a batch of this rank. Not collective. Runs on `exec` and fences it; the batch
  /// may be freed then.
  ///
  /// Keys and values are as for `HashAggregation::add`. If the aggregation was made with a view as
  /// keys, all batches have views.
  ///
  ///     all keys        what `HashAggregation::add` costs
  ///     frequent keys   the same for rows of these keys; others are hashed, tested in a bitmap of
  ///                     512 KiB, and written once with their states
  ///
  /// A sample reads every 64th key, 2^20 of them at most. Memory: that of a HashAggregation of the
  /// groups, and keys + states + 4 bytes per row of rare keys.
  ///
  /// Throws on this rank only, as `HashAggregation::add`; the aggregation is as before then.
  template <backends::ExecutionSpace Exec, class BatchKeys, class... Batch>
  void add(const Exec& exec, const BatchKeys& keys, const Batch&... aggregations) {
    static_assert(!from_view || Kokkos::is_view_v<BatchKeys>,
                  "hashmill::DistributedAggregation: keys were a view and are a column now: give "
                  "columns from the beginning, if any batch can have nulls");
    const auto scope = detail::enter(exec, *this, "add", use_);
    const typename Workspace<memory_space>::Frame frame(workspace_);
    groups_.add(exec, workspace_, options_, ranks_.size() == 1, keys, aggregations...);
  }

  /// The keys and results of the groups that this rank owns, with the rows of all ranks: a
  /// GroupedColumns in newly allocated memory. Collective, on `exec`, which it fences. Further
  /// batches may follow.
  ///
  /// Sends keys and a state per group and per row of rare keys, as `shuffle` sends columns, and
  /// groups what arrives as `group_by` groups rows. On one rank nothing is sent. Takes memory for
  /// the rows twice, of what is sent and of what is received, and for the groups owned.
  ///
  /// Throws on all ranks, as `shuffle`, after which it can be called again: InvalidArgument where
  /// ranks have other options, keys or aggregations; CapacityError where memory is short.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] auto results(const Exec& exec) {
    const auto scope = detail::enter(exec, *this, "results", use_);
    detail::CollectiveCall call(ranks_, "DistributedAggregation::results", signature_);
    auto found = find_results(exec, call);
    call.agree("agree on results");
    return found;
  }

  /// Removes all groups of this rank and keeps the memory; fences `exec`. Not collective.
  template <backends::ExecutionSpace Exec>
  void clear(const Exec& exec) {
    const auto scope = detail::enter(exec, *this, "clear", use_);
    groups_.clear(exec);
  }

  /// The ranks that divide the groups.
  [[nodiscard]] const Communicator& ranks() const { return ranks_; }
  /// Bytes of memory held on this rank.
  [[nodiscard]] std::uint64_t bytes() const { return groups_.bytes() + workspace_.bytes(); }

 private:
  using Kept = typename Groups::Batches::Kept;

  template <class Exec>
  auto find_results(const Exec& exec, detail::CollectiveCall& call) {
    const Kept& kept = groups_.batches().kept;
    const detail::GroupOwner<from_view, Row, Exec, Hash> owner(exec, ranks_, call, hash_, options_,
                                                               workspace_);
    typename Groups::Ref rows;
    using Found = decltype(owner.group(kept, Groups::key_columns(rows), states_of(rows)));
    if (ranks_.size() == 1 && groups_.num_rare() == 0) {
      Found found;
      call.step("aggregate", [&] {
        found = {groups_.batches().keys(exec), groups_.batches().results(exec),
                 groups_.batches().table.size()};
        exec.fence("hashmill::DistributedAggregation: results are handed to the caller");
      });
      return found;
    }
    call.step("collect groups", [&] { rows = groups_.collect(exec); });
    return owner.group(kept, Groups::key_columns(rows), states_of(rows));
  }
  static auto states_of(const typename Groups::Ref& rows) {
    return detail::ValuesOnly<decltype(Groups::states(rows))>{Groups::states(rows)};
  }

  Communicator ranks_;
  DistributedGroupOptions options_;
  Hash hash_;
  Groups groups_;
  std::uint64_t signature_;
  Workspace<memory_space> workspace_;
  detail::ExclusiveUse use_;
};

/// Makes a DistributedAggregation without groups, for keys and values of the types of these
/// columns, equal on all ranks. Reads none of their rows. Not collective. Pass columns, not views,
/// if any batch of any rank can have nulls. Throws CapacityError if memory is short, and
/// InvalidArgument if the options have a seed and `Hash` takes none (see HashFamily).
template <RowNumber Row = std::uint32_t, class Hash = RowHash, backends::ExecutionSpace Exec,
          class Keys, class... Aggregations>
[[nodiscard]] auto distributed_aggregation(const Exec& exec, const Communicator& ranks,
                                           const Keys& keys, const DistributedGroupOptions& options,
                                           const Aggregations&... aggregations) {
  static_cast<void>(keys);
  detail::require_kept_groups<Keys, Aggregations...>();
  const Hash hash = detail::seeded_hash("distributed_aggregation", Hash(), options.seed);
  return DistributedAggregation<Row, Hash, Keys, Aggregations...>(exec, ranks, options, hash,
                                                                  aggregations...);
}
/// As above, with the default options.
template <RowNumber Row = std::uint32_t, class Hash = RowHash, backends::ExecutionSpace Exec,
          class Keys, class First, class... Aggregations>
  requires(!std::same_as<First, DistributedGroupOptions>)
[[nodiscard]] auto distributed_aggregation(const Exec& exec, const Communicator& ranks,
                                           const Keys& keys, const First& first,
                                           const Aggregations&... aggregations) {
  return distributed_aggregation<Row, Hash>(exec, ranks, keys, DistributedGroupOptions{}, first,
                                            aggregations...);
}

}  // namespace hashmill
