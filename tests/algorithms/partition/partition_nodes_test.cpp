#include <hashmill/hash_graph.hpp>

#include "algorithms/support/kokkos_recorder.hpp"
#include "backends/synthetic_machines.hpp"
#include "expect_partition.hpp"

namespace hashmill::test {
namespace {

using backends::NumaMode;
using backends::NumaPlan;
using backends::ScopedNumaPlan;

/// Machines whose nodes are planned for on whatever threads there are.
const std::vector<std::vector<unsigned>> machines{{1, 1}, {3, 1, 2}, {1, 1, 1, 1, 1, 1, 1, 1}};

NumaPlan plan_of(const std::vector<unsigned>& nodes, NumaMode mode = NumaMode::local) {
  const backends::Topology machine = machine_of(nodes);
  return {machine, mode, machine.num_threads()};
}

/// Enough for every node of those machines to sort a slice.
constexpr std::uint64_t enough = 8 * backends::least_host_tile_records + 12'345;

using Wide = Columns<std::uint64_t, Bytes12>;
using Narrow = Columns<std::uint32_t, std::uint32_t>;

TEST(PartitionNodes, GroupsAsAStableSortDoes) {
  const Narrow input(random_numbers(enough, 1));
  for (const auto& nodes : machines) {
    const ScopedNumaPlan plan(plan_of(nodes));
    SCOPED_TRACE(std::to_string(nodes.size()) + " nodes");
    for (const std::uint64_t parts : {3, 65'537}) {
      ASSERT_NO_FATAL_FAILURE(expect_partition<detail::Engine::automatic>(input, {parts}, parts));
    }
  }
}

TEST(PartitionNodes, TakesWideRecords) {
  const ScopedNumaPlan plan(plan_of({1, 2}));
  const Wide input(random_numbers(enough, 2));
  ASSERT_NO_FATAL_FAILURE(expect_partition<detail::Engine::automatic>(input, {300}, 300));
}

TEST(PartitionNodes, TakesEverythingInOnePart) {
  const Narrow input(random_numbers(enough, 3));
  const ScopedNumaPlan plan(plan_of({2, 1, 1}));
  for (const std::uint64_t part : {0, 255}) {
    ASSERT_NO_FATAL_FAILURE(expect_partition<detail::Engine::automatic>(input, {1, part}, 256));
  }
}

TEST(PartitionNodes, TakesSkewedKeys) {
  const ScopedNumaPlan plan(plan_of({1, 3}));
  for (const auto& [name, numbers] : every_shape(enough, 4)) {
    SCOPED_TRACE(name);
    ASSERT_NO_FATAL_FAILURE(
        expect_partition<detail::Engine::automatic>(Narrow(numbers), {777}, 777));
  }
}

TEST(PartitionNodes, TakesSizesAroundTheSmallestAndOddOnes) {
  const ScopedNumaPlan plan(plan_of({2, 1}));
  const std::uint64_t least = 3 * backends::least_host_tile_records;
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000},
                                   least - 1, least, least + 1, least + 2}) {
    ASSERT_NO_FATAL_FAILURE(
        expect_partition<detail::Engine::automatic>(Narrow(random_numbers(size, size)), {64}, 64));
  }
}

/// Times that nodes exchanged runs while one partition ran.
std::uint64_t exchanges(const NumaPlan& plan, std::uint64_t size) {
  const ScopedNumaPlan scope(plan);
  const auto keys = to_device(Narrow(random_numbers(size, 5)).keys);
  const KokkosRecorder recorder;
  const auto parts = partition(Exec(), keys, PartOfKey{100'000}, PartCount(100'000));
  EXPECT_EQ(parts.keys.extent(0), size);
  return static_cast<std::uint64_t>(std::count_if(
      recorder.events().begin(), recorder.events().end(),
      [](const auto& event) { return event.label == "hashmill::partition::exchange_runs"; }));
}

TEST(PartitionNodes, ExchangeRunsOnceAndOnlyWhereThereAreSeveral) {
  const std::uint64_t once = backends::has_wide_teams<Exec> ? 0 : 1;
  EXPECT_EQ(exchanges(plan_of({1, 1}), enough), once) << "of several levels, the first";
  EXPECT_EQ(exchanges(plan_of({1, 1}), 2 * backends::least_host_tile_records - 1), 0U);
  EXPECT_EQ(exchanges(plan_of({2}), enough), 0U);
  EXPECT_EQ(exchanges(plan_of({1, 1}, NumaMode::off), enough), 0U);
  EXPECT_EQ(exchanges(plan_of({1, 1}, NumaMode::interleaved), enough), 0U);
}

TEST(PartitionNodes, TablesAreBuiltInTheMemoryPredicted) {
  const Narrow input(random_numbers(enough, 6));
  const auto keys = to_device(input.keys);
  for (const auto& nodes : machines) {
    const ScopedNumaPlan plan(plan_of(nodes));
    using Table = HashGraph<std::uint32_t, Memory>;
    const std::uint64_t predicted = Table::predicted_peak_bytes(Exec(), enough);
    const KokkosRecorder recorder;
    const Table table(Exec(), keys);
    EXPECT_GE(predicted, recorder.peak_bytes()) << nodes.size() << " nodes";
    EXPECT_LE(predicted, recorder.peak_bytes() + recorder.peak_bytes() / 4);
    const Kokkos::View<std::uint32_t*, Memory> found("hashmill::test::rows", enough);
    table.find(Exec(), keys, found);
    const auto rows = to_host(found);
    for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(input.keys[rows[i]], input.keys[i]);
  }
}

}  // namespace
}  // namespace hashmill::test
