#include <numeric>

#include "algorithms/support/kokkos_recorder.hpp"
#include "backends/synthetic_machines.hpp"
#include "linear_probing_fixture.hpp"

namespace hashmill::test {
namespace {

/// Sums the rows of all entries.
struct SumRows {
  Kokkos::View<std::uint64_t, Memory> sum;
  template <class Key, class Row>
  KOKKOS_FUNCTION void operator()(const Key&, Row row) const {
    Kokkos::atomic_add(&sum(), std::uint64_t{row});
  }
};

/// Keys of which a table, half full, is more than its inserts leave in one part.
constexpr std::uint64_t keys_in_parts = (std::uint64_t{1} << 21) + 12'345;

/// Expects what tables hold whose keys are inserted by ranges of windows.
void expect_inserts_in_parts() {
  const std::uint64_t n = keys_in_parts;
  const Numbers numbers = repeated_numbers(n, n / 2, 9);
  std::unordered_map<std::uint64_t, std::uint64_t> copies;
  for (const std::uint64_t number : numbers) ++copies[number];
  const KeyColumns<std::uint64_t> keys(numbers);
  const Probing<std::uint64_t, UniqueKeys> unique(Exec(), keys.source(),
                                                  {.load_factor = LoadFactor(0.9)});
  EXPECT_EQ(unique.size(), copies.size());
  Probing<std::uint64_t, RepeatedKeys> multi(Exec(), n);
  EXPECT_EQ(multi.insert(Exec(), keys.source(), RowsFrom{0}).inserted, n);
  const Numbers queries = sequential_numbers(n / 2 + 10);
  const KeyColumns<std::uint64_t> query_keys(queries);
  const Kokkos::View<std::uint64_t*, Memory> counts("hashmill::test::counts", queries.size());
  multi.count(Exec(), query_keys.source(), counts);
  const auto found = to_host(counts);
  for (const std::uint64_t query : queries) {
    const auto entry = copies.find(query);
    ASSERT_EQ(found[query], entry == copies.end() ? 0 : entry->second);
  }
  unique.count(Exec(), query_keys.source(), counts);
  const auto once = to_host(counts);
  for (const std::uint64_t query : queries) ASSERT_EQ(once[query], copies.count(query));
  const Kokkos::View<std::uint64_t, Memory> sum("hashmill::test::sum");
  multi.for_each(Exec(), SumRows{sum});
  std::uint64_t total = 0;
  Kokkos::deep_copy(total, sum);
  EXPECT_EQ(total, n * (n - 1) / 2);
}

TEST(LinearProbingLarge, InsertsInParts) { expect_inserts_in_parts(); }

TEST(LinearProbingLarge, InsertsInPartsOnSeveralNodes) {
  const backends::ScopedNumaPlan plan({machine_of({2, 1}), backends::NumaMode::local, 3});
  expect_inserts_in_parts();
}

/// A table that grows does not insert rows in many steps, where most have keys that it holds.
TEST(LinearProbingLarge, DoesKnownKeysAtOnce) {
  const std::uint64_t n = std::uint64_t{1} << 17, few = 100;
  Numbers numbers = sequential_numbers(n);
  std::unordered_map<std::uint64_t, std::uint64_t> copies;
  for (std::uint64_t& number : numbers) {
    if (number % 437 != 0) number %= few;
    ++copies[number];
  }
  const KeyColumns<std::uint64_t> keys(numbers);
  Probing<std::uint64_t, UniqueKeys> table(Exec(), few);
  const Kokkos::View<std::uint32_t*, Memory> rows("hashmill::test::rows", n);
  std::uint64_t insertions = 0;
  {
    const KokkosRecorder recorder;
    table.find_or_insert(Exec(), keys.source(), RowsFrom<std::uint32_t>{}, rows, few);
    for (const KokkosEvent& event : recorder.events()) {
      insertions += event.label == "hashmill::linear_probing::insert_each" ? 1 : 0;
    }
  }
  EXPECT_LE(insertions, 3U) << "of the first rows, and of those that bring new keys";
  EXPECT_EQ(table.size(), copies.size());
  const auto found = to_host(rows);
  for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(numbers[found[i]], numbers[i]);
}

TEST(LinearProbingLarge, WorkspaceServesSeveralBuilds) {
  const std::uint64_t n = keys_in_parts;
  const KeyColumns<std::uint64_t> keys(sequential_numbers(n));
  using Table = Probing<std::uint64_t, UniqueKeys>;
  Workspace<Memory> workspace;
  EXPECT_EQ(Table(Exec(), keys.source(), {}, workspace).size(), n);
  const std::uint64_t bytes = workspace.bytes();
  EXPECT_GT(bytes, n);
  EXPECT_EQ(Table(Exec(), keys.source(), {}, workspace).size(), n);
  EXPECT_EQ(workspace.bytes(), bytes);
}

TEST(LinearProbingLarge, GrowsFromNothing) {
  const Numbers numbers = sequential_numbers(300'000);
  const KeyColumns<std::uint32_t> keys(numbers);
  Probing<std::uint32_t, UniqueKeys> table(Exec(), 0);
  EXPECT_EQ(table.insert(Exec(), keys.source(), RowsFrom{0}), (InsertResult{numbers.size(), 0, 0}));
  EXPECT_EQ(table.insert(Exec(), keys.source(), RowsFrom{0}), (InsertResult{0, numbers.size(), 0}));
  EXPECT_LE(table.size(), table.num_slots() / 2 + 1);
  const KeyColumns<std::uint32_t> equal(equal_numbers(200'000, 3));
  Probing<std::uint32_t, UniqueKeys> one(Exec(), 0);
  EXPECT_EQ(one.insert(Exec(), equal.source(), RowsFrom{0}), (InsertResult{1, 199'999, 0}));
}

TEST(LinearProbing, KeysThatComeAndGoDoNotGrowIt) {
  constexpr std::uint64_t live = 10'000, changed = 1000;
  Probing<std::uint32_t, UniqueKeys> table(Exec(), 2 * live);
  const auto batch = [](std::uint64_t first, std::uint64_t count) {
    std::vector<std::uint32_t> keys(count);
    std::iota(keys.begin(), keys.end(), static_cast<std::uint32_t>(first));
    return to_device(keys);
  };
  const std::uint64_t slots = table.num_slots();
  table.insert(Exec(), batch(0, live), RowsFrom{0});
  for (std::uint64_t round = 0; round < 100; ++round) {
    EXPECT_EQ(table.erase(Exec(), batch(round * changed, changed)), changed);
    const std::uint64_t first = live + round * changed;
    const InsertResult result = table.insert(Exec(), batch(first, changed), RowsFrom{first});
    EXPECT_EQ(result.inserted, changed);
  }
  EXPECT_EQ(table.size(), live);
  EXPECT_EQ(table.num_slots(), slots);
  EXPECT_EQ(table.statistics(Exec()).num_entries, live);
}

}  // namespace
}  // namespace hashmill::test
