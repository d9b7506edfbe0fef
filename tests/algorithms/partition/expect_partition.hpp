#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/partition.hpp>
#include <numeric>

#include "partition_columns.hpp"

namespace hashmill::test {

/// The parts that std::stable_sort makes.
template <class Key, class Payload>
struct SortedParts {
  std::vector<Key> keys;
  std::vector<Payload> payloads;
  std::vector<std::uint64_t> offsets;

  SortedParts(const Columns<Key, Payload>& input, const PartOfKey& part_of, std::uint64_t parts)
      : offsets(parts + 1) {
    std::vector<std::uint64_t> part(input.keys.size()), order(input.keys.size());
    for (std::size_t i = 0; i < part.size(); ++i) ++offsets[part[i] = part_of(input.keys[i])];
    std::exclusive_scan(offsets.begin(), offsets.end(), offsets.begin(), std::uint64_t{0});
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return part[a] < part[b]; });
    for (const std::uint64_t i : order) {
      keys.push_back(input.keys[i]);
      payloads.push_back(input.payloads[i]);
    }
  }
};

/// Expects that parts are those of `sorted`: in the same order if stable, else in any order within
/// each part.
template <class Parts, class Key, class Payload>
void expect_parts(const Parts& found, const SortedParts<Key, Payload>& sorted, bool stable) {
  ASSERT_EQ(to_host(found.offsets), sorted.offsets);
  auto expected_rows = rows_of(sorted.keys, sorted.payloads);
  auto found_rows = rows_of(to_host(found.keys), to_host(found.payloads));
  ASSERT_EQ(found_rows.size(), expected_rows.size());
  if (!stable) {
    for (std::size_t p = 0; p + 1 < sorted.offsets.size(); ++p) {
      const auto begin = static_cast<std::ptrdiff_t>(sorted.offsets[p]);
      const auto end = static_cast<std::ptrdiff_t>(sorted.offsets[p + 1]);
      std::sort(expected_rows.begin() + begin, expected_rows.begin() + end);
      std::sort(found_rows.begin() + begin, found_rows.begin() + end);
    }
  }
  ASSERT_TRUE(found_rows == expected_rows);
}

/// Partitions on one engine, stable and not, and expects the parts of std::stable_sort and an
/// unchanged input.
template <detail::Engine Engine, class Key, class Payload>
void expect_partition(const Columns<Key, Payload>& input, const PartOfKey& part_of,
                      std::uint64_t parts) {
  SCOPED_TRACE(std::to_string(input.keys.size()) + " keys in " + std::to_string(parts) + " parts");
  const SortedParts<Key, Payload> sorted(input, part_of, parts);
  const auto keys = to_device(input.keys);
  const auto payloads = to_device(input.payloads);
  Workspace<Memory> workspace;
  for (const bool stable : {false, true}) {
    SCOPED_TRACE(stable ? "stable" : "not stable");
    const auto found = detail::partition_columns<Engine>(
        Exec(), keys, payloads, part_of, PartCount(parts), PartitionOptions{stable}, workspace);
    ASSERT_NO_FATAL_FAILURE(expect_parts(found, sorted, stable));
  }
  EXPECT_TRUE(rows_of(to_host(keys), to_host(payloads)) == rows_of(input.keys, input.payloads));
}

/// Part counts around powers of two and around the fan-out of one, two and three levels.
inline const std::vector<std::uint64_t> part_counts{1,   2,   3,    7,     255,
                                                    256, 257, 1000, 65537, std::uint64_t{1} << 20};

}  // namespace hashmill::test
