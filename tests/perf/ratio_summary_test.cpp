#include "report/ratio_summary.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tables/table_algorithms.hpp"

namespace hashmill::perf {
namespace {

const std::string host = Kokkos::DefaultHostExecutionSpace::name();

CompareCase case_of(const std::string& algorithm, const std::string& backend,
                    std::uint64_t num_keys) {
  CompareCase row;
  row.algorithm = find_table_algorithm(algorithm);
  row.backend = backend;
  row.data.num_keys = num_keys;
  row.data.num_queries = num_keys;
  return row;
}

/// In kept memory, where the rates are those given; in new memory they are half as high.
std::string summary_of(const std::vector<CompareCase>& plan, const std::vector<double>& rates,
                       RunMemory memory = RunMemory::kept) {
  const std::vector<BackendInfo> backends = {{host, "CPU", true, 2, 40e9},
                                             {"GPU", "GPU", false, 0, 4e12}};
  std::vector<CompareResult> results;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    CompareResult result;
    result.row = &plan[i];
    result.giga_items = rates[i];
    if (rates[i] > 0) result.kept = {3, 1.0, 0.1};
    if (rates[i] > 0 && !plan[i].algorithm->is_peer) result.fresh = {3, 2.0, 0.1};
    results.push_back(result);
  }
  std::ostringstream out;
  print_ratios(out, results, plan, describe_axes(plan, backends), memory);
  return out.str();
}

/// The line that begins with `operation` and names `pair`, blanks squeezed; empty if there is none.
std::string line_of(const std::string& text, const std::string& operation,
                    const std::string& pair) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(operation) || line.find(pair) == std::string::npos) continue;
    std::istringstream words(line);
    std::string squeezed;
    for (std::string word; words >> word;) squeezed += (squeezed.empty() ? "" : " ") + word;
    return squeezed;
  }
  return {};
}

TEST(RatioSummary, ComparesWithV1PeersAndTheHost) {
  const std::vector<CompareCase> plan = {case_of("v1", host, 1000), case_of("v2", host, 1000),
                                         case_of("v2", "GPU", 1000),
                                         case_of("std-build", host, 1000)};
  const std::string text = summary_of(plan, {1.0, 3.0, 60.0, 0.1});
  EXPECT_EQ(line_of(text, "build", ": HashGraph V1"),
            "build HashGraph V2 : HashGraph V1 " + host + " 3.00");
  EXPECT_EQ(line_of(text, "build", "std::unordered_multimap"),
            "build HashGraph V2 : std::unordered_multimap, 1 thread inserts " + host + " 30.0");
  EXPECT_EQ(line_of(text, "build", "GPU"), "build HashGraph V2 GPU : " + host + " 20.0");
}

TEST(RatioSummary, HasAColumnForEachSizeAndADashWhereNothingWasRun) {
  const std::vector<CompareCase> plan = {
      case_of("v2", host, 1024), case_of("std-build", host, 1024), case_of("v1", host, 1024),
      case_of("v1", host, 2048), case_of("v2", host, 2048)};
  const std::string text = summary_of(plan, {2.0, 1.0, 1.0, 1.0, 4.0});
  EXPECT_EQ(line_of(text, "times as fast", "n"), "times as fast in kept memory, by n 2^10 2^11");
  EXPECT_EQ(line_of(text, "build", ": HashGraph V1"),
            "build HashGraph V2 : HashGraph V1 " + host + " 2.00 4.00");
  EXPECT_EQ(line_of(text, "build", "std::unordered_multimap"),
            "build HashGraph V2 : std::unordered_multimap, 1 thread inserts " + host + " 2.00 -");
}

TEST(RatioSummary, ComparesEachFillWithAPeerThatHasNone) {
  std::vector<CompareCase> plan = {case_of("linear-probing-find", host, 1000),
                                   case_of("linear-probing-find", host, 1000),
                                   case_of("std-find", host, 1000)};
  plan[0].table.fill = plan[2].table.fill = 0.5;
  plan[1].table.fill = 0.75;
  const std::string text = summary_of(plan, {4.0, 2.0, 1.0});
  EXPECT_EQ(line_of(text, "times as fast", "fill"),
            "times as fast in kept memory, by fill 0.5 0.75");
  EXPECT_EQ(
      line_of(text, "find", "std::unordered_multimap"),
      "find LinearProbing : std::unordered_multimap, 1 thread inserts " + host + " 4.00 2.00");
}

TEST(RatioSummary, TakesThePeersOnlyFigureForBothKindsOfMemory) {
  const std::vector<CompareCase> plan = {case_of("v2", host, 1000),
                                         case_of("std-build", host, 1000)};
  const std::string text = summary_of(plan, {3.0, 1.0}, RunMemory::fresh);
  EXPECT_EQ(line_of(text, "times as fast", "memory"), "times as fast in new memory ratio");
  EXPECT_EQ(line_of(text, "build", "std::unordered_multimap"),
            "build HashGraph V2 : std::unordered_multimap, 1 thread inserts " + host + " 1.50");
}

TEST(RatioSummary, ComparesTotalsWithTotalsAndPairsWithPairs) {
  const std::vector<CompareCase> plan = {
      case_of("probe-standard-count", host, 1000), case_of("probe-standard-retrieve", host, 1000),
      case_of("probe-new-count", host, 1000),      case_of("probe-new-all-count", host, 1000),
      case_of("probe-standard-total", host, 1000), case_of("probe-new-pairs", host, 1000),
      case_of("probe-standard-pairs", host, 1000)};
  const std::string text = summary_of(plan, {1, 1, 8, 6, 2, 5, 2});
  EXPECT_EQ(line_of(text, "join, count", "runs of equal queries merged"),
            "join, count HashGraph Probe-New, runs of equal queries merged : HashGraph "
            "Probe-Standard, added up " +
                host + " 4.00");
  EXPECT_NE(line_of(text, "join, count", "none merged").find(" 3.00"), std::string::npos);
  EXPECT_NE(line_of(text, "join, pairs", "Probe-New").find(" 2.50"), std::string::npos);
  EXPECT_EQ(line_of(text, "join, count", "retrieve"), "");
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
}

TEST(RatioSummary, LeavesRowsWithoutAFigureOut) {
  const std::vector<CompareCase> plan = {case_of("v1", host, 1000), case_of("v2", host, 1000)};
  EXPECT_EQ(summary_of(plan, {0.0, 3.0}), "");
}

}  // namespace
}  // namespace hashmill::perf
