#include <gtest/gtest.h>

#include <hashmill/backends/gpu_place.hpp>
#include <utility>
#include <vector>

namespace {

using hashmill::backends::GpuPlace;
using hashmill::backends::ranks_of_one_gpu;

TEST(GpuPlace, IsNotTheSameOnAnotherMachine) {
  const GpuPlace here{1, {"0000:1b:00.0"}}, beside{1, {"0000:43:00.0"}}, there{2, {"0000:1b:00.0"}};
  EXPECT_EQ(ranks_of_one_gpu(std::vector{here, beside, there}), std::nullopt);
  EXPECT_EQ(ranks_of_one_gpu(std::vector<GpuPlace>{}), std::nullopt);
}

TEST(GpuPlace, NamesTheFirstRanksOfOneGpu) {
  GpuPlace first{1, {"0000:1b:00.0"}}, other{1, {"0000:43:00.0"}}, again = first;
  again.name.back() = 'x';  // behind the end of the text
  EXPECT_EQ(ranks_of_one_gpu(std::vector{first, other, again, other}), std::pair(0, 2));
}

}  // namespace
