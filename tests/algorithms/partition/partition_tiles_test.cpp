#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/partition/detail/levels.hpp>
#include <numeric>

#include "algorithms/support/inputs.hpp"
#include "backends/synthetic_machines.hpp"

namespace hashmill::test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Record = detail::RecordPair<std::uint32_t, std::uint32_t>;

struct LowBits {
  KOKKOS_FUNCTION std::uint64_t operator()(const Record& record) const { return record.first; }
};

/// Records of those keys, with their places.
std::vector<Record> numbered(const Numbers& keys) {
  std::vector<Record> records;
  for (const std::uint64_t key : keys) {
    records.push_back(
        {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(records.size())});
  }
  return records;
}

/// Partitions `records` within each of the ranges that begin at `begins` (and end at the last of
/// them) by the lowest `bits` bits of their keys, in tiles of `tile_records`.
std::vector<Record> partition_in_tiles(const std::vector<Record>& records,
                                       const std::vector<std::uint32_t>& begins, unsigned bits,
                                       std::uint64_t tile_records) {
  const std::uint64_t parents = begins.size() - 1;
  std::vector<Record> result(records.size() + 8);  // from a cache line on
  const auto address = reinterpret_cast<std::uintptr_t>(result.data());
  Record* const out = result.data() + (64 - address % 64) % 64 / sizeof(Record);
  Workspace<Kokkos::HostSpace> workspace;
  const Host exec;
  const detail::Ranges<std::uint32_t> ranges{begins.data(), parents};
  const detail::TileCut cut{tile_records,
                            detail::tile_bound(records.size(), parents, tile_records)};
  detail::partition_tiles<false>(
      exec, ranges, cut, records.size(), detail::Digit<LowBits>{{}, 0, bits},
      detail::RecordSource<Record>{records.data()}, detail::RecordSink<Record>{out},
      detail::Ranges<std::uint32_t>::one_group, static_cast<std::uint32_t*>(nullptr), workspace);
  exec.fence("hashmill::test");
  return {out, out + records.size()};
}

/// What std::stable_sort makes of the same.
std::vector<Record> sort_in_ranges(std::vector<Record> records,
                                   const std::vector<std::uint32_t>& begins, unsigned bits) {
  const std::uint32_t mask = (1U << bits) - 1;
  for (std::size_t q = 0; q + 1 < begins.size(); ++q) {
    std::stable_sort(
        records.begin() + begins[q], records.begin() + begins[q + 1],
        [&](const Record& a, const Record& b) { return (a.first & mask) < (b.first & mask); });
  }
  return records;
}

void expect_sorted(const Numbers& keys, const std::vector<std::uint32_t>& begins, unsigned bits,
                   std::uint64_t tile_records) {
  SCOPED_TRACE(std::to_string(tile_records) + " records a tile, " + std::to_string(bits) + " bits");
  const auto records = numbered(keys);
  const auto found = partition_in_tiles(records, begins, bits, tile_records);
  const auto expected = sort_in_ranges(records, begins, bits);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(found[i].second, expected[i].second) << "place " << i;
  }
}

// Threads go from one tile on to the next without a stop, and from one range to another with one.
TEST(PartitionTiles, EndAnywhereInLinesAndRanges) {
  const Numbers keys = random_numbers(20'000, 1);
  for (const std::uint64_t tile_records : {1, 7, 64, 777, 20'000, 30'000}) {
    for (const unsigned bits : {1U, 5U, 9U}) {
      ASSERT_NO_FATAL_FAILURE(expect_sorted(keys, {0, 20'000}, bits, tile_records));
      ASSERT_NO_FATAL_FAILURE(
          expect_sorted(keys, {0, 0, 1, 777, 777, 1554, 9000, 20'000, 20'000}, bits, tile_records));
    }
  }
}

TEST(PartitionTiles, TakeKeysOfOnePart) {
  for (const std::uint64_t tile_records : {1, 100, 5000}) {
    ASSERT_NO_FATAL_FAILURE(
        expect_sorted(Numbers(12'345, 511), {0, 4096, 12'345}, 9, tile_records));
  }
}

TEST(PartitionTiles, TakeTilesOfOtherNodes) {
  const Numbers keys = random_numbers(20'000, 2);
  for (const std::vector<unsigned>& nodes : {std::vector<unsigned>{1, 1}, {3, 1, 2}}) {
    const backends::Topology machine = machine_of(nodes);
    const backends::ScopedNumaPlan plan({machine, backends::NumaMode::local, 2});
    ASSERT_NO_FATAL_FAILURE(expect_sorted(keys, {0, 5000, 20'000}, 6, 100));
  }
}

}  // namespace
}  // namespace hashmill::test
