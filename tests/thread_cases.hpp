#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <tuple>

#include "ranks/rank_cases.hpp"
#include "thread_ranks.hpp"

namespace hashmill::test {

/// Cases on ranks that are threads: which, and on how many ranks.
class ThreadCases : public ::testing::TestWithParam<std::tuple<RankCase, int>> {
 protected:
  static void run() {
    const auto& [program, size] = GetParam();
    on_thread_ranks(size, {}, program.run);
  }
};

/// Each of these cases on one, two and three ranks.
inline auto on_few_ranks(std::span<const RankCase> cases) {
  return ::testing::Combine(::testing::ValuesIn(cases), ::testing::Values(1, 2, 3));
}

/// The name of a case, and with how many ranks.
inline std::string case_and_ranks(const ::testing::TestParamInfo<std::tuple<RankCase, int>>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::to_string(std::get<1>(info.param));
}

}  // namespace hashmill::test
