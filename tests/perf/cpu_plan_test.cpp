#include "cpu/cpu_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/error.hpp>
#include <map>
#include <set>
#include <sstream>

#include "plan/algorithm_choice.hpp"
#include "report/scaling_summary.hpp"

namespace hashmill::perf {
namespace {

std::vector<BackendInfo> host_with(int threads) {
  return {{"Cuda", "GPU", false, 0, 4e12}, {"OpenMP", "CPU", true, threads, 40e9}};
}

CpuOptions options_of(const std::vector<std::string>& algorithms) {
  CpuOptions options;
  options.algorithms = select_algorithms(cpu_algorithms(), algorithms);
  options.num_rows = {1000};
  return options;
}

/// How often each number of threads is in a plan.
std::map<unsigned, std::size_t> threads_in(const Plan& plan) {
  std::map<unsigned, std::size_t> rows;
  for (const CompareCase& row : plan.cases) ++rows[row.threads];
  return rows;
}

TEST(CpuPlan, DoublesThreadsUpToAll) {
  const auto rows_with = [](int threads) {
    CpuOptions options = options_of({"automatic"});
    options.shapes = {"random"};
    return threads_in(plan_cpu(options, host_with(threads)));
  };
  using Rows = std::map<unsigned, std::size_t>;
  EXPECT_EQ(rows_with(1), (Rows{{1, 1}}));
  EXPECT_EQ(rows_with(2), (Rows{{1, 1}, {2, 1}}));
  EXPECT_EQ(rows_with(8), (Rows{{1, 1}, {2, 1}, {4, 1}, {8, 1}}));
  EXPECT_EQ(rows_with(12), (Rows{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {12, 1}}));
}

TEST(CpuPlan, RunsSerialPeersOnceAndTablesWhereSidesAreAlike) {
  CpuOptions options = options_of({"automatic", "std-build", "linear-probing-find"});
  options.threads = {4, 1};
  const Plan plan = plan_cpu(options, host_with(8));
  std::map<std::string, std::set<std::string>> names;
  for (const CompareCase& row : plan.cases) {
    EXPECT_EQ(row.backend, "OpenMP");
    names[std::string(row.algorithm->name)].insert(benchmark_name(row));
  }
  EXPECT_EQ(names["automatic"].size(), 2 * cpu_shape_names().size());
  EXPECT_EQ(names["linear-probing-find"].size(), 2U * 5);
  EXPECT_EQ(names["std-build"].size(), 5U);
  const auto many = std::ranges::find(plan.cases, 16'000U,
                                      [](const CompareCase& row) { return row.data.num_queries; });
  ASSERT_NE(many, plan.cases.end());
  EXPECT_EQ(many->data.num_keys, 1000U);
}

TEST(CpuPlan, RefusesMoreThreadsThanThereAre) {
  CpuOptions options = options_of({"automatic"});
  options.threads = {2, 9};
  EXPECT_THROW((void)plan_cpu(options, host_with(8)), InvalidArgument);
  options.threads = {8};
  EXPECT_EQ(threads_in(plan_cpu(options, host_with(8))).size(), 1U);
  options.num_rows = {std::uint64_t{1} << 29};  // 16 times as many on the left side
  EXPECT_THROW((void)plan_cpu(options, host_with(8)), InvalidArgument);
}

TEST(ScalingSummary, ComparesWithOneThreadAndTakesTheMiddleInput) {
  CpuOptions options = options_of({"automatic", "std-build"});
  options.threads = {1, 2, 4};
  options.shapes = {"dense", "random", "zipf"};
  const Plan plan = plan_cpu(options, host_with(4));
  std::vector<CompareResult> results;
  for (const CompareCase& row : plan.cases) {
    CompareResult result;
    result.row = &row;
    const double base = row.data.order == KeyOrder::dense ? 3 : row.data.skew != 0 ? 2 : 1;
    result.kept = {1, 1.0, 0};
    result.giga_items = row.threads == 1 ? base : base * row.threads * (1 - base / 10);
    results.push_back(result);
  }
  std::ostringstream out;
  const auto arithmetic = [](unsigned threads) { return threads * 0.5; };
  print_scaling(out, results, arithmetic);
  EXPECT_EQ(out.str(),
            "\ntimes as fast as with one thread, kept memory        2        4\n"
            "the machine: arithmetic in registers              1.00     2.00\n"
            "join, both sides  hash_join, automatic            1.60     3.20\n");
  for (CompareResult& result : results) result.error = "skipped";
  std::ostringstream nothing;
  print_scaling(nothing, results, arithmetic);
  EXPECT_EQ(nothing.str(), "");
}

}  // namespace
}  // namespace hashmill::perf
