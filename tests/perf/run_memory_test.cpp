#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <memory>

#include "algorithms/support/kokkos_recorder.hpp"
#include "case/compare_result.hpp"
#include "join/count_join.hpp"
#include "join/hash_join_operation.hpp"
#include "peers/host_map.hpp"
#include "peers/kokkos_unordered_map.hpp"
#include "tables/insert_operation.hpp"
#include "tables/join_operation.hpp"
#include "tables/library_table.hpp"
#include "tables/lookup_operation.hpp"

namespace hashmill::perf {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Key = std::uint32_t;
using Bench = Workbench<Exec, Key>;
using Graph = Bench::Graph;
using Probing = LibraryTable<Exec, Key, LinearProbingKind<UniqueKeys>>;
using Tags = LibraryTable<Exec, Key, TagBucketKind>;
using Chains = LibraryTable<Exec, Key, ChainingKind>;
using OperationPtr = std::unique_ptr<Operation>;

const Algorithm algorithm = {
    "test", OperationKind::find, "test", RunsOn::every_backend, {.queries = true}};

constexpr std::uint64_t size = 100'000;

/// Bytes that a run allocates in memory of a kind, after runs in both; its result is verified.
std::uint64_t allocated_by(Operation& operation, RunMemory memory) {
  for (const RunMemory before : {RunMemory::fresh, RunMemory::kept, RunMemory::kept, memory}) {
    if (!operation.runs_in(before)) continue;
    operation.prepare(before);
    operation.run();
    EXPECT_EQ(operation.verify(), "");
  }
  operation.prepare(memory);
  const test::KokkosRecorder recorder;
  operation.run();
  std::uint64_t bytes = 0;
  for (const test::KokkosEvent& event : recorder.events()) {
    if (event.kind == test::KokkosEvent::Kind::allocation) bytes += event.bytes;
  }
  EXPECT_EQ(operation.verify(), "");
  return bytes;
}

class RunMemoryOf : public testing::Test {
 protected:
  RunMemoryOf() {
    CompareCase row;
    row.algorithm = &algorithm;
    row.data.num_keys = size;
    row.data.num_queries = size;
    bench.use(row);
  }
  /// A run in new memory allocates at least so much, and one in kept memory next to nothing.
  void expect_kept(OperationPtr operation, std::uint64_t least) {
    ASSERT_TRUE(operation->runs_in(RunMemory::fresh) && operation->runs_in(RunMemory::kept));
    EXPECT_GE(allocated_by(*operation, RunMemory::fresh), least);
    EXPECT_LE(allocated_by(*operation, RunMemory::kept), least / 100);
  }
  Tally pairs() { return bench.expected_pairs(JoinKind::inner); }

  Bench bench;
  TableAxes axes;
};

TEST_F(RunMemoryOf, BuildsIsNewOrThatOfTheLastTable) {
  const auto options = graph_options(axes, BuildAlgorithm::v2);
  expect_kept(std::make_unique<GraphBuildOperation<Bench>>(bench, options), 20 * size);
  expect_kept(std::make_unique<BuildOperation<Bench, Probing>>(bench, axes), 16 * size);
  expect_kept(std::make_unique<BuildOperation<Bench, Tags>>(bench, axes), 10 * size);
  expect_kept(std::make_unique<BuildOperation<Bench, Chains>>(bench, axes), 12 * size);
  using Map = KokkosUnorderedMap<Exec, Key>;
  expect_kept(std::make_unique<BuildOperation<Bench, Map>>(bench, axes), 12 * size);
}

TEST_F(RunMemoryOf, InsertsIsTemporaryMemoryAlone) {
  const auto ours = std::make_unique<InsertOperation<Bench, Probing>>(bench, axes);
  EXPECT_TRUE(ours->runs_in(RunMemory::fresh));
  EXPECT_LE(allocated_by(*ours, RunMemory::kept), size / 100);
  using Peer = StdUnorderedMultimap<Exec, Key>;
  const auto peer = std::make_unique<InsertOperation<Bench, Peer>>(bench, axes);
  EXPECT_FALSE(peer->runs_in(RunMemory::fresh));
  EXPECT_EQ(allocated_by(*peer, RunMemory::kept), 0u);
}

TEST_F(RunMemoryOf, LookUpsIsThatOfTheAnswers) {
  expect_kept(std::make_unique<LookupOperation<Bench, Graph, ContainsLookup>>(bench, axes), size);
  expect_kept(std::make_unique<LookupOperation<Bench, Graph, FindLookup>>(bench, axes), 4 * size);
  expect_kept(std::make_unique<LookupOperation<Bench, Graph, CountLookup>>(bench, axes), 8 * size);
  expect_kept(std::make_unique<LookupOperation<Bench, Graph, RetrieveLookup>>(bench, axes),
              12 * size);
}

TEST_F(RunMemoryOf, JoinsIsThatOfWorkAndResults) {
  expect_kept(std::make_unique<CountJoinOperation<Bench>>(bench, pairs(), JoinKind::inner),
              4 * size);
  using Rows = JoinedRows<Bench>;
  expect_kept(std::make_unique<HashJoinOperation<Bench, Rows>>(bench, pairs(), JoinKind::inner),
              8 * size);
  using Payloads = CarriedPayloads<Bench, std::uint32_t>;
  expect_kept(std::make_unique<HashJoinOperation<Bench, Payloads>>(bench, pairs()), 8 * size);
  using Gathered = GatheredPayloads<Bench, std::uint32_t>;
  expect_kept(std::make_unique<HashJoinOperation<Bench, Gathered>>(bench, pairs()), 16 * size);
}

TEST_F(RunMemoryOf, ProbesWithATableIsThatOfTheQueries) {
  const auto options = graph_options(axes, BuildAlgorithm::v2);
  expect_kept(std::make_unique<JoinOperation<Bench, JoinCount>>(bench, axes, options), 4 * size);
  expect_kept(std::make_unique<JoinOperation<Bench, JoinCountOfAll>>(bench, axes, options),
              8 * size);
  expect_kept(std::make_unique<JoinOperation<Bench, LookUpPairs>>(bench, axes, options), 8 * size);
  const auto total = std::make_unique<JoinOperation<Bench, LookUpCount>>(bench, axes, options);
  EXPECT_FALSE(total->runs_in(RunMemory::kept));
  EXPECT_GE(allocated_by(*total, RunMemory::fresh), 1u);
  const auto probed = std::make_unique<JoinOperation<Bench, JoinPairs>>(bench, axes, options);
  const std::uint64_t fresh = allocated_by(*probed, RunMemory::fresh);
  EXPECT_GE(fresh, allocated_by(*probed, RunMemory::kept) + 8 * size);
}

TEST(RunTimes, AreTheMedianAndTheSpread) {
  EXPECT_FALSE(times_of({}));
  const RunTimes odd = times_of({3, 1, 2});
  EXPECT_EQ(odd.num_repetitions, 3u);
  EXPECT_EQ(odd.median_seconds, 2);
  EXPECT_EQ(odd.spread, 1);
  EXPECT_EQ(times_of({4, 1, 2, 3}).median_seconds, 2.5);
}

TEST(CompareResult, TakesTheOnlyTimesForBothKindsOfMemory) {
  CompareResult result;
  EXPECT_FALSE(result.has_figure());
  result.giga_items = 6;
  result.kept = times_of({2});
  EXPECT_EQ(result.rate(RunMemory::fresh), 3);
  result.fresh = times_of({3});
  EXPECT_EQ(result.rate(RunMemory::fresh), 2);
  EXPECT_EQ(result.rate(RunMemory::kept), 3);
}

}  // namespace
}  // namespace hashmill::perf
