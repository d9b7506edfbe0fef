#include "plan/compare_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/error.hpp>
#include <set>
#include <string>
#include <vector>

#include "tables/bins_made.hpp"
#include "tables/table_algorithms.hpp"

namespace hashmill::perf {
namespace {

const std::vector<BackendInfo> host_only = {{"OpenMP", "CPU", true, 2, 40e9}};
const std::vector<BackendInfo> host_and_gpu = {{"OpenMP", "CPU", true, 2, 40e9},
                                               {"Cuda", "GPU", false, 0, 4e12}};

CompareOptions options_for(const std::vector<std::string>& algorithms) {
  CompareOptions options;
  for (const auto& name : algorithms) options.algorithms.push_back(find_table_algorithm(name));
  return options;
}

std::vector<std::string> names_of(const std::vector<CompareCase>& plan) {
  std::vector<std::string> names;
  for (const CompareCase& row : plan) names.push_back(benchmark_name(row));
  return names;
}

TEST(AlgorithmTable, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const Algorithm& algorithm : table_algorithms()) {
    EXPECT_TRUE(names.insert(algorithm.name).second) << algorithm.name;
    EXPECT_EQ(find_table_algorithm(algorithm.name), &algorithm);
    EXPECT_FALSE(to_string(algorithm.kind).empty());
  }
  EXPECT_EQ(find_table_algorithm("no such"), nullptr);
}

TEST(AlgorithmTable, CallsOperationsAfterTheirTableAndHasThemSideBySide) {
  EXPECT_EQ(find_table_algorithm("chaining")->kind, OperationKind::build);
  EXPECT_EQ(find_table_algorithm("linear-probing-multi")->kind, OperationKind::build);
  EXPECT_EQ(find_table_algorithm("kokkos-build")->kind, OperationKind::build);
  EXPECT_EQ(find_table_algorithm("chaining-find")->structure, "Chaining");
  EXPECT_TRUE(find_table_algorithm("chaining-find")->axes.queries);
  EXPECT_FALSE(find_table_algorithm("tag-bucket-churn")->axes.queries);
  EXPECT_TRUE(std::ranges::is_sorted(table_algorithms(), {}, &Algorithm::kind));
}

TEST(AlgorithmTable, HasOneThreadInsertAndAllLookUpWhereATableAsksForThat) {
  EXPECT_EQ(find_table_algorithm("std-insert")->runs_on, RunsOn::host_serial);
  EXPECT_EQ(find_table_algorithm("std-find")->runs_on, RunsOn::host_threads);
}

TEST(ComparePlan, RunsEveryCombinationOfTheAxesThatMatter) {
  CompareOptions options = options_for({"v1", "v2", "std-build", "find"});
  options.num_keys = {1000};
  options.load_factors = {1, 4};
  options.bins = {0, 16};
  options.hit_rates = {0.5, 1};
  const auto names = names_of(plan_tables(options, host_only, nullptr).cases);
  const auto count = [&](const std::string& name) {
    return std::ranges::count_if(names, [&](const auto& n) { return n.starts_with(name + "/"); });
  };
  EXPECT_EQ(count("v1"), 2);         // load factors
  EXPECT_EQ(count("v2"), 4);         // and bins
  EXPECT_EQ(count("std-build"), 1);  // neither
  EXPECT_EQ(count("find"), 4);       // load factors and hit rates
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
}

TEST(ComparePlan, GivesAxesThatDoNotMatterTheirFirstValues) {
  CompareOptions options = options_for({"v1", "tag-bucket", "find"});
  options.num_keys = {1000};
  options.load_factors = {1, 4};
  options.fills = {0.25, 0.5};
  options.bins = {16, 0};
  options.hit_rates = {0.5, 1};
  for (const CompareCase& row : plan_tables(options, host_only, nullptr).cases) {
    EXPECT_EQ(row.table.bins, 16u);
    EXPECT_TRUE(row.algorithm->axes.load_factor || row.table.load_factor == 1);
    EXPECT_TRUE(row.algorithm->axes.fill || row.table.fill == 0.25);
    EXPECT_TRUE(row.algorithm->axes.queries || row.data.hit_rate == 0.5);
  }
}

TEST(ComparePlan, RunsHostPeersOnTheHostOnly) {
  CompareOptions options = options_for({"v2", "std-build", "kokkos-build"});
  options.num_keys = {1000};
  const auto plan = plan_tables(options, host_and_gpu, nullptr).cases;
  EXPECT_EQ(plan.size(), 5u);
  for (const CompareCase& row : plan) {
    EXPECT_TRUE(row.algorithm->runs_on == RunsOn::every_backend || row.backend == "OpenMP");
  }
  options.backends = {"cuda"};
  EXPECT_EQ(plan_tables(options, host_and_gpu, nullptr).cases.size(), 2u);
}

TEST(ComparePlan, RunsGpuPeersOnTheGpuOnlyAndUpToTheirWidestKey) {
  const Algorithm peer = {"peer", OperationKind::build, "peer",          RunsOn::gpu, {},
                          true,   DefaultRun::small,    {.key_bits = 64}};
  CompareOptions options;
  options.algorithms = {&peer};
  options.num_keys = {1000};
  options.key_bits = {32, 128};
  const auto plan = plan_tables(options, host_and_gpu, nullptr).cases;
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan.front().backend, "Cuda");
  EXPECT_EQ(plan.front().data.key_bits, 32u);
  EXPECT_EQ(plan_tables(options, host_and_gpu, nullptr).notes,
            std::vector<std::string>{"peer is left out above 64-bit keys"});
  EXPECT_THROW((void)plan_tables(options, host_only, nullptr), InvalidArgument);
}

TEST(ComparePlan, ByDefaultKeepsPeersToTheSmallSizeOnAHost) {
  const auto plan = plan_tables(options_for({"v2", "std-build"}), host_and_gpu, nullptr).cases;
  for (const CompareCase& row : plan) {
    const bool is_small = row.data.num_keys == std::uint64_t{1} << 22;
    EXPECT_TRUE(is_small || !row.algorithm->is_peer);
    EXPECT_TRUE(!is_small || row.backend == "OpenMP");
  }
  EXPECT_EQ(plan.size(), 5u);
}

TEST(ComparePlan, ByDefaultLeavesOutRowsThatOthersShow) {
  const Algorithm* const slow = find_table_algorithm("std-count");
  const auto is_slow = [&](const CompareCase& row) { return row.algorithm == slow; };
  CompareOptions options;
  for (const Algorithm& algorithm : table_algorithms()) options.algorithms.push_back(&algorithm);
  EXPECT_TRUE(std::ranges::none_of(plan_tables(options, host_only, nullptr).cases, is_slow));
  options.num_keys = {1000};
  EXPECT_TRUE(std::ranges::any_of(plan_tables(options, host_only, nullptr).cases, is_slow));
  const CompareOptions chosen = options_for({"std-count", "v2"});
  EXPECT_TRUE(std::ranges::any_of(plan_tables(chosen, host_only, nullptr).cases, is_slow));
}

TEST(ComparePlan, LeavesOutRowsBeyondATablesFillAndSaysSo) {
  CompareOptions options = options_for({"tag-bucket", "tag-bucket-find", "linear-probing-find"});
  options.num_keys = {1000};
  options.fills = {0.5, 0.875, 0.9, 0.95};
  const auto plan = plan_tables(options, host_only, nullptr).cases;
  for (const CompareCase& row : plan) EXPECT_LE(row.table.fill, row.algorithm->limits.fill);
  EXPECT_EQ(plan.size(), 2u + 2u + 4u);
  EXPECT_EQ(plan_tables(options, host_only, nullptr).notes,
            std::vector<std::string>{"TagBucket is left out above fill 0.875"});
  options.fills = {0.5};
  EXPECT_TRUE(plan_tables(options, host_only, nullptr).notes.empty());
  options.fills = {0.96};
  EXPECT_THROW((void)plan_tables(options, host_only, nullptr), InvalidArgument);
}

TEST(ComparePlan, RefusesWhatItCannotRun) {
  CompareOptions options = options_for({"v2"});
  options.backends = {"HIP"};
  EXPECT_THROW((void)plan_tables(options, host_only, nullptr), InvalidArgument);
  options.backends = {};
  options.num_keys = {std::uint64_t{1} << 32};
  EXPECT_THROW((void)plan_tables(options, host_only, nullptr), InvalidArgument);
  options.num_keys = {1000};
  options.num_queries = std::uint64_t{1} << 32;
  EXPECT_THROW((void)plan_tables(options, host_only, nullptr), InvalidArgument);
  options.num_queries.reset();
  options = options_for({"std-build"});
  options.backends = {"Cuda"};
  EXPECT_THROW((void)plan_tables(options, host_and_gpu, nullptr), InvalidArgument);
}

TEST(ComparePlan, ShowsTheBinsThatAreMadeOnce) {
  CompareOptions options = options_for({"v1", "v2", "probe-new-count", "probe-new-pairs"});
  options.num_keys = {4096};
  options.bins = {0, 1000, 1024, 1100};
  Plan plan{plan_tables(options, host_only, nullptr).cases, {"before"}};
  // Bins of one bucket up to 4096 buckets: 1000 asked for are 1024, and 1100 are 1024 too.
  const auto round = [](const CompareCase& row) { return row.table.bins > 600 ? 1024 : 512; };
  plan = with_bins_made(std::move(plan), round);
  std::vector<std::pair<std::string_view, std::uint64_t>> rows;
  for (const CompareCase& row : plan.cases) rows.emplace_back(row.algorithm->name, row.table.bins);
  const decltype(rows) expected = {{"v1", 0},
                                   {"v2", 0},
                                   {"v2", 1024},
                                   {"probe-new-count", 0},
                                   {"probe-new-pairs", 0},
                                   {"probe-new-pairs", 1024}};
  EXPECT_EQ(rows, expected);
  ASSERT_EQ(plan.notes.size(), 3u);
  EXPECT_EQ(plan.notes[0], "before");
  EXPECT_EQ(plan.notes[1],
            "--bins 1000: 1024 at n 2^12, load factor 1 on OpenMP, as a bin holds a power of two "
            "of buckets");
  EXPECT_TRUE(plan.notes[2].starts_with("--bins 1100: 1024 at n 2^12"));
}

TEST(ComparePlan, TakesMeansOfDrawnKeysAndWholeNumbersOfOthers) {
  CompareOptions options = options_for({"v2"});
  options.num_keys = {1000};
  options.multiplicities = {0.5, 2.5};
  options.orders = {KeyOrder::drawn, KeyOrder::zipf};
  EXPECT_EQ(names_of(plan_tables(options, host_only, nullptr).cases),
            (std::vector<std::string>{"v2/OpenMP/u32/drawn/n:1000/multiplicity:0.5/load:1",
                                      "v2/OpenMP/u32/drawn/n:1000/multiplicity:2.5/load:1",
                                      "v2/OpenMP/u32/zipf/n:1000/multiplicity:0.5/load:1",
                                      "v2/OpenMP/u32/zipf/n:1000/multiplicity:2.5/load:1"}));
  for (const KeyOrder order : {KeyOrder::random, KeyOrder::sequential}) {
    for (const double multiplicity : {0.5, 1.5}) {
      options.orders = {order};
      options.multiplicities = {multiplicity};
      EXPECT_THROW((void)plan_tables(options, host_only, nullptr), InvalidArgument);
    }
  }
  options.orders = {KeyOrder::drawn};
  options.multiplicities = {1e-9};  // of 10^12 values, more than 32 bits have
  EXPECT_THROW((void)plan_tables(options, host_only, nullptr), InvalidArgument);
}

TEST(CompareCase, CountsReadWell) {
  EXPECT_EQ(plain_number(0.25), "0.25");
  EXPECT_EQ(plain_number(1048576), "1048576");
  EXPECT_EQ(short_count(std::uint64_t{1} << 22), "2^22");
  EXPECT_EQ(short_count(512), "512");
  EXPECT_EQ(short_count(3000), "3000");
}

}  // namespace
}  // namespace hashmill::perf
