#include <gtest/gtest.h>

#include <hashmill/partition/detail/levels.hpp>

#include "partition_columns.hpp"

// The counts of all parts at once, by the kernel that GPUs use.

namespace hashmill::test {

struct Numbered {
  using record_type = std::uint64_t;
  Kokkos::View<const std::uint64_t*, Memory> numbers;
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return numbers(i); }
};
struct LowBitsOf {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t number) const { return number; }
};

namespace {

/// Expects the number of records before each part, and of all.
void expect_sums(const Numbers& numbers, unsigned bits) {
  SCOPED_TRACE(std::to_string(numbers.size()) + " records, " + std::to_string(bits) + " bits");
  const std::uint64_t parts = std::uint64_t{1} << bits;
  std::vector<std::uint32_t> expected(parts + 1);
  for (const std::uint64_t number : numbers) ++expected[number % parts + 1];
  for (std::uint64_t p = 0; p < parts; ++p) expected[p + 1] += expected[p];

  const Exec exec;
  Workspace<Memory> workspace;
  const auto keys = to_device(numbers);
  const std::uint32_t* const sums = detail::sum_up_all_parts<std::uint32_t>(
      exec, Numbered{keys}, numbers.size(), LowBitsOf{}, bits, workspace);
  const Kokkos::View<const std::uint32_t*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> found(
      sums, parts + 1);
  std::vector<std::uint32_t> copied(parts + 1);
  const Kokkos::View<std::uint32_t*, Kokkos::HostSpace> to(copied.data(), parts + 1);
  Kokkos::deep_copy(exec, to, found);
  exec.fence("hashmill::test");
  ASSERT_EQ(copied, expected);
}

TEST(PartitionHistogram, CountsEachPart) {
  const unsigned most = detail::histogram_bits(Exec());
  ASSERT_GE(most, 8U);
  for (const unsigned bits : {0U, 1U, 5U, 8U, most}) {
    for (const std::uint64_t size : {0, 1, 7, 8, 9, 8191, 8193, 100'003}) {
      ASSERT_NO_FATAL_FAILURE(expect_sums(random_numbers(size, bits), bits));
    }
  }
}

// A counter has 16 bits and hands on 2^15 records at a time.
TEST(PartitionHistogram, CountsMoreThanACounterHolds) {
  const unsigned most = detail::histogram_bits(Exec());
  for (const std::uint64_t size : {32'767, 32'768, 65'535, 65'536, 1'000'003}) {
    ASSERT_NO_FATAL_FAILURE(expect_sums(Numbers(size, 5), most));
    ASSERT_NO_FATAL_FAILURE(expect_sums(Numbers(size, 4), 3));
    Numbers two(size, 6);
    for (std::size_t i = 0; i < two.size(); i += 2) two[i] = 7;  // the other half of a word
    ASSERT_NO_FATAL_FAILURE(expect_sums(two, most));
  }
}

}  // namespace
}  // namespace hashmill::test
