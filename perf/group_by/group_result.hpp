#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include "answers/actual_results.hpp"
#include "answers/tally.hpp"
#include "case/byte_budget.hpp"
#include "case/compare_case.hpp"

namespace hashmill::perf {

/// What the rows of one group come to.
struct GroupResult {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint32_t least = ~std::uint32_t{0};
  std::uint32_t greatest = 0;
  double mean = 0;
};

/// What a group adds to the tally of a group-by, of the results that were asked for.
template <class Key>
KOKKOS_FUNCTION std::uint64_t group_weight(const Key& key, const GroupResult& group,
                                           Aggregates aggregates) {
  std::uint64_t weight = splitmix64(group.count);
  if (aggregates != Aggregates::count) weight += splitmix64(~group.sum);
  if (aggregates == Aggregates::all) {
    weight += splitmix64((std::uint64_t{group.least} << 32) | group.greatest);
  }
  return key_weight(key) * weight;
}

/// Adds a group to a tally. A mean that is not sum over count, up to rounding, is a fault.
template <class Key>
KOKKOS_FUNCTION void add_group(const Key& key, const GroupResult& group, Aggregates aggregates,
                               Tally& tally) {
  tally.add(group_weight(key, group, aggregates));
  if (aggregates != Aggregates::all) return;
  const double mean = static_cast<double>(group.sum) / static_cast<double>(group.count);
  if (!(Kokkos::abs(group.mean - mean) <= 1e-9 * mean)) ++tally.faults;
}

/// Empty if the groups agree, else one line that says how they differ.
inline std::string compare_groups(const Tally& expected, const Tally& actual) {
  if (actual == expected) return {};
  if (actual.count != expected.count) {
    return std::to_string(actual.count) + " groups, expected " + std::to_string(expected.count);
  }
  if (actual.faults != 0) return std::to_string(actual.faults) + " means are wrong";
  return "the checksum of " + std::to_string(actual.count) + " groups is wrong";
}

/// Bytes that a group-by moves at least: keys and values in, groups' keys and results out.
constexpr ByteBudget aggregates_budget(Aggregates aggregates, std::uint64_t num_rows,
                                       double key_bytes, std::uint64_t num_groups) {
  TrafficSizes sizes;
  sizes.num_keys = num_rows;
  sizes.key_bytes = key_bytes;
  switch (aggregates) {
    case Aggregates::count:
      return group_budget(sizes, num_groups, 0, 8);
    case Aggregates::sum:
      return group_budget(sizes, num_groups, 4, 16);
    case Aggregates::all:
      return group_budget(sizes, num_groups, 4, 32);
  }
  return {};
}

}  // namespace hashmill::perf
