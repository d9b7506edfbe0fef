#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "group_keys.hpp"
#include "group_result.hpp"
#include "group_values.hpp"

namespace hashmill::perf {

/// What the rows of each group come to, an array of the groups' numbers: no hash table is needed
/// where the generator tells which group a row is in.
template <class MemorySpace>
struct GroupArrays {
  Kokkos::View<std::uint64_t*, MemorySpace> counts;
  Kokkos::View<std::uint64_t*, MemorySpace> sums;
  Kokkos::View<std::uint32_t*, MemorySpace> least;
  Kokkos::View<std::uint32_t*, MemorySpace> greatest;

  static constexpr std::uint64_t bytes_a_group = 24;

  explicit GroupArrays(std::uint64_t num_groups)
      : counts("hashmill::perf::group_counts", num_groups),
        sums("hashmill::perf::group_sums", num_groups),
        least("hashmill::perf::group_least", num_groups),
        greatest("hashmill::perf::group_greatest", num_groups) {}
};

/// Adds a row to its group. Least values are kept as what they are below the largest number, so
/// that 0 is none.
template <class Keys, class Arrays>
struct AddRow {
  Keys keys;
  Arrays arrays;
  KOKKOS_FUNCTION void operator()(std::uint64_t row) const {
    const std::uint64_t group = keys.counted_group_of(row);
    const std::uint32_t value = value_of(row);
    Kokkos::atomic_inc(&arrays.counts(group));
    Kokkos::atomic_add(&arrays.sums(group), std::uint64_t{value});
    raise(&arrays.least(group), ~value);
    raise(&arrays.greatest(group), value);
  }

  // Most values raise nothing, and reading is cheaper than an atomic.
  KOKKOS_FUNCTION static void raise(std::uint32_t* greatest, std::uint32_t value) {
    if (value > Kokkos::atomic_load(greatest)) Kokkos::atomic_max(greatest, value);
  }
};

template <class Keys, class Arrays>
struct TallyGroupArrays {
  Keys keys;
  Arrays arrays;
  Aggregates aggregates;
  KOKKOS_FUNCTION void operator()(std::uint64_t group, Tally& sum) const {
    const std::uint64_t count = arrays.counts(group);
    if (count == 0) return;
    const GroupResult result{count, arrays.sums(group), ~arrays.least(group),
                             arrays.greatest(group), 0};
    sum.add(group_weight(keys.counted_key_of(group), result, aggregates));
  }
};

/// What the rows of each group come to, on `exec`.
template <class Exec, class Keys>
auto group_arrays(const Exec& exec, const Keys& keys) {
  using Arrays = GroupArrays<typename Exec::memory_space>;
  const Arrays arrays(keys.num_groups() + 1);
  Kokkos::parallel_for(
      "hashmill::perf::expected_groups",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(exec, 0, keys.size()),
      AddRow<Keys, Arrays>{keys, arrays});
  return arrays;
}

/// Tallies the right groups, on `exec`. Takes memory for all groups while it runs.
template <class Exec, class Key>
Tally expected_groups(const Exec& exec, const GroupKeys<Key>& keys, Aggregates aggregates) {
  const auto arrays = group_arrays(exec, keys);
  return tally(
      exec, arrays.counts.extent(0),
      TallyGroupArrays<GroupKeys<Key>, std::decay_t<decltype(arrays)>>{keys, arrays, aggregates});
}

}  // namespace hashmill::perf
