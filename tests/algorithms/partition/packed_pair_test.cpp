#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/partition/detail/partition_records.hpp>
#include <limits>

#include "partition_columns.hpp"

// Pairs of 12 bytes, as they travel on GPUs, on every backend.

namespace hashmill::test {

using Packed = detail::PackedPair<std::uint64_t, std::uint32_t>;

struct PackedSource {
  using record_type = Packed;
  Kokkos::View<const std::uint64_t*, Memory> numbers;
  KOKKOS_FUNCTION Packed operator()(std::uint64_t i) const {
    return {numbers(i), static_cast<std::uint32_t>(i)};
  }
  void prefetch(std::uint64_t, std::uint64_t) const {}
};
struct LowBitsOfPacked {
  std::uint64_t mask;
  KOKKOS_FUNCTION std::uint64_t operator()(const Packed& pair) const { return pair.first() & mask; }
};
struct Unpack {
  const Packed* pairs;
  Kokkos::View<std::uint64_t*, Memory> numbers, rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    numbers(i) = detail::first_of(pairs[i]);
    rows(i) = detail::second_of(pairs[i]);
  }
};

namespace {

template <class First>
void expect_kept(First first) {
  const detail::PackedPair<First, std::uint32_t> pair(first, 0xFFFFFFFFU);
  EXPECT_EQ(pair.first(), first);
  EXPECT_EQ(pair.second(), 0xFFFFFFFFU);
  EXPECT_EQ(sizeof(pair), 12U);
  EXPECT_EQ(alignof(decltype(pair)), 4U);
}

TEST(PackedPair, KeepsWhatItIsMadeOf) {
  for (const std::uint64_t bits : {0ULL, 1ULL, 0xFFFFFFFFULL, 0x100000000ULL, ~0ULL}) {
    expect_kept(bits);
    expect_kept(static_cast<std::int64_t>(bits));
    expect_kept(static_cast<double>(bits));
  }
  expect_kept(-std::numeric_limits<double>::infinity());
}

/// Partitions numbers and their rows, and expects each in its part, once.
template <detail::Engine Engine>
void expect_parts(const Numbers& numbers, unsigned bits) {
  SCOPED_TRACE(std::to_string(numbers.size()) + " records, " + std::to_string(bits) + " bits");
  const Exec exec;
  Workspace<Memory> workspace;
  const auto keys = to_device(numbers);
  const std::uint64_t n = numbers.size(), mask = (std::uint64_t{1} << bits) - 1;
  const auto parts = detail::partition_records<std::uint32_t, Engine>(
      exec, PackedSource{keys}, n, LowBitsOfPacked{mask}, bits, workspace);
  const Kokkos::View<std::uint64_t*, Memory> found("numbers", n), rows("rows", n);
  backends::for_each_index("hashmill::test::unpack", exec, n, Unpack{parts.records, found, rows});
  const auto found_numbers = to_host(found), found_rows = to_host(rows);
  std::vector<bool> seen(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    ASSERT_EQ(found_numbers[i], numbers[found_rows[i]]);
    ASSERT_FALSE(seen[found_rows[i]]);
    seen[found_rows[i]] = true;
  }
  ASSERT_TRUE(std::ranges::is_sorted(found_numbers, {},
                                     [mask](std::uint64_t number) { return number & mask; }));
}

TEST(PackedPair, TravelsThroughPartitions) {
  for (const unsigned bits : {1U, 8U, 9U, 12U}) {
    for (const std::uint64_t size : {0, 1, 7, 5119, 5121, 100'003}) {
      const Numbers numbers = random_numbers(size, bits);
      ASSERT_NO_FATAL_FAILURE(expect_parts<detail::Engine::automatic>(numbers, bits));
      ASSERT_NO_FATAL_FAILURE(expect_parts<detail::Engine::team>(numbers, bits));
    }
  }
}

}  // namespace
}  // namespace hashmill::test
