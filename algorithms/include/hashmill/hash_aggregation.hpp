#pragma once

#include <hashmill/aggregations.hpp>
#include <hashmill/group_by/detail/batches/aggregated_batches.hpp>
#include <hashmill/group_by/grouped_columns.hpp>
#include <hashmill/primitives/detail/enter.hpp>

namespace hashmill {

/// A group-by of rows that come in batches; a batch need not stay in memory once it is added. This
/// is the aggregation operator of Velox. Made by `hash_aggregation`, which takes the types of the
/// columns and reads no rows:
///
///     namespace agg = hashmill::agg;
///     const Kokkos::DefaultExecutionSpace exec;
///     const Kokkos::View<std::int32_t*> country("country", 1000), city("city", 1000);
///     const Kokkos::View<double*> price("price", 1000);
///     const auto keys = hashmill::columns(country, city);
///     auto sales = hashmill::hash_aggregation(exec, keys, agg::sum(price), agg::count());
///     for (int batch = 0; batch < 3; ++batch) {  // which fills country, city and price
///       sales.add(exec, keys, agg::sum(price), agg::count());
///     }
///     const auto found = sales.results(exec);
///     const auto countries = std::get<0>(found.keys).values;  // countries(g): of group g
///     const auto sums = std::get<0>(found.results).values;    // sums(g)
///
/// A group is a row of a RowContainer: its keys, and beside them its accumulators. The keys are
/// copied from the batch in which they came first, strings with their bytes. A TagBucket over these
/// keys finds the group. Groups are numbered in the order in which they come, and keep their
/// numbers. Memory, where "room" is up to twice the number of groups:
///
///     buckets       9 to 19 bytes per group
///     links         4 or 8 bytes per group of the room
///     rows          keys + accumulators + 4 bytes per group of the room; the accumulators take 8
///                   to 48 bytes per aggregation
///     batches       the temporary memory of the largest batch, which is kept
///
/// A batch is added in one of two ways (BatchStrategy). `by_groups` aggregates the batch as
/// `group_by` does, then looks up each of its groups once and merges. No two threads change one
/// row, so keys with many rows cost nothing extra. `by_rows` looks up every row and groups those
/// whose keys are new. Then it adds each row's values to its group with atomic operations, after
/// teams have gathered frequent groups in scratch. It is chosen where aggregating first gains
/// little. The first line that holds decides what `automatic` chooses:
///
///     agg::first, or the variance of floating-point numbers   by_groups
///     the aggregation has no group yet                        by_groups
///     the batch has at most 4096 rows                         by_rows
///     a sample shows more than 1 key per 4 rows               by_rows
///     otherwise                                               by_groups
///
/// The first line holds for every strategy: these aggregations need all rows of a batch. Tests:
/// HashAggregation.KeepsFirstValuesAndVariancesOverBatches (the first line) and
/// HashAggregation.TakesOneHeavyGroupAmongMany (the fourth).
///
/// Keys are compared as in `group_by`: all nulls are one value, all NaNs are one value, and -0.0 is
/// 0.0. Results are those of one `group_by` of all batches, in the order in which they were added.
/// Only floating-point sums, means and variances can differ, in their last digits; `agg::` states
/// the bounds.
///
/// - `Row`: numbers groups, and the rows of a batch. `Hash`: hashes RowKeys, for the table. Batches
///   are grouped with RowHash or Murmur3Hash and the seed of the options.
/// - `Keys`, `Aggregations`: the types that `columns(...)` and the functions of `agg::` return.
///
/// Source: velox/docs/develop/aggregations.rst and velox/exec/GroupingSet.h (groups in rows of a
/// container, accumulators beside keys, partial aggregation given up where it does not reduce).
///
/// Aggregations of the same type can be merged, also across devices and ranks: `merge`,
/// `export_partials` and `add_partials` take the groups of another one as a batch, whose rows are
/// partial states in place of values.
///
/// Concurrency: as for RowContainer. Const members may overlap each other; other members must not
/// overlap anything.
///
/// Moving leaves an aggregation without groups, to which batches can be added. So does an exception
/// that ends a change and is neither CapacityError nor InvalidArgument, such as std::bad_alloc for
/// the bytes of a label.
template <RowNumber Row, class Hash, class Keys, class... Aggregations>
class HashAggregation {
  using Batches = detail::AggregatedBatches<Row, Hash, Keys, Aggregations...>;

 public:
  using memory_space = typename Keys::memory_space;
  using row_type = Row;
  /// What a group has accumulated, of all aggregations: trivially copyable, and the same on all
  /// devices.
  using state_type = typename Batches::Group;
  /// The name of the aggregation in labels of regions and fences.
  static constexpr const char* label = "hashmill::HashAggregation";

  /// No groups yet; see `hash_aggregation`. `hash` has its own seed; the seed of the options is for
  /// grouping the batches.
  template <backends::ExecutionSpace Exec>
  HashAggregation(const Exec& exec, const HashAggregationOptions& options, const Hash& hash,
                  const Aggregations&... aggregations)
      : options_(options), batches_(exec, hash, options.seed, aggregations...) {}

  /// Adds the rows of a batch. Runs on `exec` and fences it; the batch may be freed then.
  ///
  /// Keys and values must have the types that the aggregation was made with. Values that were given
  /// as a column then may be a view here, but not the reverse.
  ///
  ///     by_groups   a `group_by` of the batch, and 2 random accesses per group of the batch
  ///     by_rows     2 to 3 random accesses per row, the last of them atomic
  ///
  /// Takes 12 to 40 bytes of temporary memory per row, which is kept for the next batch.
  ///
  /// Throws InvalidArgument if columns differ in length or the keys have `nans_unequal()`. So does
  /// a variance whose `lost_degrees` differs from the one that the aggregation was made with.
  /// Throws CapacityError if memory is short or `Row` cannot number the groups or the rows of the
  /// batch. The aggregation is unchanged then.
  template <backends::ExecutionSpace Exec, class BatchKeys, class... Batch>
  void add(const Exec& exec, const BatchKeys& keys, const Batch&... aggregations) {
    const auto scope = detail::enter(exec, *this, "add", use_);
    typename Workspace<memory_space>::Frame frame(workspace_);
    batches_.add(exec, workspace_, options_.strategy, keys, aggregations...);
  }

  /// Adds all groups of another aggregation, which stays as it is. Then this one has what it would
  /// have if the other's batches had been added to it, after its own. Runs on `exec` and fences it.
  /// Costs what `add` costs for a batch of as many rows as the other has groups; states are read in
  /// its rows. Throws as `add`, and InvalidArgument for the aggregation itself.
  template <backends::ExecutionSpace Exec>
  void merge(const Exec& exec, const HashAggregation& other) {
    if (&other == this) {
      throw InvalidArgument("HashAggregation::merge: an aggregation cannot be merged with itself");
    }
    const auto scope = detail::enter(exec, *this, "merge", use_);
    detail::require_same_settings(batches_.kept, other.batches_.kept);
    typename Workspace<memory_space>::Frame frame(workspace_);
    const auto& groups = other.batches_.table;
    batches_.add_states(exec, workspace_, options_.strategy, groups.keys(), groups.place());
  }
  /// Copies of all groups: a PartialGroups in newly allocated memory. Runs on `exec` and fences it.
  /// Reads and writes what `results` does; a state takes what a row has for accumulators. Throws
  /// CapacityError if memory is short.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] auto export_partials(const Exec& exec) const {
    const auto region = detail::enter(exec, *this, "export_partials");
    auto keys = batches_.keys(exec);
    auto states = batches_.states(exec);
    exec.fence("hashmill::HashAggregation: partial groups are handed to the caller");
    return PartialGroups<decltype(keys), state_type, memory_space>{std::move(keys),
                                                                   std::move(states)};
  }
  /// Adds partial groups that `export_partials` gave, of aggregations of the same type and
  /// settings: row i has key i of `keys` and the state states(i), of a contiguous view. Rows of one
  /// key may be any number, in any places. Values of `agg::first` are those of the first row that
  /// has one. So rows in the order of ranks, as `shuffle` gives them, keep the first value of the
  /// lowest rank. Runs on `exec` and fences it. Costs what `add` costs, and throws as it does.
  template <backends::ExecutionSpace Exec, class BatchKeys, class States>
  void add_partials(const Exec& exec, const BatchKeys& keys, const States& states) {
    static_assert(std::is_same_v<typename States::non_const_value_type, state_type>,
                  "hashmill::HashAggregation: states of an aggregation of the same type");
    detail::require_contiguous<States>();
    const auto scope = detail::enter(exec, *this, "add_partials", use_);
    detail::same_length("HashAggregation::add_partials", "keys", keys, "states", states);
    typename Workspace<memory_space>::Frame frame(workspace_);
    batches_.add_states(exec, workspace_, options_.strategy, keys,
                        detail::WholeGroup<state_type>{states.data()});
  }

  /// Writes to found(i) the number of the group whose key is query i, or `no_row` if there is none.
  /// Runs on `exec` and fences it. One look-up per query. `found` is a view of `Row`. Throws
  /// InvalidArgument if `found` and `queries` differ in length.
  template <backends::ExecutionSpace Exec, class Queries, class Found>
  void find(const Exec& exec, const Queries& queries, const Found& found) const {
    static_assert(detail::has_columns<Queries>(),
                  "hashmill::HashAggregation: keys are columns, or a view of numbers");
    const auto region = detail::enter(exec, *this, "find");
    const auto by = detail::as_columns(queries).nulls_equal();
    detail::check_results<Exec>(by, found, "HashAggregation::find");
    batches_.table.find_async(exec, by, found);
    exec.fence("hashmill::HashAggregation::find: results are handed to the caller");
  }

  /// The keys and results of all groups so far: a GroupedColumns in newly allocated memory. Runs on
  /// `exec` and fences it. Further batches may follow. Reads the rows once per column, and twice
  /// for keys that are strings; writes all columns. Throws CapacityError if memory is short.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] auto results(const Exec& exec) const {
    const auto region = detail::enter(exec, *this, "results");
    auto keys = batches_.keys(exec);
    auto columns = batches_.results(exec);
    exec.fence("hashmill::HashAggregation: results are handed to the caller");
    return GroupedColumns<decltype(keys), decltype(columns)>{std::move(keys), std::move(columns),
                                                             size()};
  }

  /// Removes all groups and keeps the memory; fences `exec`.
  template <backends::ExecutionSpace Exec>
  void clear(const Exec& exec) {
    const auto scope = detail::enter(exec, *this, "clear", use_);
    batches_.table.clear(exec);
  }

  /// Number of groups.
  [[nodiscard]] std::uint64_t size() const noexcept { return batches_.table.size(); }
  /// Bytes of memory held: groups, their table, and temporary memory kept for the next batch.
  [[nodiscard]] std::uint64_t bytes() const { return batches_.table.bytes() + workspace_.bytes(); }

 private:
  HashAggregationOptions options_;
  Batches batches_;
  Workspace<memory_space> workspace_;
  detail::ExclusiveUse use_;
};

/// Makes a HashAggregation without groups, for keys and values of the types of these columns. Reads
/// none of their rows. Pass columns, not views, if any batch can have nulls. The table takes the
/// seed of the options too. Throws CapacityError if memory is short, and InvalidArgument if the
/// options have a seed and `Hash` takes none (see HashFamily).
template <RowNumber Row = std::uint32_t, class Hash = RowHash, backends::ExecutionSpace Exec,
          class Keys, class... Aggregations>
[[nodiscard]] auto hash_aggregation(const Exec& exec, const Keys& keys,
                                    const HashAggregationOptions& options,
                                    const Aggregations&... aggregations) {
  detail::require_kept_groups<Keys, Aggregations...>();
  if constexpr (detail::has_columns<Keys>() && detail::are_aggregations<Aggregations...>) {
    using Columns = decltype(detail::as_columns(keys));
    Kokkos::Profiling::ScopedRegion region("hashmill::hash_aggregation");
    const Hash hash = detail::seeded_hash("hash_aggregation", Hash(), options.seed);
    return HashAggregation<Row, Hash, Columns, Aggregations...>(exec, options, hash,
                                                                aggregations...);
  }
}
/// As above, with the default options.
template <RowNumber Row = std::uint32_t, class Hash = RowHash, backends::ExecutionSpace Exec,
          class Keys, class First, class... Aggregations>
  requires(!std::same_as<First, HashAggregationOptions>)
[[nodiscard]] auto hash_aggregation(const Exec& exec, const Keys& keys, const First& first,
                                    const Aggregations&... aggregations) {
  return hash_aggregation<Row, Hash>(exec, keys, HashAggregationOptions{}, first, aggregations...);
}

}  // namespace hashmill
