#include "plan/workload_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/error.hpp>
#include <set>
#include <string>
#include <vector>

#include "group_by/group_by_algorithms.hpp"
#include "group_by/group_by_plan.hpp"
#include "join/join_algorithms.hpp"
#include "join/join_plan.hpp"
#include "keys/tpch_orders.hpp"
#include "plan/algorithm_choice.hpp"
#include "report/table_columns.hpp"

namespace hashmill::perf {
namespace {

const std::vector<BackendInfo> host_only = {{"OpenMP", "CPU", true, 2, 40e9}};
const std::vector<BackendInfo> host_and_gpu = {{"OpenMP", "CPU", true, 2, 40e9},
                                               {"Cuda", "GPU", false, 0, 4e12}};

// A peer as source files in peers/ add them.
const RegisteredJoinPeer second({{"zz-peer",
                                  OperationKind::both_sides,
                                  "A peer",
                                  RunsOn::host_threads,
                                  {.queries = true, .sides = true},
                                  true},
                                 nullptr});
const RegisteredJoinPeer first({{"a-peer",
                                 OperationKind::both_sides,
                                 "Another peer",
                                 RunsOn::host_threads,
                                 {.queries = true, .sides = true},
                                 true},
                                nullptr});

JoinCommandOptions joins_of(const std::vector<std::string>& algorithms) {
  JoinCommandOptions options;
  options.algorithms = select_algorithms(join_algorithms(), algorithms);
  options.num_rows = {1000};
  return options;
}

GroupByOptions group_bys_of(const std::vector<std::string>& algorithms) {
  GroupByOptions options;
  options.algorithms = select_algorithms(group_by_algorithms(), algorithms);
  options.num_rows = {1000};
  return options;
}

TEST(Algorithms, OfWorkloadsHaveNamesOfTheirOwn) {
  for (const auto all : {join_algorithms(), group_by_algorithms()}) {
    std::set<std::string_view> names;
    for (const Algorithm& algorithm : all) EXPECT_TRUE(names.insert(algorithm.name).second);
  }
  EXPECT_THROW(select_algorithms(join_algorithms(), {"no such"}), InvalidArgument);
}

TEST(Algorithms, OfPeersFollowOursInAlphabeticalOrder) {
  const auto all = join_algorithms();
  EXPECT_EQ(all.front().name, "automatic");
  const auto peers = select_algorithms(all, {"peers"});
  ASSERT_GE(peers.size(), 2u);  // and those that this machine has
  EXPECT_TRUE(std::ranges::is_sorted(peers, {}, [](const auto* peer) { return peer->name; }));
  EXPECT_EQ(peers.front()->name, "a-peer");
  EXPECT_EQ(peers.back()->name, "zz-peer");
  EXPECT_EQ(peers.back(), &all.back());
  EXPECT_NE(RegisteredJoinPeer::find("zz-peer"), nullptr);
  EXPECT_EQ(RegisteredJoinPeer::find("automatic"), nullptr);
}

TEST(JoinPlan, RunsEveryCombinationAndPeersOnTheHostOnly) {
  JoinCommandOptions options = joins_of({"automatic", "partitioned", "a-peer"});
  options.key_bits = {32, 64};
  options.multiplicities = {1, 32};
  options.hit_rates = {0, 1};
  options.skews = {0, 1.5};
  options.ratios = {1, 16};
  options.outputs = {JoinOutput::count, JoinOutput::rows};
  const Plan plan = plan_joins(options, host_and_gpu);
  EXPECT_EQ(plan.cases.size(), 64u * (2 * 2 + 1));
  EXPECT_TRUE(plan.notes.empty());
  std::set<std::string> names;
  for (const CompareCase& row : plan.cases) {
    EXPECT_TRUE(names.insert(benchmark_name(row)).second);
    EXPECT_TRUE(row.data.num_queries == 1000 || row.data.num_queries == 16000);
    EXPECT_TRUE(!row.algorithm->is_peer || row.backend == "OpenMP");
  }
}

TEST(JoinPlan, LeavesOutWhatStrategiesCannotDoAndSaysSo) {
  JoinCommandOptions options = joins_of({"unique-keys", "array", "join-values"});
  options.multiplicities = {1, 2};
  options.orders = {KeyOrder::random, KeyOrder::dense};
  options.outputs = {JoinOutput::rows, JoinOutput::values_16};
  const Plan plan = plan_joins(options, host_only);
  for (const CompareCase& row : plan.cases) {
    const std::string_view name = row.algorithm->name;
    EXPECT_TRUE(name != "unique-keys" || row.data.multiplicity == 1);
    EXPECT_TRUE(name != "array" || row.data.order == KeyOrder::dense);
    EXPECT_TRUE(name != "join-values" || row.result.output == JoinOutput::values_16);
  }
  EXPECT_EQ(plan.cases.size(), 4u + 4u + 4u);
  const std::vector<std::string> notes = {
      "hash_join, array is left out where keys of the right side lie 2^21 apart or more "
      "(try --n 2^20 --order dense)",
      "hash_join, unique_keys is left out where keys of the right side repeat",
      "join_values is left out of --payload count and rows"};
  auto sorted = plan.notes;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, notes);
  options = joins_of({"array"});
  options.num_rows = {(std::uint64_t{1} << 21) + 1};
  options.orders = {KeyOrder::dense};
  EXPECT_THROW(plan_joins(options, host_only), InvalidArgument);
}

TEST(JoinPlan, HasAsManyLinesAsTheOrdersOfTpchSay) {
  JoinCommandOptions options = joins_of({"automatic", "unique-keys", "array", "a-peer"});
  options.orders = {KeyOrder::tpch};
  options.key_bits = {64};
  options.num_rows = {1500, 1'500'000};
  options.outputs = {JoinOutput::count};
  const Plan plan = plan_joins(options, host_only);
  EXPECT_EQ(plan.cases.size(), 4u + 3u);  // array: of few keys alone
  std::uint64_t lines = 0;
  for (std::uint64_t i = 0; i < 1500; ++i) lines += TpchOrders<std::uint64_t>(1500).num_lines(i);
  EXPECT_EQ(plan.cases.front().data.num_queries, lines);
  EXPECT_NEAR(static_cast<double>(plan.cases.back().data.num_queries), 6e6, 12'000);
}

TEST(JoinPlan, HasOuterJoinsWithoutPayloads) {
  JoinCommandOptions options = joins_of({"partitioned", "intersect", "join-values"});
  options.kinds = {JoinKind::inner, JoinKind::left, JoinKind::right, JoinKind::full};
  options.outputs = {JoinOutput::count, JoinOutput::rows, JoinOutput::values_4};
  const Plan plan = plan_joins(options, host_only);
  for (const CompareCase& row : plan.cases) {
    const bool is_inner = row.result.kind == JoinKind::inner;
    EXPECT_TRUE(is_inner || row.algorithm->name == "partitioned");
    EXPECT_TRUE(is_inner || row.result.output != JoinOutput::values_4);
  }
  EXPECT_EQ(plan.cases.size(), 3u + 3u * 2u + 3u + 1u);
}

TEST(JoinPlan, RefusesSidesThatCannotBeNumbered) {
  JoinCommandOptions options = joins_of({"automatic"});
  options.num_rows = {std::uint64_t{1} << 29};
  options.ratios = {16};
  EXPECT_THROW(plan_joins(options, host_only), InvalidArgument);
  options.ratios = {1};
  options.backends = {"HIP"};
  EXPECT_THROW(plan_joins(options, host_only), InvalidArgument);
}

TEST(JoinPlan, HasSizesOfItsOwnForEachBackend) {
  JoinCommandOptions options = joins_of({"partitioned"});
  options.num_rows.clear();
  for (const CompareCase& row : plan_joins(options, host_and_gpu).cases)
    EXPECT_EQ(row.data.num_keys == std::uint64_t{1} << 27, row.backend == "Cuda");
}

TEST(JoinSweep, VariesItsAxisAlone) {
  for (const std::string& name : join_sweep_names()) {
    JoinCommandOptions options = joins_of({"partitioned"});
    options.outputs = {JoinOutput::count};
    options.num_rows.clear();
    apply_join_sweep(name, false, options);
    EXPECT_GE(plan_joins(options, host_only).cases.size(), 5u) << name;
    JoinCommandOptions kept = joins_of({"partitioned"});
    apply_join_sweep(name, true, kept);
    EXPECT_EQ(plan_joins(kept, host_only).cases.size(), kept.outputs.size()) << name;
  }
  JoinCommandOptions options;
  EXPECT_THROW(apply_join_sweep("n", false, options), InvalidArgument);
}

TEST(GroupByPlan, RunsEveryCombination) {
  GroupByOptions options = group_bys_of({"ours"});
  options.num_groups = {2, 1000};
  options.skews = {0, 1};
  options.aggregates = {Aggregates::count, Aggregates::all};
  const Plan plan = plan_group_bys(options, host_only);
  EXPECT_EQ(plan.cases.size(), options.algorithms.size() * 8);
  const TableAxesView view = describe_axes(plan.cases, host_only);
  std::set<std::string> headings;
  for (const TableColumn& column : view.columns) headings.insert(column.heading);
  EXPECT_TRUE(headings.contains("groups") && headings.contains("aggregate"));
  EXPECT_FALSE(headings.contains("multiplicity"));
}

TEST(GroupByPlan, RefusesMoreGroupsThanRowsAndChoosesNoneBeyond) {
  GroupByOptions options = group_bys_of({"group-by"});
  options.num_groups = {1001};
  EXPECT_THROW(plan_group_bys(options, host_only), InvalidArgument);
  for (const std::uint64_t num_rows : {1, 2, 5, 5000}) {
    options.num_groups.clear();
    options.num_rows = {num_rows};
    for (const CompareCase& row : plan_group_bys(options, host_only).cases) {
      EXPECT_GE(row.data.num_groups, 1u);
      EXPECT_LE(row.data.num_groups, num_rows);
    }
  }
}

TEST(GroupBySweep, VariesItsAxisAlone) {
  GroupByOptions options = group_bys_of({"group-by"});
  apply_group_by_sweep("groups", false, options);
  EXPECT_EQ(plan_group_bys(options, host_only).cases.size(), 4u);  // 2, 16, 128, 500
  options = group_bys_of({"group-by"});
  options.num_groups = {10};
  apply_group_by_sweep("zipf", false, options);
  EXPECT_EQ(plan_group_bys(options, host_only).cases.size(), 7u);
  EXPECT_THROW(apply_group_by_sweep("n", false, options), InvalidArgument);
}

}  // namespace
}  // namespace hashmill::perf
