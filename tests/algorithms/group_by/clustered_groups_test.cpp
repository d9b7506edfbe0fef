#include <gtest/gtest.h>

#include <hashmill/distinct_counts.hpp>
#include <hashmill/group_by.hpp>

#include "algorithms/support/chosen_keys.hpp"

// Group-bys of keys that agree in some bits of the published hash. They compare keys where the rows
// have them, so reads of keys are the work that is counted.

namespace hashmill::test {
namespace {

constexpr std::uint64_t num_keys = 1 << 14;

/// A key source that counts how often it is read.
template <class Keys>
struct CountingKeys {
  using memory_space = Memory;
  Keys keys;
  Kokkos::View<std::uint64_t, Memory> reads{"hashmill::test::reads"};

  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t size() const { return keys.size(); }
  KOKKOS_FUNCTION auto operator()(std::uint64_t i) const {
    Kokkos::atomic_inc(&reads());
    return keys(i);
  }
  [[nodiscard]] CountingKeys nulls_equal() const { return *this; }
  /// Reads a row since this was asked last.
  [[nodiscard]] double take() const {
    std::uint64_t sum = 0;
    Kokkos::deep_copy(sum, reads);
    Kokkos::deep_copy(reads, std::uint64_t{0});
    return static_cast<double>(sum) / static_cast<double>(size());
  }
};

/// Each key four times.
template <class Key>
Kokkos::View<Key*, Memory> four_times(const std::vector<Key>& keys) {
  std::vector<Key> all;
  for (int k = 0; k < 4; ++k) all.insert(all.end(), keys.begin(), keys.end());
  return to_device(all);
}

template <class Keys>
void expect_few_reads(const CountingKeys<Keys>& keys, const std::string& what) {
  constexpr double most = 8;  // a sample, and a look-up or two
  const std::uint64_t groups = keys.size() / 4;
  EXPECT_EQ(group_rows(Exec(), keys, {GroupStrategy::hash}).size(), groups) << what;
  EXPECT_LT(keys.take(), most) << what;
  const auto by_hash = group_by(Exec(), keys, GroupOptions{GroupStrategy::hash}, agg::count());
  EXPECT_EQ(by_hash.size(), groups) << what;
  EXPECT_LT(keys.take(), most) << what;
  EXPECT_EQ(group_by(Exec(), keys, agg::count()).size(), groups) << what;
  EXPECT_LT(keys.take(), most) << what;
}

TEST(ClusteredGroups, ReadLongKeysAFewTimes) {
  for (const ChosenBits& bits : chosen_bits) {
    const auto keys = four_times(keys_agreeing<Key128>(Murmur3Hash(), bits, num_keys));
    expect_few_reads(CountingKeys<std::decay_t<decltype(keys)>>{keys}, bits.name);
  }
}

TEST(ClusteredGroups, ReadColumnsAFewTimes) {
  for (const ChosenBits& bits : chosen_bits) {
    const auto numbers = four_times(keys_agreeing<std::uint64_t>(Murmur3Hash(), bits, num_keys));
    const auto keys = columns(numbers);
    expect_few_reads(CountingKeys<std::decay_t<decltype(keys)>>{keys}, bits.name);
  }
}

/// Quadratic, this would take minutes.
TEST(ClusteredGroups, GroupManyNumbers) {
  constexpr std::uint64_t n = 1 << 19;
  for (const ChosenBits& bits : chosen_bits) {
    const auto chosen = keys_agreeing<std::uint32_t>(Murmur3Hash(), bits, n);
    const auto keys = to_device(chosen);
    EXPECT_EQ(group_rows(Exec(), keys).size(), n) << bits.name;
    EXPECT_EQ(group_by(Exec(), keys, agg::count()).size(), n) << bits.name;
    const GroupOptions in_rows{GroupStrategy::tag_bucket};
    EXPECT_EQ(group_by(Exec(), keys, in_rows, agg::count()).size(), n) << bits.name;
    auto batches = hash_aggregation(Exec(), keys, agg::count());
    auto different = distinct_counts(Exec(), keys);
    for (std::uint64_t first = 0; first < n; first += n / 4) {
      const auto batch = Kokkos::subview(keys, std::make_pair(first, first + n / 4));
      batches.add(Exec(), batch, agg::count());
      different.add(Exec(), batches, batch, batch);
    }
    EXPECT_EQ(batches.size(), n) << bits.name;
    const auto counts = to_host(different.results(Exec(), n));
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 1U), std::ptrdiff_t{n}) << bits.name;
  }
}

/// The groups of one group-by in their order, a few at a time, in another.
TEST(ClusteredGroups, TakeTheGroupsOfOthersInTheirOrder) {
  constexpr std::uint64_t n = 1 << 19;
  std::vector<std::uint64_t> numbers(n);
  for (std::uint64_t i = 0; i < n; ++i) numbers[i] = murmur3_fmix64(i);
  const auto keys = to_device(numbers);
  const auto first = group_by(Exec(), keys, agg::count());
  ASSERT_EQ(first.size(), n);
  const Kokkos::View<std::uint64_t*, Memory> in_order("in_order", n);
  gather(Exec(), keys, first.representatives, in_order);
  const auto few = Kokkos::subview(in_order, std::make_pair(std::uint64_t{0}, n / 16));
  const auto columns_of_few = columns(few);
  const CountingKeys<std::decay_t<decltype(columns_of_few)>> counted{columns_of_few};
  EXPECT_EQ(group_by(Exec(), counted, agg::count()).size(), n / 16);
  EXPECT_LT(counted.take(), 8);
}

}  // namespace
}  // namespace hashmill::test
