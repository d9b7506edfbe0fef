#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/hash_aggregation.hpp>

namespace hashmill {

namespace detail {

/// Counts, for each group, the stored pairs of group and value whose value is not null. A pair is
/// one row of a container.
template <class Pairs>
struct CountStoredPair {
  Pairs pairs;
  std::uint64_t* counts;
  std::uint64_t num_groups;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto p = static_cast<std::uint64_t>(index);
    const std::uint64_t group = pairs.template value<0>(p);
    if (group < num_groups && !pairs.template is_null<1>(p)) Kokkos::atomic_inc(&counts[group]);
  }
};

}  // namespace detail

/// Counts the different values of each group of a HashAggregation, whose batches need not stay in
/// memory. `count_distinct` is its counterpart for rows that do. Made by `distinct_counts`, which
/// takes the type of the values and reads no rows:
///
///     namespace agg = hashmill::agg;
///     const Kokkos::DefaultExecutionSpace exec;
///     const Kokkos::View<std::int32_t*> country("country", 1000);
///     const Kokkos::View<double*> price("price", 1000);
///     const Kokkos::View<std::uint64_t*> buyer("buyer", 1000);
///     auto sales = hashmill::hash_aggregation(exec, country, agg::sum(price));
///     auto buyers = hashmill::distinct_counts(exec, buyer);
///     for (int batch = 0; batch < 3; ++batch) {  // which fills country, price and buyer
///       sales.add(exec, country, agg::sum(price));
///       buyers.add(exec, sales, country, buyer);
///     }
///     const auto counts = buyers.results(exec, sales.size());  // counts(g): group g of `sales`
///
/// The different pairs of group number and value are groups themselves: rows that a TagBucket
/// finds. They take the memory of a HashAggregation with two key columns and one count; strings are
/// stored with their bytes.
///
/// Several of these may count values of one aggregation. Concurrency: as for HashAggregation.
///
/// - `Row`: that of the aggregation. `Values`: the column type that the values have.
template <RowNumber Row, class Values>
class DistinctCounts {
  using Memory = typename Values::memory_space;
  using Groups = ValueColumn<Row, Memory>;
  using Count = decltype(agg::count());
  using Batches = detail::AggregatedBatches<Row, RowHash, Columns<Groups, Values>, Count>;

 public:
  using memory_space = Memory;
  /// The name of the counts in labels of regions and fences.
  static constexpr const char* label = "hashmill::DistinctCounts";

  /// No counts yet; see `distinct_counts`.
  template <backends::ExecutionSpace Exec>
  explicit DistinctCounts(const Exec& exec, const HashAggregationOptions& options = {})
      : strategy_(options.strategy),
        batches_(exec, RowHash(options.seed), options.seed, agg::count()) {}

  /// Adds the values of a batch's rows. Runs on `exec` and fences it.
  ///
  /// groups: the HashAggregation, to which the batch has been added. keys: the keys of the rows;
  /// rows whose keys are in no group are not counted. values: a column or view as long as `keys`.
  ///
  /// Looks up every key in `groups`, then adds the pairs as HashAggregation adds a batch. Throws
  /// what `HashAggregation::add` throws, and InvalidArgument if `keys` and `values` differ in
  /// length; the counts are unchanged then.
  template <backends::ExecutionSpace Exec, class Aggregation, class Keys, class Source>
  void add(const Exec& exec, const Aggregation& groups, const Keys& keys, const Source& values) {
    static_assert(std::is_same_v<typename Aggregation::row_type, Row>,
                  "hashmill::DistinctCounts: groups numbered in the same type");
    const auto scope = detail::enter(exec, *this, "add", use_);
    typename Workspace<Memory>::Frame frame(workspace_);
    const auto column = as_column(values);
    detail::same_length("DistinctCounts::add", "keys", keys, "values", column);
    const auto group_of = workspace_.template take<Row>(exec, column.size());
    groups.find(exec, keys, group_of);
    batches_.add(exec, workspace_, strategy_, columns(group_of, column), agg::count());
  }

  /// The number of different values of each of the groups [0, num_groups), in a newly allocated
  /// view of `num_groups` elements. Nulls are not counted; all NaNs are one value. Runs on `exec`
  /// and fences it. Reads each pair once. Throws CapacityError if memory is short.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] Kokkos::View<std::uint64_t*, Memory> results(const Exec& exec,
                                                             std::uint64_t num_groups) const {
    const auto region = detail::enter(exec, *this, "results");
    const auto counts = backends::allocate<Kokkos::View<std::uint64_t*, Memory>>(
        exec, "hashmill::distinct_counts", num_groups);
    Kokkos::deep_copy(exec, counts, std::uint64_t{0});
    const auto pairs = batches_.table.rows().ref();
    backends::for_each_index(
        "hashmill::distinct_counts", exec, pairs.size(),
        detail::CountStoredPair<std::decay_t<decltype(pairs)>>{pairs, counts.data(), num_groups});
    exec.fence("hashmill::DistinctCounts: results are handed to the caller");
    return counts;
  }

  /// Removes all values and keeps the memory; fences `exec`. Call it when the groups are cleared.
  template <backends::ExecutionSpace Exec>
  void clear(const Exec& exec) {
    const auto scope = detail::enter(exec, *this, "clear", use_);
    batches_.table.clear(exec);
  }
  /// Bytes of memory held: pairs, their table, and temporary memory kept for the next batch.
  [[nodiscard]] std::uint64_t bytes() const { return batches_.table.bytes() + workspace_.bytes(); }

 private:
  BatchStrategy strategy_;
  Batches batches_;
  Workspace<Memory> workspace_;
  detail::ExclusiveUse use_;
};

/// Makes a DistinctCounts without values, for values of the type of this column or view. Reads none
/// of its elements. The options are those of `hash_aggregation`. Throws CapacityError if memory is
/// short.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Source>
[[nodiscard]] auto distinct_counts(const Exec& exec, const Source& values,
                                   const HashAggregationOptions& options = {}) {
  static_assert(agg::detail::has_values<Source>(),
                "hashmill::distinct_counts: values are a view of numbers or a column");
  return DistinctCounts<Row, std::decay_t<decltype(as_column(values))>>(exec, options);
}

}  // namespace hashmill
