#include <gtest/gtest.h>

#include <hashmill/gather.hpp>
#include <hashmill/hash_join.hpp>
#include <hashmill/join_values.hpp>

#include "algorithms/support/chosen_keys.hpp"

// Joins of keys that agree in some bits of the published hash, and of what another join wrote, in
// its order. Comparisons are counted, not time.

namespace hashmill::test {
namespace {

/// More than a table of a part holds, 16 times over.
constexpr std::uint64_t num_keys = 1 << 20;

/// Comparisons a key of a join of keys with themselves.
template <JoinStrategy Strategy, class Key>
double comparisons(const Kokkos::View<Key*, Memory>& keys) {
  const CountingEqual equal;
  const HashJoinOptions<Strategy> options;
  Workspace<Memory> workspace;
  EXPECT_EQ(hash_join_size(Exec(), JoinKind::inner, keys, keys, EveryPair{}, options, workspace,
                           Murmur3Hash(), equal),
            keys.extent(0));
  return static_cast<double>(equal.take()) / static_cast<double>(keys.extent(0));
}

template <JoinStrategy Strategy>
void expect_usual_comparisons() {
  std::vector<std::uint64_t> random(num_keys);
  for (std::uint64_t i = 0; i < num_keys; ++i) random[i] = i;
  const double usual = comparisons<Strategy>(to_device(random));
  for (const ChosenBits& bits : chosen_bits) {
    const auto keys = to_device(keys_agreeing<std::uint64_t>(Murmur3Hash(), bits, num_keys));
    EXPECT_LT(comparisons<Strategy>(keys), 1.2 * usual) << bits.name;
  }
}

TEST(ClusteredJoins, CompareNoMoreThanThoseOfRandomKeys) {
  expect_usual_comparisons<JoinStrategy::partitioned>();
  expect_usual_comparisons<JoinStrategy::look_up>();
}

TEST(ClusteredJoins, TakeThePairsOfOthersInTheirOrder) {
  std::vector<std::uint64_t> numbers(2 * num_keys);
  for (std::uint64_t i = 0; i < numbers.size(); ++i) numbers[i] = murmur3_fmix64(i);
  const auto keys = to_device(numbers);
  const HashJoinOptions<JoinStrategy::partitioned> options;
  const auto pairs = hash_join(Exec(), JoinKind::inner, keys, keys, EveryPair{}, options);
  ASSERT_EQ(pairs.size(), numbers.size());
  const Kokkos::View<std::uint64_t*, Memory> some("some", num_keys / 4),
      others("others", some.size());
  const auto rows = std::make_pair(std::uint64_t{0}, std::uint64_t{some.size()});
  gather(Exec(), keys, Kokkos::subview(pairs.left, rows), some);
  Kokkos::deep_copy(others, Kokkos::subview(keys, rows));
  EXPECT_LT(comparisons<JoinStrategy::partitioned>(some),
            1.2 * comparisons<JoinStrategy::partitioned>(others));
}

TEST(ClusteredJoins, BringValues) {
  for (const ChosenBits& bits : chosen_bits) {
    const auto keys = to_device(keys_agreeing<std::uint32_t>(Murmur3Hash(), bits, num_keys / 16));
    Workspace<Memory> workspace;
    const auto joined = join_values(Exec(), keys, keys, keys, keys, JoinOptions{}, workspace);
    ASSERT_EQ(joined.size(), keys.size()) << bits.name;
    const auto left = to_host(joined.left), right = to_host(joined.right);
    EXPECT_EQ(left, right) << bits.name;
  }
}

}  // namespace
}  // namespace hashmill::test
