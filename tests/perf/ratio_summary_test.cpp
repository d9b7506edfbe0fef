#include "ratio_summary.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace hashmill::perf {
namespace {

const std::string host = Kokkos::DefaultHostExecutionSpace::name();

CompareCase case_of(const std::string& algorithm, const std::string& backend,
                    std::uint64_t num_keys) {
  CompareCase row;
  row.algorithm = find_algorithm(algorithm);
  row.backend = backend;
  row.data.num_keys = num_keys;
  row.data.num_queries = num_keys;
  return row;
}

std::string summary_of(const std::vector<CompareCase>& plan, const std::vector<double>& rates) {
  const std::vector<BackendInfo> backends = {{host, "CPU", true, 2, 40e9},
                                             {"GPU", "GPU", false, 0, 4e12}};
  std::vector<CompareResult> results;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    CompareResult result;
    result.row = &plan[i];
    result.num_repetitions = rates[i] > 0 ? 3 : 0;
    result.gkeys_per_second = rates[i];
    results.push_back(result);
  }
  std::ostringstream out;
  print_ratios(out, results, plan, describe_axes(plan, backends));
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
            "build HashGraph V2 : std::unordered_multimap " + host + " 30.0");
  EXPECT_EQ(line_of(text, "build", "GPU"), "build HashGraph V2 GPU : " + host + " 20.0");
}

TEST(RatioSummary, HasAColumnForEachSizeAndADashWhereNothingWasRun) {
  const std::vector<CompareCase> plan = {
      case_of("v2", host, 1024), case_of("std-build", host, 1024), case_of("v1", host, 1024),
      case_of("v1", host, 2048), case_of("v2", host, 2048)};
  const std::string text = summary_of(plan, {2.0, 1.0, 1.0, 1.0, 4.0});
  EXPECT_EQ(line_of(text, "times as fast", "n"), "times as fast, by n 2^10 2^11");
  EXPECT_EQ(line_of(text, "build", ": HashGraph V1"),
            "build HashGraph V2 : HashGraph V1 " + host + " 2.00 4.00");
  EXPECT_EQ(line_of(text, "build", "std::unordered_multimap"),
            "build HashGraph V2 : std::unordered_multimap " + host + " 2.00 -");
}

TEST(RatioSummary, ComparesEachFillWithAPeerThatHasNone) {
  std::vector<CompareCase> plan = {case_of("linear-probing-find", host, 1000),
                                   case_of("linear-probing-find", host, 1000),
                                   case_of("std-find", host, 1000)};
  plan[0].table.fill = plan[2].table.fill = 0.5;
  plan[1].table.fill = 0.75;
  const std::string text = summary_of(plan, {4.0, 2.0, 1.0});
  EXPECT_EQ(line_of(text, "times as fast", "fill"), "times as fast, by fill 0.5 0.75");
  EXPECT_EQ(line_of(text, "find", "std::unordered_multimap"),
            "find LinearProbing : std::unordered_multimap " + host + " 4.00 2.00");
}

TEST(RatioSummary, LeavesRowsWithoutAFigureOut) {
  const std::vector<CompareCase> plan = {case_of("v1", host, 1000), case_of("v2", host, 1000)};
  EXPECT_EQ(summary_of(plan, {0.0, 3.0}), "");
}

}  // namespace
}  // namespace hashmill::perf
