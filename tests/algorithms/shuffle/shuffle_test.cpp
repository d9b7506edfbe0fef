#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "shuffle_cases.hpp"
#include "thread_ranks.hpp"

namespace {

using namespace hashmill;

class ThreadShuffle : public ::testing::TestWithParam<std::tuple<test::ShuffleCase, int>> {};

TEST_P(ThreadShuffle, Case) {
  const auto& [program, size] = GetParam();
  test::on_thread_ranks(size, {}, program.run);
}

INSTANTIATE_TEST_SUITE_P(Shuffle, ThreadShuffle,
                         ::testing::Combine(::testing::ValuesIn(test::shuffle_cases),
                                            ::testing::Values(1, 2, 3)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param).name) + "_" +
                                  std::to_string(std::get<1>(tested.param));
                         });

}  // namespace
