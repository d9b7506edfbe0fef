#pragma once

#include <algorithm>
#include <cstdint>
#include <hashmill/hybrid_hash_aggregation.hpp>
#include <utility>

#include "budgeted_operation.hpp"
#include "grouped_rows.hpp"

namespace hashmill::perf {

/// Adds up the weights of groups.
template <class Memory>
struct SumGroups {
  Kokkos::View<const std::uint64_t*, Memory> keys, sums, counts;
  KOKKOS_FUNCTION void operator()(std::uint64_t g, std::uint64_t& sum) const {
    sum += group_sum_weight(keys(g), counts(g), sums(g));
  }
};

/// `hybrid_hash_aggregation` of rows that come in batches, whose groups are added up.
template <class Exec>
class HybridGroupOperation
    : public BudgetedOperation<Exec, GroupedRows<Exec>, HybridAggregationOptions,
                               HybridAggregationStatistics> {
  using Base = BudgetedOperation<Exec, GroupedRows<Exec>, HybridAggregationOptions,
                                 HybridAggregationStatistics>;
  using Memory = typename Exec::memory_space;

 public:
  using Base::Base;

 protected:
  HybridAggregationStatistics add_up(Tally& sum) override {
    const auto& rows = this->data();
    const auto add = [&](const auto& groups) {
      const SumGroups<Memory> weights{std::get<0>(groups.keys).values,
                                      std::get<0>(groups.results).values,
                                      std::get<1>(groups.results).values};
      sum.count += groups.size();
      sum.weight += tally<std::uint64_t>(this->exec(), groups.size(), weights);
    };
    auto groups = hybrid_hash_aggregation(this->exec(), rows.keys(), this->options(),
                                          agg::sum(rows.values()), agg::count());
    for (std::uint64_t first = 0; first < rows.rows(); first += Base::batch_rows) {
      const std::pair some(first, std::min(first + Base::batch_rows, rows.rows()));
      groups.add(this->exec(), Kokkos::subview(rows.keys(), some),
                 agg::sum(Kokkos::subview(rows.values(), some)), agg::count());
    }
    groups.finish(this->exec(), add);
    return groups.statistics();
  }
};

}  // namespace hashmill::perf
