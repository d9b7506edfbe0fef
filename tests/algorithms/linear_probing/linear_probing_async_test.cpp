#include "linear_probing_fixture.hpp"

namespace hashmill::test {
namespace {

template <class Types>
class LinearProbingAsync : public LinearProbingOf<Types> {};
TYPED_TEST_SUITE(LinearProbingAsync, ProbingCombinations);

TYPED_TEST(LinearProbingAsync, TellsLaterWhatWasInsertedAndErasedWithoutWaiting) {
  using Fixture = LinearProbingOf<TypeParam>;
  const Exec exec;
  Workspace<Memory> workspace;
  typename Fixture::Table table(exec, 10);
  const Kokkos::View<InsertResult, Memory> inserted("hashmill::test::inserted");
  const Kokkos::View<std::uint64_t, Memory> erased("hashmill::test::erased");
  // The second batch might not fit, for all the table knows, so it counts what there is.
  for (const std::uint64_t first : {0, 100}) {
    table.insert_async(exec, Fixture::source(sequential_numbers(200, first)), RowsFrom{first},
                       inserted, workspace);
  }
  table.erase_async(exec, Fixture::source(sequential_numbers(60, 290)), erased);
  InsertResult result;
  std::uint64_t number = 0;
  Kokkos::deep_copy(exec, result, inserted);
  Kokkos::deep_copy(exec, number, erased);
  exec.fence();
  EXPECT_EQ(result, (InsertResult{300, 100, 0}));
  EXPECT_EQ(number, 10U);
  table.recount(exec);
  EXPECT_EQ(table.num_tombstones(), 10U);
  Fixture::expect_rows(table, Fixture::rows_like_numbers(290, 1));
}

TYPED_TEST(LinearProbingAsync, CountsEntriesInsertedWithoutWaitingBeforeItGrows) {
  using Fixture = LinearProbingOf<TypeParam>;
  const Exec exec;
  Workspace<Memory> workspace;
  typename Fixture::Table table(exec, 1000);
  const std::uint64_t slots = table.num_slots();
  const auto keys = Fixture::source(sequential_numbers(200));
  const Kokkos::View<InsertResult, Memory> inserted("hashmill::test::inserted");
  for (int round = 0; round < 20; ++round) {
    table.insert_async(exec, keys, RowsFrom{0}, inserted, workspace);
  }
  EXPECT_EQ(table.insert(exec, keys, RowsFrom{0}, workspace), (InsertResult{0, 200, 0}));
  EXPECT_EQ(table.num_slots(), slots);
  table.recount(exec);
  EXPECT_EQ(table.size(), 200U);
  Kokkos::deep_copy(inserted, InsertResult{});
  const auto no_growth = [&] {
    typename Fixture::Table full(exec, 20, {.load_factor = LoadFactor(0.9), .growth = false});
    full.insert_async(exec, keys, RowsFrom{0}, inserted, workspace);
    InsertResult result;
    Kokkos::deep_copy(exec, result, inserted);
    exec.fence();
    return std::pair(result, full.num_slots() * 9 / 10);
  }();
  EXPECT_EQ(no_growth.first.inserted, no_growth.second);
  EXPECT_EQ(no_growth.first.failed, 200 - no_growth.second);
}

}  // namespace
}  // namespace hashmill::test
