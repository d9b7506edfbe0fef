#include <gtest/gtest.h>

#include "core/message_of.hpp"
#include "expect_partition.hpp"

namespace hashmill::test {
namespace {

using Input = Columns<std::uint32_t, std::uint64_t>;

/// Partitions `input` and returns the message of the InvalidArgument thrown.
std::string message(const Input& input, const PartOfKey& part_of, std::uint64_t parts) {
  const auto keys = to_device(input.keys);
  const auto payloads = to_device(input.payloads);
  const std::string message = message_of<InvalidArgument>([&] {
    const auto result = partition(Exec(), keys, payloads, part_of, PartCount(parts));
    EXPECT_EQ(result.keys.extent(0), keys.extent(0));
  });
  EXPECT_EQ(to_host(keys), input.keys);
  EXPECT_EQ(to_host(payloads), input.payloads);
  return message;
}

TEST(PartitionErrors, PartOutOfRangeIsNamed) {
  const Input input(random_numbers(5000, 1));
  for (const std::uint64_t parts : {1, 2, 7, 8, 1000, 1024, 65537}) {
    const std::string text = message(input, {1, parts}, parts);
    EXPECT_NE(text.find("part number " + std::to_string(parts)), std::string::npos) << text;
    EXPECT_NE(text.find("the " + std::to_string(parts) + " parts"), std::string::npos) << text;
    EXPECT_EQ(message(input, {parts}, parts), "");
  }
}

TEST(PartitionErrors, OnePartOutOfRangeIsEnough) {
  const Input input(sequential_numbers(4099));
  EXPECT_NE(message(input, {4001}, 4000), "");  // 1 of 4001 parts is one too many
}

TEST(PartitionErrors, PartsFarOutOfRangeAreRefused) {
  const Input input(sequential_numbers(300));
  for (const std::uint64_t part : {std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 5,
                                   std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    EXPECT_NE(message(input, {1, part}, 16), "") << part;
  }
}

TEST(PartitionErrors, DifferentExtentsAreNamed) {
  const auto keys = to_device(std::vector<std::uint32_t>(10));
  const auto payloads = to_device(std::vector<std::uint64_t>(11));
  const std::string text = message_of<InvalidArgument>([&] {
    const auto result = partition(Exec(), keys, payloads, PartOfKey{2}, PartCount(2));
    EXPECT_EQ(result.offsets.extent(0), 0U);
  });
  EXPECT_NE(text.find("10 keys"), std::string::npos) << text;
  EXPECT_NE(text.find("11 payloads"), std::string::npos) << text;
}

TEST(Partition, WithoutPayloadsGroupsKeys) {
  for (const std::uint64_t size : {0, 1, 257, 30'011}) {
    const Input input(random_numbers(size, size));
    const auto keys = to_device(input.keys);
    for (const std::uint64_t parts : {1, 7, 256, 65537}) {
      const PartOfKey part_of{parts};
      const SortedParts<std::uint32_t, std::uint64_t> sorted(input, part_of, parts);
      const auto found =
          partition(Exec(), keys, part_of, PartCount(parts), PartitionOptions{.stable = true});
      EXPECT_EQ(to_host(found.offsets), sorted.offsets);
      EXPECT_EQ(to_host(found.keys), sorted.keys);
    }
  }
}

TEST(Partition, RepeatedWithAWorkspaceTakesNoMoreOfIt) {
  const Input input(random_numbers(50'000, 4));
  const auto keys = to_device(input.keys);
  const auto payloads = to_device(input.payloads);
  Workspace<Memory> workspace;
  const PartOfKey part_of{65537};
  std::uint64_t bytes = 0;
  for (int call = 0; call < 4; ++call) {
    const auto found = partition(Exec(), keys, payloads, part_of, PartCount(65537), {}, workspace);
    EXPECT_EQ(found.keys.extent(0), input.keys.size());
    if (call == 0) bytes = workspace.bytes();
    EXPECT_GT(workspace.bytes(), 0U);
    EXPECT_EQ(workspace.bytes(), bytes);
  }
}

}  // namespace
}  // namespace hashmill::test
