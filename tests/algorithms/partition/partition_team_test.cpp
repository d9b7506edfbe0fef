#include "expect_partition.hpp"

namespace hashmill::test {
namespace {

// The team engine, which GPUs use, forced on this machine's execution space: on hosts its teams
// have one thread and 16 records a tile.

constexpr auto engine = detail::Engine::team;

template <class Input>
void expect_team_partition(std::uint64_t size) {
  const Input input(random_numbers(size, size));
  for (const std::uint64_t parts : sampled(part_counts)) {
    if (parts > 1000 && size < 4097) continue;
    ASSERT_NO_FATAL_FAILURE(expect_partition<engine>(input, {parts}, parts));
  }
  ASSERT_NO_FATAL_FAILURE(expect_partition<engine>(input, {1, 99}, 100));
}

TEST(PartitionTeam, GroupsPairsOf8Bytes) {
  for (const std::uint64_t size : {0, 1, 15, 16, 17, 257, 4097, 20'011}) {
    ASSERT_NO_FATAL_FAILURE((expect_team_partition<Columns<std::uint32_t, std::uint32_t>>(size)));
  }
}

TEST(PartitionTeam, GroupsPairsOf32Bytes) {
  for (const std::uint64_t size : {1, 7, 8, 9, 4097}) {
    ASSERT_NO_FATAL_FAILURE((expect_team_partition<Columns<Bytes16, Bytes16>>(size)));
  }
}

}  // namespace
}  // namespace hashmill::test
