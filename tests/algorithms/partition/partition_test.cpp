#include "partition_typed_test.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

using NarrowTypes =
    SampledTypes<KeyAndPayload<std::uint8_t, std::uint8_t>, KeyAndPayload<std::uint16_t, Bytes3>,
                 KeyAndPayload<std::uint32_t, std::uint32_t>, KeyAndPayload<float, Bytes12>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Narrow, Partition, NarrowTypes);

struct LargeInput {
  Columns<std::uint32_t, std::uint32_t> columns{random_numbers(1'000'003, 3)};
};

TEST(PartitionLarge, GroupsAsAStableSortDoesOverSeveralLevels) {
  const LargeInput input;
  for (const std::uint64_t parts : {2, 4096, 65537, 1 << 20}) {
    ASSERT_NO_FATAL_FAILURE(
        expect_partition<detail::Engine::automatic>(input.columns, {parts}, parts));
  }
}

TEST(PartitionLarge, TakesEverythingInOnePart) {
  const LargeInput input;
  expect_partition<detail::Engine::automatic>(input.columns, {1, 70'000}, 1 << 20);
}

}  // namespace
}  // namespace hashmill::test
