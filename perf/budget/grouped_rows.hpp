#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "budgeted_group_bys.hpp"
#include "group_by/expected_groups.hpp"

namespace hashmill::perf {

/// Adds the groups of arrays to a tally, by `group_sum_weight`.
template <class Keys, class Arrays>
struct TallyGroupSums {
  Keys keys;
  Arrays arrays;
  KOKKOS_FUNCTION void operator()(std::uint64_t group, Tally& sum) const {
    const std::uint64_t count = arrays.counts(group);
    if (count > 0) sum.add(group_sum_weight(keys.counted_key_of(group), count, arrays.sums(group)));
  }
};

/// Rows to group in the memory of `Exec`, and what their groups come to.
template <class Exec>
class GroupedRows {
 public:
  using Memory = typename Exec::memory_space;

  GroupedRows(const Exec& exec, const DataAxes& axes) {
    using Source = GroupKeys<std::uint64_t>;
    const Source source(axes);
    keys_ = materialise(exec, source);
    values_ = make_values(exec, axes.num_keys);
    const auto arrays = group_arrays(exec, source);
    expected_ = tally(exec, arrays.counts.extent(0),
                      TallyGroupSums<Source, std::decay_t<decltype(arrays)>>{source, arrays});
  }

  const auto& keys() const { return keys_; }
  const auto& values() const { return values_; }
  std::uint64_t rows() const { return keys_.extent(0); }
  std::uint64_t bytes() const { return rows() * BudgetedGroupBy::bytes_of_row; }
  const Tally& expected() const { return expected_; }

 private:
  Kokkos::View<std::uint64_t*, Memory> keys_;
  Kokkos::View<std::uint32_t*, Memory> values_;
  Tally expected_;
};

}  // namespace hashmill::perf
