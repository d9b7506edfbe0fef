#include "plan/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/error.hpp>
#include <set>
#include <string>
#include <vector>

#include "plan/compare_plan.hpp"
#include "tables/table_algorithms.hpp"

namespace hashmill::perf {
namespace {

const std::vector<BackendInfo> host_and_gpu = {{"OpenMP", "CPU", true, 2, 40e9},
                                               {"Cuda", "GPU", false, 0, 4e12}};

std::set<std::string_view> names_of(const CompareOptions& options) {
  std::set<std::string_view> names;
  for (const Algorithm* algorithm : options.algorithms) names.insert(algorithm->name);
  return names;
}

TEST(Sweep, TakesTheFindsThatDependOnTheAxisAtOneSizeABackend) {
  for (const std::string& name : sweep_names()) {
    CompareOptions options;
    apply_sweep(name, {}, options);
    EXPECT_EQ(names_of(options).contains("linear-probing-find"), name != "load-factor");
    EXPECT_EQ(names_of(options).contains("tag-bucket-find"), name != "load-factor");
    EXPECT_EQ(names_of(options).contains("chaining-find"), name != "fill");
    EXPECT_EQ(names_of(options).contains("std-find"), name == "hit-rate");
    std::set<std::pair<std::string, std::uint64_t>> sizes;
    for (const CompareCase& row : plan_tables(options, host_and_gpu, nullptr).cases) {
      EXPECT_EQ(row.algorithm->kind, OperationKind::find);
      sizes.emplace(row.backend, row.data.num_keys);
    }
    EXPECT_EQ(sizes.size(), 2u) << name;
  }
}

TEST(Sweep, OfTheFillGivesEachTableEveryFillThatItCanHave) {
  CompareOptions options;
  apply_sweep("fill", {}, options);
  options.num_keys = {1000};
  const auto plan = plan_tables(options, {host_and_gpu.front()}, nullptr).cases;
  const auto count = [&](std::string_view name) {
    return std::ranges::count_if(plan,
                                 [&](const auto& row) { return row.algorithm->name == name; });
  };
  EXPECT_EQ(count("linear-probing-find"), 7);
  EXPECT_EQ(count("tag-bucket-find"), 5);
}

TEST(Sweep, KeepsWhatTheCommandLineGives) {
  CompareOptions options;
  options.hit_rates = {0.125};
  options.algorithms = {find_table_algorithm("std-count")};
  apply_sweep("hit-rate", {.values = true, .algorithms = true}, options);
  EXPECT_EQ(options.hit_rates, std::vector<double>{0.125});
  EXPECT_EQ(names_of(options), std::set<std::string_view>{"std-count"});
  EXPECT_THROW(apply_sweep("n", {}, options), InvalidArgument);
}

}  // namespace
}  // namespace hashmill::perf
