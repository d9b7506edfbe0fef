#include <gtest/gtest.h>

#include <hashmill/backends/scan.hpp>
#include <numeric>

#include "algorithms/support/inputs.hpp"
#include "algorithms/support/views.hpp"

namespace hashmill::test {
namespace {

template <class T>
class ExclusiveScan : public testing::Test {};
using Types = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(ExclusiveScan, Types);

TYPED_TEST(ExclusiveScan, AddsUpWhatCameBefore) {
  Workspace<Memory> workspace;
  for (const std::uint64_t size : {0, 1, 2, 255, 256, 257, 8192, 8193, 100'003}) {
    const Numbers numbers = repeated_numbers(size, 1000, size);
    const std::vector<TypeParam> values(numbers.begin(), numbers.end());
    std::vector<TypeParam> expected(size);
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), TypeParam{0});
    const auto view = to_device(values);
    const Exec exec;
    backends::exclusive_scan(exec, view, workspace);
    exec.fence("hashmill::test");
    EXPECT_EQ(to_host(view), expected) << size;
  }
}

TYPED_TEST(ExclusiveScan, TakesUnmanagedParts) {
  Workspace<Memory> workspace;
  const auto whole = to_device(std::vector<TypeParam>(1000, 1));
  const typename Workspace<Memory>::template Array<TypeParam> part(whole.data() + 1, 998);
  const Exec exec;
  backends::exclusive_scan(exec, part, workspace);
  exec.fence("hashmill::test");
  std::vector<TypeParam> expected(1000, 1);
  std::iota(expected.begin() + 1, expected.end() - 1, TypeParam{0});
  EXPECT_EQ(to_host(whole), expected);
}

TYPED_TEST(ExclusiveScan, RepeatedTakesNoMoreMemory) {
  Workspace<Memory> workspace;
  const auto view = to_device(std::vector<TypeParam>(50'000, 1));
  const Exec exec;
  backends::exclusive_scan(exec, view, workspace);
  const std::uint64_t bytes = workspace.bytes();
  for (int i = 0; i < 3; ++i) backends::exclusive_scan(exec, view, workspace);
  exec.fence("hashmill::test");
  EXPECT_EQ(workspace.bytes(), bytes);
}

TEST(ExclusiveScan, SumsBeyond32Bits) {
  Workspace<Memory> workspace;
  const auto view = to_device(std::vector<std::uint64_t>(10, std::uint64_t{1} << 31));
  const Exec exec;
  backends::exclusive_scan(exec, view, workspace);
  exec.fence("hashmill::test");
  EXPECT_EQ(to_host(view).back(), std::uint64_t{9} << 31);
}

}  // namespace
}  // namespace hashmill::test
