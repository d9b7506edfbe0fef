#pragma once

#include <algorithm>
#include <cstdint>
#include <hashmill/hybrid_hash_aggregation.hpp>
#include <string>
#include <vector>

#include "answers/actual_results.hpp"
#include "budget_figures.hpp"
#include "grouped_rows.hpp"
#include "run/seconds_of.hpp"

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
class HybridGroupOperation : public Operation {
 public:
  /// The rows outlive it. What does not fit goes to a file in `directory`.
  HybridGroupOperation(const Exec& exec, const GroupedRows<Exec>& rows, std::uint64_t budget,
                       const std::string& directory)
      : exec_(exec), rows_(rows) {
    options_.budget.device = budget;
    options_.budget.directory = directory;
  }

  bool runs_in(RunMemory memory) const override { return memory == RunMemory::fresh; }
  void prepare(RunMemory) override { sum_ = {}; }
  void run() override {
    seconds_ = seconds_of([&] { group(); });
  }
  std::string verify() override { return compare_tallies(rows_.expected(), sum_); }
  std::uint64_t num_items() const override { return rows_.rows(); }
  ByteBudget traffic() const override { return {static_cast<double>(rows_.bytes()), 0}; }
  std::vector<RunFigure> figures() const override {
    return budget_figures(exec_, options_.budget.device, rows_.bytes(), options_.budget.directory,
                          statistics_, seconds_);
  }

 private:
  using Memory = typename Exec::memory_space;
  static constexpr std::uint64_t batch_rows = std::uint64_t{1} << 17;

  void group() {
    const auto add_up = [&](const auto& groups) {
      const SumGroups<Memory> weights{std::get<0>(groups.keys).values,
                                      std::get<0>(groups.results).values,
                                      std::get<1>(groups.results).values};
      sum_.count += groups.size();
      sum_.weight += tally<std::uint64_t>(exec_, groups.size(), weights);
    };
    auto groups = hybrid_hash_aggregation(exec_, rows_.keys(), options_, agg::sum(rows_.values()),
                                          agg::count());
    for (std::uint64_t first = 0; first < rows_.rows(); first += batch_rows) {
      const std::pair some(first, std::min(first + batch_rows, rows_.rows()));
      groups.add(exec_, Kokkos::subview(rows_.keys(), some),
                 agg::sum(Kokkos::subview(rows_.values(), some)), agg::count());
    }
    groups.finish(exec_, add_up);
    statistics_ = groups.statistics();
  }

  Exec exec_;
  const GroupedRows<Exec>& rows_;
  HybridAggregationOptions options_;
  HybridAggregationStatistics statistics_;
  Tally sum_;
  double seconds_ = 0;
};

}  // namespace hashmill::perf
