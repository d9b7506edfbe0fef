#pragma once

#include <hashmill/aggregations.hpp>
#include <hashmill/backends/caches.hpp>
#include <hashmill/hybrid_hash_aggregation/detail/add_batch.hpp>
#include <hashmill/hybrid_hash_aggregation/detail/grouped_rounds.hpp>
#include <hashmill/primitives/detail/call_order.hpp>
#include <hashmill/primitives/detail/enter.hpp>

namespace hashmill {

/// A group-by on one device whose rows come in batches, and whose groups may be larger than memory.
/// Made by `hybrid_hash_aggregation`, which takes the types of the columns and reads no rows.
///
///     namespace agg = hashmill::agg;
///     auto sales = hashmill::hybrid_hash_aggregation(
///         exec, customer, {.budget = {.device = 4ull << 30}}, agg::sum(price), agg::count());
///     while (read(customer, price)) sales.add(exec, customer, agg::sum(price), agg::count());
///     sales.finish(exec, [&](const auto& groups) { write(groups); });
///
/// It takes no more memory than `options.budget` says; see MemoryBudget for where groups go. A
/// batch need not stay once it is added. While all groups fit, it is a HashAggregation. Otherwise:
///
///     | groups                          | rows that come for them                               |
///     |---------------------------------|-------------------------------------------------------|
///     | of the lowest rounds of hashes, | are added to them in memory                           |
///     | as many as fill half a table    |                                                       |
///     | of other rounds                 | are gathered in the other half. Whenever that is      |
///     |                                 | full, its partial groups are stored by round, and     |
///     |                                 | grouped round by round in `finish`                    |
///     | of those, where the table was   | are stored at once, with a state each. Not so for     |
///     | full after less than two rows   | agg::first and the variance of floating-point         |
///     | per group                       | numbers, which need all rows of a batch               |
///
/// So a frequent key is stored a few times, however many rows it has. A round that is still too
/// large is parted again by further bits of the hash.
///
/// On hosts there are three more rules for numbers as keys, unless an aggregation is agg::first or
/// the variance of floating-point numbers. A table of keys that hardly repeat does not exceed half
/// of the last-level cache: all rows are stored then, in memory while it suffices. What is stored
/// is combined once memory is short. A round is grouped at once, as `group_by` does.
///
/// On several ranks, `shuffle` each batch by its keys and add what comes, as for a HybridHashJoin.
///
/// `finish` calls `use(groups)` on the host any number of times with a GroupedColumns in memory of
/// its own: all groups, once each, in no specified order, about a thirtieth of the budget at a
/// time. Keys are compared, and results found, as by HashAggregation.
///
/// Cost, beside that of a HashAggregation: each partial group that is stored is copied, its bytes
/// go once to and from where it is stored, and it is added to a table again. Strings in the table
/// count exactly, and those in results as 16 bytes each.
///
/// Memory beyond the budget: the caller's batches, and what the system adds to small arrays.
///
/// Both functions throw InvalidArgument for batches that HashAggregation would refuse, and after
/// `finish` or an error. They throw CapacityError where the budget, a disk or memory is short, and
/// BackendError where a file cannot be read. The group-by has ended then; files vanish with it.
/// What `use` throws goes through, and ends it too.
///
/// `FromView`: whether it was made with a view as keys, which has no nulls. Concurrency: as for
/// HashAggregation.
///
/// Source: Graefe 1993, "Query Evaluation Techniques for Large Databases", hybrid hash aggregation;
/// DeWitt and others 1984 for its rounds.
template <bool FromView, class Exec, RowNumber Row, class Hash, class Keys, class... Aggregations>
class HybridHashAggregation {
 public:
  using memory_space = typename Exec::memory_space;

  /// See `hybrid_hash_aggregation`.
  HybridHashAggregation(const Exec& exec, const Hash& hash, const HybridAggregationOptions& options,
                        const Aggregations&... aggregations)
      : rounds_(std::make_unique<Rounds>(exec, hash, options, backends::last_level_cache_bytes(),
                                         aggregations...)) {}

  /// Adds the rows of a batch; keys and values as for `HashAggregation::add`. Fences `exec`.
  /// If it was made with a view as keys, all batches have views.
  template <class BatchKeys, class... Batch>
  void add(const Exec& exec, const BatchKeys& keys, const Batch&... aggregations) {
    static_assert(!FromView || Kokkos::is_view_v<BatchKeys>,
                  "hashmill::HybridHashAggregation: keys were a view and are a column now: give "
                  "columns from the beginning, if any batch can have nulls");
    Kokkos::Profiling::ScopedRegion region("hashmill::HybridHashAggregation::add");
    const backends::WithoutMemoryCache within_budget;
    auto attempt = order_.begin(Stage::adds, "add");
    // Slices have few rows, of which any number can be told apart.
    const std::uint64_t rows =
        detail::check_batch<std::uint64_t, Exec>(keys, aggregations...).size();
    detail::add_batch(exec, *rounds_, level_, rows, keys, aggregations...);
    attempt.succeeded();
  }
  /// Gives all groups; see above. Fences `exec`.
  template <class Use>
  void finish(const Exec& exec, const Use& use) {
    Kokkos::Profiling::ScopedRegion region("hashmill::HybridHashAggregation::finish");
    const backends::WithoutMemoryCache within_budget;
    auto attempt = order_.begin(Stage::adds, "finish");
    rounds_->finish(exec, level_, use);
    attempt.succeeded(Stage::done);
  }
  /// What it has done so far.
  [[nodiscard]] HybridAggregationStatistics statistics() const {
    return rounds_ ? rounds_->statistics(level_) : HybridAggregationStatistics();
  }

 private:
  enum class Stage { adds, done, failed };
  using Batches = detail::AggregatedBatches<Row, Hash, Keys, Aggregations...>;
  using Rounds = detail::GroupedRounds<FromView, Exec, Batches>;

  std::unique_ptr<Rounds> rounds_;
  detail::GroupLevel level_ = Rounds::first_level();
  detail::CallOrder<Stage> order_{"HybridHashAggregation", {"before finish", "after finish"}};
};

/// A group-by without groups, for keys and values of the types of these columns, which are not
/// read. Pass columns, not views, if any batch can have nulls. Throws InvalidArgument for 0 rounds
/// or more than 2^12, as MemoryBudget says, and if the options have a seed and `Hash` takes none.
/// Throws CapacityError for a budget of less than 2 MiB, or without room for 64 rows at a time.
template <RowNumber Row = std::uint32_t, class Hash = RowHash, backends::ExecutionSpace Exec,
          class Keys, class... Aggregations>
[[nodiscard]] auto hybrid_hash_aggregation(const Exec& exec, const Keys& keys,
                                           const HybridAggregationOptions& options,
                                           const Aggregations&... aggregations) {
  static_cast<void>(keys);
  detail::require_kept_groups<Keys, Aggregations...>();
  using Columns = decltype(detail::as_columns(keys));
  const Hash hash = detail::seeded_hash("hybrid_hash_aggregation", Hash(), options.seed);
  return HybridHashAggregation<Kokkos::is_view_v<Keys>, Exec, Row, Hash, Columns, Aggregations...>(
      exec, hash, options, aggregations...);
}

}  // namespace hashmill
