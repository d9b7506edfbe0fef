#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/error.hpp>
#include <map>

#include "budget/budget_options.hpp"
#include "budget/budgeted_group_bys.hpp"
#include "budget/budgeted_joins.hpp"
#include "budget/plain_transfers.hpp"
#include "command_line.hpp"
#include "group_by/group_by_plan.hpp"
#include "join/join_plan.hpp"
#include "peers/duckdb_library.hpp"

namespace hashmill::perf {
namespace {

TEST(MemoryLimit, ReadsPercentAndBytes) {
  EXPECT_EQ(parse_memory_limit("25%"), (MemoryLimit{25, 0}));
  EXPECT_EQ(parse_memory_limit("0.5%"), (MemoryLimit{0.5, 0}));
  EXPECT_EQ(parse_memory_limit("512MiB"), (MemoryLimit{0, 512 << 20}));
  EXPECT_EQ(parse_memory_limit("1.5kB"), (MemoryLimit{0, 1500}));
  EXPECT_EQ(to_string(*parse_memory_limit("2.5%")), "2.5%");
  EXPECT_EQ(to_string(*parse_memory_limit("1GiB")), "1 GiB");
  EXPECT_EQ((MemoryLimit{25, 0}).of(1000), 250U);
  EXPECT_EQ((MemoryLimit{0, 7}).of(1000), 7U);
  EXPECT_EQ((MemoryLimit{0.01, 0}).of(1000), 1U);
  for (const char* text : {"", "25", "0%", "-1%", "nan%", "1e9%", "0.5B", "infGB", "5 GB", "GiB"}) {
    EXPECT_EQ(parse_memory_limit(text), std::nullopt) << text;
  }
}

JoinCommandOptions parsed(std::vector<const char*> words) {
  words.insert(words.begin(), {"hashmill-compare", "join"});
  const auto command = parse_command_line(static_cast<int>(words.size()), words.data());
  return std::get<JoinCommandOptions>(command.value());
}

TEST(BudgetOptions, ArePartOfTheCommandLine) {
  const JoinCommandOptions options =
      parsed({"--budget", "50%,1MiB", "--budget-directory", ".", "--n", "1000"});
  EXPECT_EQ(options.budget.budgets, (std::vector<MemoryLimit>{{50, 0}, {0, 1 << 20}}));
  EXPECT_EQ(options.budget.directory, ".");
  EXPECT_FALSE(parsed({}).budget);
  EXPECT_FALSE(parsed({"--budget", "50%"}).budget.directory.empty());
  EXPECT_THROW(parsed({"--budget", "25"}), InvalidArgument);
  EXPECT_THROW(parsed({"--budget", "25%", "--budget-directory", "no/such"}), InvalidArgument);
  EXPECT_THROW(parsed({"--budget-directory", "."}), InvalidArgument);
  EXPECT_THROW(parsed({"--budget", "25%", "--order", "random,drawn"}), InvalidArgument);
  for (const char* option : {"--kind", "--payload", "--key-bits", "--columns", "--tpch", "--sweep"})
    EXPECT_THROW(parsed({"--budget", "25%", option, "1"}), InvalidArgument) << option;
}

/// The rows of a run with these words on this machine.
Plan plan_of(const std::vector<const char*>& words) {
  const std::string host = Kokkos::DefaultHostExecutionSpace::name();
  return plan_joins(parsed(words), {{host, "CPU", true, 2, 40e9}});
}

TEST(BudgetedJoins, HaveARowForEachBudgetAndOneWithout) {
  const Plan plan = plan_of({"--budget", "50%,10%", "--n", "1000", "--algorithm", "ours"});
  ASSERT_EQ(plan.cases.size(), 3U);
  const auto named = [&](const char* name) {
    return std::ranges::count_if(plan.cases,
                                 [&](const auto& row) { return row.algorithm->name == name; });
  };
  EXPECT_EQ(named("hybrid"), 2);
  EXPECT_EQ(named("automatic"), 1);
  EXPECT_TRUE(benchmark_name(plan.cases.front()).ends_with("/budget:50%"));
}

/// Runs all rows, each of which checks its result; those that are skipped for want of memory.
std::size_t run_all(const Plan& plan, const std::vector<std::unique_ptr<Suite>>& suites) {
  std::size_t skipped = 0;
  for (const CompareCase& row : plan.cases) {
    try {
      const auto operation = suite_of(suites, row).make_operation(row);
      operation->prepare(RunMemory::fresh);
      EXPECT_NE(operation->verify(), "") << benchmark_name(row);
      operation->run();
      EXPECT_EQ(operation->verify(), "") << benchmark_name(row);
      const bool is_join = row.algorithm->kind == OperationKind::both_sides;
      EXPECT_EQ(operation->num_items(), row.data.num_keys + (is_join ? row.data.num_queries : 0));
    } catch (const CapacityError&) {
      ++skipped;
    }
  }
  return skipped;
}
std::size_t run_joins(const std::vector<const char*>& words) {
  return run_all(plan_of(words), make_budgeted_join_suites("."));
}

TEST(BudgetedJoins, AreRightWithinAnyBudget) {
  EXPECT_EQ(run_joins({"--budget", "400%,30%", "--n", "10000", "--ratio", "2", "--multiplicity",
                       "1,3", "--hit-rate", "0.5", "--zipf", "0,1", "--algorithm", "ours"}),
            0U);
  EXPECT_EQ(run_joins({"--budget", "1kB", "--n", "1000", "--algorithm", "hybrid"}), 1U);
}

/// What a join of 30000 rows a side tells of itself.
std::map<std::string, double> figures_within(const char* budget) {
  const auto suites = make_budgeted_join_suites(".");
  const Plan plan = plan_of({"--budget", budget, "--n", "30000", "--algorithm", "hybrid"});
  const auto operation = suite_of(suites, plan.cases[0]).make_operation(plan.cases[0]);
  operation->run();
  std::map<std::string, double> figures;
  for (const RunFigure& figure : operation->figures()) figures[figure.counter] = figure.value;
  return figures;
}

TEST(BudgetedJoins, TellWhatTheyMoved) {
  auto all = figures_within("1000%"), few = figures_within("25%");
  EXPECT_EQ(all["file_bytes"], 0);
  EXPECT_EQ(all["share_of_transfers"], 0);
  EXPECT_EQ(all["rounds"], 1);
  EXPECT_EQ(few["budget_percent"], 25);
  EXPECT_GT(few["file_bytes"], 0);
  EXPECT_GT(few["share_of_transfers"], 0);
  EXPECT_LE(few["device_peak"], 240000);
}

TEST(BudgetedJoins, RunInDuckDbToo) {
  if (!DuckDb::is_there()) GTEST_SKIP() << "libduckdb.so is not found";
  EXPECT_EQ(run_joins({"--budget", "64MiB", "--n", "30000", "--multiplicity", "1,3", "--hit-rate",
                       "0.5", "--zipf", "1", "--algorithm", "duckdb"}),
            0U);
}

/// The group-bys of a run with these words on this machine.
std::size_t run_group_bys(std::vector<const char*> words) {
  words.insert(words.begin(), {"hashmill-compare", "group-by"});
  const auto command = parse_command_line(static_cast<int>(words.size()), words.data());
  const std::string host = Kokkos::DefaultHostExecutionSpace::name();
  const Plan plan =
      plan_group_bys(std::get<GroupByOptions>(command.value()), {{host, "CPU", true, 2, 40e9}});
  return run_all(plan, make_budgeted_group_by_suites("."));
}

TEST(BudgetedGroupBys, AreRightWithinAnyBudget) {
  EXPECT_EQ(run_group_bys({"--budget", "64MiB,2MiB", "--n", "100000", "--groups", "50000,10",
                           "--zipf", "0,1", "--algorithm", "ours"}),
            0U);
  EXPECT_EQ(run_group_bys({"--budget", "1kB", "--n", "1000", "--algorithm", "hybrid"}), 1U);
  for (const char* option : {"--aggregate", "--key-bits", "--columns", "--sweep"})
    EXPECT_THROW(run_group_bys({"--budget", "25%", option, "1"}), InvalidArgument) << option;
}

TEST(BudgetedGroupBys, RunInDuckDbToo) {
  if (!DuckDb::is_there()) GTEST_SKIP() << "libduckdb.so is not found";
  EXPECT_EQ(run_group_bys({"--budget", "64MiB", "--n", "30000", "--algorithm", "duckdb"}), 0U);
}

TEST(PlainTransfers, TakeTime) {
  EXPECT_GT(plain_file_seconds(".", 9 << 20), 0);
  EXPECT_EQ(plain_copy_seconds(Kokkos::DefaultHostExecutionSpace(), 1 << 20), 0);
}

}  // namespace
}  // namespace hashmill::perf
