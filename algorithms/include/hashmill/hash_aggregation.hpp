#pragma once

#include <hashmill/group_by/detail/batches/aggregated_batches.hpp>
#include <hashmill/group_by/grouped_columns.hpp>

namespace hashmill {

/// A group-by of rows that come in batches, each of which may go once it is added: the aggregation
/// operator of Velox. Made by `hash_aggregation`, which takes the types of columns and no rows:
///
///     auto sales = hash_aggregation(exec, columns(country, city), agg::sum(price), agg::count());
///     for (...) sales.add(exec, columns(country, city), agg::sum(price), agg::count());
///     const auto found = sales.results(exec);
///     std::get<0>(found.keys).values;     // countries
///     std::get<0>(found.results).values;  // sums
///
/// A group is a row of a RowContainer: its keys, copied from the batch in which they came first,
/// strings with their bytes, and beside them what it has accumulated, 8 to 48 bytes an aggregation.
/// A TagBucket over those keys finds it. Groups are numbered as they come, and keep their numbers.
/// Memory: 9 to 19 bytes a group of buckets, and for up to twice as many groups as there are 4 or 8
/// bytes of links and a row of keys, accumulators and 12 bytes; and what the largest batch takes
/// while it is added.
///
/// A batch is added in one of two ways. `by_groups` aggregates it in the way of `group_by`, then
/// looks up each of its groups once and merges: no two threads change one row, and however many
/// rows a key has costs nothing. `by_rows` looks up every row, groups those whose keys are new, and
/// adds each row's values to its group with atomic operations, after teams have gathered frequent
/// groups in scratch. `automatic` takes `by_rows` where little is gained by aggregating first: the
/// table has groups, and the batch either 4096 rows at most or more than one key to four rows,
/// which a sample tells. `agg::first` and the variance of floating-point numbers are always added
/// `by_groups`: they need all rows of a batch.
///
/// Keys are compared as by `group_by`: nulls are one value, and so are NaNs; -0.0 is 0.0. Results
/// are those of `group_by` of all batches in the order in which they were added; only floating
/// point sums, means and variances differ in their last digits, within the bounds that `agg::`
/// tells.
///
/// - `Row`: numbers groups, and the rows of a batch. `Hash`: of RowKeys; for the table (batches are
///   grouped by RowHash or Murmur3Hash, with the seed of the options).
/// - `Keys`, `Aggregations`: what `columns(...)` and `agg::` give.
///
/// Source: velox/docs/develop/aggregations.rst and velox/exec/GroupingSet.h (groups in rows of a
/// container, accumulators beside keys, partial aggregation given up where it does not reduce).
///
/// Concurrency: as of RowContainer: const members may overlap each other, others nothing. Moving
/// leaves an aggregation without groups, to which batches can be added; so does an exception that
/// ends a change and is neither CapacityError nor InvalidArgument, such as std::bad_alloc of a
/// label's bytes.
template <RowNumber Row, class Hash, class Keys, class... Aggregations>
class HashAggregation {
  using Batches = detail::AggregatedBatches<Row, Hash, Keys, Aggregations...>;

 public:
  using memory_space = typename Keys::memory_space;
  using row_type = Row;

  /// See `hash_aggregation`; `hash` comes with its own seed, that of the options is for batches.
  template <backends::ExecutionSpace Exec>
  HashAggregation(const Exec& exec, const HashAggregationOptions& options, const Hash& hash,
                  const Aggregations&... aggregations)
      : options_(options), batches_(exec, hash, options.seed, aggregations...) {}

  /// Adds the rows of a batch, on `exec`, which it fences; the batch may go then. Keys and values
  /// have the types of those that the aggregation was made with; values that were given as a column
  /// there may be a view here, but not the other way round.
  ///
  /// Costs, `by_groups`, a `group_by` of the batch and two random accesses a group of it; `by_rows`
  /// two to three a row, the last of them atomic. Takes 12 to 40 bytes a row of temporary memory,
  /// which is kept for the next batch. Throws InvalidArgument where columns differ in length, a
  /// variance loses other degrees of freedom than the one that the aggregation was made with, or
  /// keys have `nans_unequal()`, and CapacityError when memory is short or there are more groups
  /// than `Row` can number: the aggregation is as before then.
  template <backends::ExecutionSpace Exec, class BatchKeys, class... Batch>
  void add(const Exec& exec, const BatchKeys& keys, const Batch&... aggregations) {
    const auto region = enter<Exec>("add");
    const detail::ExclusiveUse::Scope scope(use_, "HashAggregation::add");
    typename Workspace<memory_space>::Frame frame(batches_.workspace);
    batches_.add(exec, options_.strategy, keys, aggregations...);
  }

  /// found(i) is the number of the group that has key i, or `no_row`; on `exec`, which it fences.
  /// `found` is a view of `Row`, as long as there are keys, else InvalidArgument.
  template <backends::ExecutionSpace Exec, class Queries, class Found>
  void find(const Exec& exec, const Queries& queries, const Found& found) const {
    static_assert(detail::has_columns<Queries>(),
                  "hashmill::HashAggregation: keys are columns, or a view of numbers");
    const auto region = enter<Exec>("find");
    const auto by = detail::as_columns(queries).nulls_equal();
    detail::check_results<Exec>(by, found, "HashAggregation::find");
    batches_.table.find_async(exec, by, found);
    exec.fence("hashmill::HashAggregation::find: results are handed to the caller");
  }

  /// Keys and results of all groups so far, a GroupedColumns, on `exec`, which it fences. Batches
  /// may follow. Reads rows once for each column, strings of keys twice, and writes all columns.
  /// Throws CapacityError when memory is short.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] auto results(const Exec& exec) const {
    const auto region = enter<Exec>("results");
    auto keys = batches_.keys(exec);
    auto columns = batches_.results(exec);
    exec.fence("hashmill::HashAggregation: results are handed to the caller");
    return GroupedColumns<decltype(keys), decltype(columns)>{std::move(keys), std::move(columns),
                                                             size()};
  }

  /// Removes all groups and keeps the memory; fences `exec`.
  template <backends::ExecutionSpace Exec>
  void clear(const Exec& exec) {
    const auto region = enter<Exec>("clear");
    const detail::ExclusiveUse::Scope scope(use_, "HashAggregation::clear");
    batches_.table.clear(exec);
  }

  /// Number of groups.
  [[nodiscard]] std::uint64_t size() const noexcept { return batches_.table.size(); }
  /// Bytes of memory held: groups, their table, and what is kept for the next batch.
  [[nodiscard]] std::uint64_t bytes() const {
    return batches_.table.bytes() + batches_.workspace.bytes();
  }

 private:
  template <class Exec>
  [[nodiscard]] static auto enter(const char* operation) {
    detail::require_accessible_table<Exec, memory_space>();
    return Kokkos::Profiling::ScopedRegion(std::string("hashmill::HashAggregation::") + operation);
  }

  HashAggregationOptions options_;
  Batches batches_;
  detail::ExclusiveUse use_;
};

/// An aggregation of batches of which there is none yet: of keys and values of the types of these
/// columns, of which nothing is read. Give columns, not views, where some batch has nulls. Throws
/// CapacityError when memory is short, and InvalidArgument where the options have a seed and `Hash`
/// takes none (see HashFamily).
template <RowNumber Row = std::uint32_t, class Hash = RowHash, backends::ExecutionSpace Exec,
          class Keys, class... Aggregations>
[[nodiscard]] auto hash_aggregation(const Exec& exec, const Keys& keys,
                                    const HashAggregationOptions& options,
                                    const Aggregations&... aggregations) {
  static_assert(detail::has_columns<Keys>(),
                "hashmill::hash_aggregation: keys are columns, or a view of numbers");
  detail::require_aggregations<Aggregations...>();
  static_assert((detail::fits_rows<Aggregations> && ...),
                "hashmill::hash_aggregation: the first of strings cannot be kept when their batch "
                "goes; number them, and take the first of the numbers");
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
