#pragma once

#include "expect_partition.hpp"

namespace hashmill::test {

/// A pair of key and payload types that partition is tried with.
template <class KeyType, class PayloadType>
struct KeyAndPayload {
  using Key = KeyType;
  using Payload = PayloadType;
};

/// The tests of every key and payload type; instantiated in several files, because each pair takes
/// seconds to compile.
template <class Types>
class Partition : public testing::Test {
 protected:
  using Input = Columns<typename Types::Key, typename Types::Payload>;
  static constexpr detail::Engine engine = detail::Engine::automatic;
};
TYPED_TEST_SUITE_P(Partition);

TYPED_TEST_P(Partition, GroupsAsAStableSortDoes) {
  for (const std::uint64_t size : {0, 1, 2, 255, 256, 257, 4097, 30'011}) {
    const typename TestFixture::Input input(random_numbers(size, size));
    for (const std::uint64_t parts : sampled(part_counts)) {
      if (parts > 1000 && size < 4097 && size != 2) continue;  // the offsets take the time
      ASSERT_NO_FATAL_FAILURE(expect_partition<TestFixture::engine>(input, {parts}, parts));
    }
  }
}

TYPED_TEST_P(Partition, TakesEverythingInOnePart) {
  const typename TestFixture::Input input(random_numbers(20'003, 1));
  for (const std::uint64_t parts : {1, 2, 1000, 65537}) {
    for (const std::uint64_t part : {std::uint64_t{0}, parts / 2, parts - 1}) {
      ASSERT_NO_FATAL_FAILURE(expect_partition<TestFixture::engine>(input, {1, part}, parts));
    }
  }
}

TYPED_TEST_P(Partition, TakesSkewedKeys) {
  for (const auto& [name, numbers] : every_shape(10'007, 2)) {
    SCOPED_TRACE(name);
    const typename TestFixture::Input input(numbers);
    ASSERT_NO_FATAL_FAILURE(expect_partition<TestFixture::engine>(input, {777}, 777));
    ASSERT_NO_FATAL_FAILURE(expect_partition<TestFixture::engine>(input, {9, 300}, 5000));
  }
}

REGISTER_TYPED_TEST_SUITE_P(Partition, GroupsAsAStableSortDoes, TakesEverythingInOnePart,
                            TakesSkewedKeys);

}  // namespace hashmill::test
