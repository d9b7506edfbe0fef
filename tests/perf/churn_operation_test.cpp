#include "tables/churn_operation.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "peers/host_map.hpp"
#include "peers/kokkos_unordered_map.hpp"

namespace hashmill::perf {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Key = std::uint32_t;
using Bench = Workbench<Exec, Key>;
using Keys = Bench::Keys;

const Algorithm churn_algorithm = {
    "churn", OperationKind::churn, "churn", RunsOn::every_backend, {.fill = true}};

CompareCase case_of(std::uint64_t num_keys, std::uint64_t multiplicity, double fill) {
  CompareCase row;
  row.algorithm = &churn_algorithm;
  row.data.num_keys = num_keys;
  row.data.multiplicity = multiplicity;
  row.table.fill = fill;
  return row;
}

TEST(ChurnKeys, HoldEveryKeyOnceAndEachInOneBatch) {
  const CompareCase row = case_of(5000, 3, 0.5);
  Bench bench;
  bench.use(row);
  const ChurnKeys<Keys> grouped(bench.exec(), bench.keys(), 7);
  ASSERT_EQ(grouped.first_row(num_churn_batches), 5000u);
  std::multiset<Key> expected, actual;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    expected.insert(bench.keys()(i));
    actual.insert(grouped.keys()(i));
  }
  EXPECT_EQ(actual, expected);
  for (std::uint64_t batch = 0; batch < num_churn_batches; ++batch) {
    const Keys keys = grouped.batch(batch);
    EXPECT_NEAR(static_cast<double>(keys.size()), 5000.0 / num_churn_batches, 150);
    for (std::uint64_t i = 0; i < keys.size(); ++i) EXPECT_EQ(churn_batch_of(keys(i), 7), batch);
  }
}

template <class Churn>
class ChurnOperationOf : public testing::Test {};

using Churns = testing::Types<LinearProbingChurn<Exec, Key>, TagBucketChurn<Exec, Key>,
                              PeerChurn<Exec, KokkosUnorderedMap<Exec, Key>>,
                              PeerChurn<Exec, StdUnorderedMultimap<Exec, Key>>>;
TYPED_TEST_SUITE(ChurnOperationOf, Churns);

/// What verifying says after each of some runs on one bench, or "" if both were right.
template <class Churn>
std::string run_often(const CompareCase& row) {
  Bench bench;
  bench.use(row);
  const auto operation = std::make_unique<ChurnOperation<Bench, Churn>>(bench, row.table);
  std::string faults;
  for (const RunMemory memory : {RunMemory::kept, RunMemory::fresh, RunMemory::kept}) {
    operation->prepare(memory);
    operation->run();
    faults += operation->verify();
  }
  return faults;
}

TYPED_TEST(ChurnOperationOf, GivesRightResultsRunAfterRun) {
  for (const std::uint64_t multiplicity : {1, 3}) {
    for (const std::uint64_t num_keys : {1, 10, 3000}) {
      EXPECT_EQ(run_often<TypeParam>(case_of(num_keys, multiplicity, 0.25)), "") << num_keys;
      EXPECT_EQ(run_often<TypeParam>(case_of(num_keys, multiplicity, 0.875)), "") << num_keys;
    }
  }
}

TYPED_TEST(ChurnOperationOf, IsCaughtWhenKeysAreMissing) {
  const CompareCase row = case_of(3000, 1, 0.5);
  Bench bench;
  bench.use(row);
  const auto operation = std::make_unique<ChurnOperation<Bench, TypeParam>>(bench, row.table);
  operation->prepare(RunMemory::kept);
  // Without its rounds the table lacks the last batch, not the one that the rounds erase last.
  EXPECT_NE(operation->verify(), "");
}

}  // namespace
}  // namespace hashmill::perf
