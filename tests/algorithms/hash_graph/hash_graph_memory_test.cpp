#include <gtest/gtest.h>

#include <hashmill/backends/execution.hpp>
#include <hashmill/error.hpp>

#include "algorithms/support/expect_table.hpp"
#include "algorithms/support/kokkos_recorder.hpp"
#include "table.hpp"

namespace hashmill::test {
namespace {

class HashGraphMemory : public testing::TestWithParam<TableCase> {};

/// What a further level of partitioning may take where bins outgrow a team, which only keys that
/// collide or too few bins bring about; `GetParam` says the first, `options` the second.
std::uint64_t further_level_bytes(std::uint64_t size, const HashGraphOptions& options) {
  const bool collides = HashGraphMemory::GetParam().most_keys != plenty;
  if (!backends::has_wide_teams<Kokkos::DefaultExecutionSpace>) return 0;
  if (!collides && !options.bins) return 0;
  constexpr std::uint64_t record_and_offsets = 32 + 2 * 4 * 8, other = std::uint64_t{1} << 20;
  return size * record_and_offsets + other;
}

TEST_P(HashGraphMemory, PredictionCoversThePeakAndLittleMore) {
  constexpr std::uint64_t slack = std::uint64_t{1} << 20;
  std::vector<std::uint64_t> sizes{0, 1, 1000, 10'000};
  if (GetParam().most_keys == plenty) sizes.push_back(500'000);
  for (const std::uint64_t size : sizes) {
    const Numbers keys = random_numbers(size, 81);
    for (const auto& [name, options] : every_build()) {
      SCOPED_TRACE(std::to_string(size) + " keys, " + name);
      const std::uint64_t predicted = GetParam().predicted_peak_bytes(size, options);
      const KokkosRecorder recorder;
      const auto table = GetParam().build(keys, options);
      EXPECT_GE(predicted + further_level_bytes(size, options), recorder.peak_bytes());
      EXPECT_LE(predicted, recorder.peak_bytes() + recorder.peak_bytes() / 4 + slack);
      EXPECT_GE(recorder.peak_bytes(), table->bytes());
    }
  }
}

TEST_P(HashGraphMemory, IsGivenBackWithTheTable) {
  const KokkosRecorder recorder;
  GetParam().build(random_numbers(500, 1), {});
  std::uint64_t allocated = 0, freed = 0;
  for (const KokkosEvent& event : recorder.events()) {
    if (!is_library_label(event.label)) continue;
    if (event.kind == KokkosEvent::Kind::allocation) allocated += event.bytes;
    if (event.kind == KokkosEvent::Kind::deallocation) freed += event.bytes;
  }
  EXPECT_GT(allocated, 0U);
  EXPECT_EQ(allocated, freed);
}

TEST_P(HashGraphMemory, RebuildingAllocatesNothingTheThirdTime) {
  const std::uint64_t size = std::min<std::uint64_t>(10'000, GetParam().most_keys);
  const HashGraphOptions options{.bins = BinCount(64)};
  const auto table = GetParam().build(random_numbers(size, 1), options);
  for (const std::uint64_t seed : {2, 3, 4}) {
    const Numbers keys = random_numbers(size, seed);
    const KokkosRecorder recorder;
    table->rebuild(keys, options);
    if (seed > 3) {
      EXPECT_EQ(recorder.peak_bytes(), 0U);
    }
  }
}

TEST_P(HashGraphMemory, RowNumbersReachTheLimitAndNoFurther) {
  const std::uint64_t none =
      GetParam().index_bytes == 4 ? 0xFFFFFFFF : ~std::uint64_t{0};  // kept for "no row"
  const Numbers keys{5, 6, 5};
  const HashGraphOptions fits{.row_base = none - 3};
  const auto table = GetParam().build(keys, fits);
  ASSERT_NO_FATAL_FAILURE(expect_table(GetParam(), *table, Reference(GetParam(), keys, none - 3)));
  if (GetParam().has_rows) {
    ASSERT_NO_FATAL_FAILURE(
        expect_find(*table, all_answers(Reference(GetParam(), keys, none - 3))));
  }
  for (const std::uint64_t base : {none - 2, none - 1, none, std::uint64_t{1} << 63,
                                   ~std::uint64_t{0} - 1, ~std::uint64_t{0}}) {
    if (GetParam().index_bytes == 8 && base == std::uint64_t{1} << 63) continue;  // fits
    try {
      GetParam().build(keys, {.row_base = base});
      FAIL() << "row base " << base << " with 3 keys was taken";
    } catch (const CapacityError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("base " + std::to_string(base)), std::string::npos) << message;
      EXPECT_NE(message.find("count 3"), std::string::npos) << message;
      EXPECT_NE(message.find(std::to_string(none)), std::string::npos) << message;
      EXPECT_EQ(error.available(), none);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, HashGraphMemory, testing::ValuesIn(table_cases()), CaseName());

}  // namespace
}  // namespace hashmill::test
