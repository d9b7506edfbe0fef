#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/hash_aggregation.hpp>

namespace hashmill {

namespace detail {

/// Counts pairs of a group and a value, one row of a container each, that have a value.
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

/// How many different values each group of a HashAggregation has, of batches that may go: what
/// `count_distinct` tells of rows that stay. Made by `distinct_counts`, which takes the type of the
/// values and no rows:
///
///     auto buyers = distinct_counts(exec, buyer);
///     for (...) {
///       sales.add(exec, columns(country), agg::sum(price));
///       buyers.add(exec, sales, columns(country), buyer);
///     }
///     buyers.results(exec, sales.size());  // a count for each group of `sales`
///
/// The different pairs of a group's number and a value are groups themselves, in rows that a
/// TagBucket finds: the memory of a HashAggregation of two columns of keys and one count, strings
/// with their bytes. Any number of them may count values of one aggregation. Concurrency: as of
/// HashAggregation.
template <RowNumber Row, class Values>
class DistinctCounts {
  using Memory = typename Values::memory_space;
  using Groups = ValueColumn<Row, Memory>;
  using Count = decltype(agg::count());
  using Batches = detail::AggregatedBatches<Row, RowHash, Columns<Groups, Values>, Count>;

 public:
  using memory_space = Memory;

  /// See `distinct_counts`.
  template <backends::ExecutionSpace Exec>
  explicit DistinctCounts(const Exec& exec, const HashAggregationOptions& options = {})
      : strategy_(options.strategy),
        batches_(exec, RowHash(options.seed), options.seed, agg::count()) {}

  /// Adds the values of a batch's rows, on `exec`, which it fences; `keys` are those of the rows,
  /// which must have been added to `groups`: rows whose keys are in no group count nowhere. Looks
  /// up every key there, and adds the pairs as HashAggregation adds a batch; throws as that does,
  /// and is as before then.
  template <backends::ExecutionSpace Exec, class Aggregation, class Keys, class Source>
  void add(const Exec& exec, const Aggregation& groups, const Keys& keys, const Source& values) {
    detail::require_accessible_table<Exec, Memory>();
    static_assert(std::is_same_v<typename Aggregation::row_type, Row>,
                  "hashmill::DistinctCounts: groups numbered in the same type");
    Kokkos::Profiling::ScopedRegion region("hashmill::DistinctCounts::add");
    const detail::ExclusiveUse::Scope scope(use_, "DistinctCounts::add");
    typename Workspace<Memory>::Frame frame(batches_.workspace);
    const auto column = as_column(values);
    detail::same_length("DistinctCounts::add", "keys", keys, "values", column);
    const auto group_of = batches_.workspace.template take<Row>(exec, column.size());
    groups.find(exec, keys, group_of);
    batches_.add(exec, strategy_, columns(group_of, column), agg::count());
  }

  /// The number of different values of groups 0 up to, and without, `num_groups`, nulls not
  /// counted; NaNs are one value. On `exec`, which it fences. Reads each pair once. Throws
  /// CapacityError when memory is short.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] Kokkos::View<std::uint64_t*, Memory> results(const Exec& exec,
                                                             std::uint64_t num_groups) const {
    Kokkos::Profiling::ScopedRegion region("hashmill::DistinctCounts::results");
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

  /// Forgets all values and keeps the memory; fences `exec`. For when the groups are cleared.
  template <backends::ExecutionSpace Exec>
  void clear(const Exec& exec) {
    const detail::ExclusiveUse::Scope scope(use_, "DistinctCounts::clear");
    batches_.table.clear(exec);
  }
  /// Bytes of memory held.
  [[nodiscard]] std::uint64_t bytes() const {
    return batches_.table.bytes() + batches_.workspace.bytes();
  }

 private:
  BatchStrategy strategy_;
  Batches batches_;
  detail::ExclusiveUse use_;
};

/// Counts of different values of the type of this column or view, of which nothing is read; options
/// as of `hash_aggregation`. Throws CapacityError when memory is short.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Source>
[[nodiscard]] auto distinct_counts(const Exec& exec, const Source& values,
                                   const HashAggregationOptions& options = {}) {
  static_assert(agg::detail::has_values<Source>(),
                "hashmill::distinct_counts: values are a view of numbers or a column");
  return DistinctCounts<Row, std::decay_t<decltype(as_column(values))>>(exec, options);
}

}  // namespace hashmill
