#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/mc_hash.hpp>
#include <map>
#include <utility>

#include "algorithms/support/failing_allocations.hpp"
#include "algorithms/support/hashes.hpp"
#include "algorithms/support/inputs.hpp"
#include "core/message_of.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using HostWorkspace = Workspace<Kokkos::HostSpace>;
using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// As FourBitHash, in the lowest bits, which these joins take buckets from.
struct LowFourBitHash {
  template <class Key>
  std::uint64_t operator()(const Key& key) const {
    return FourBitHash{}(key) >> 60;
  }
};

template <class Key>
Kokkos::View<Key*, Kokkos::HostSpace> column(const Numbers& numbers) {
  Kokkos::View<Key*, Kokkos::HostSpace> keys("keys", numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) keys(i) = static_cast<Key>(numbers[i]);
  return keys;
}

template <class Key>
auto relation(const Numbers& numbers) {
  return mc_hash::tuples_of(Host(), column<Key>(numbers));
}

/// Rows of equal keys, the probe side's first, sorted: from a multi-map.
template <class Key>
Pairs expected_pairs(const Numbers& build, const Numbers& probe) {
  std::multimap<Key, std::uint64_t> rows;
  for (std::uint64_t r = 0; r < build.size(); ++r) rows.emplace(static_cast<Key>(build[r]), r);
  Pairs pairs;
  for (std::uint64_t p = 0; p < probe.size(); ++p) {
    const auto [begin, end] = rows.equal_range(static_cast<Key>(probe[p]));
    for (auto it = begin; it != end; ++it) pairs.emplace_back(p, it->second);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

template <class Joined>
Pairs sorted_pairs(const Joined& joined) {
  Pairs pairs(joined.size());
  for (std::uint64_t i = 0; i < pairs.size(); ++i) pairs[i] = {joined.left(i), joined.right(i)};
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

mc_hash::RadixJoinOptions radix(unsigned bits, unsigned passes) {
  mc_hash::RadixJoinOptions options;
  options.radix_bits = bits;
  options.passes = passes;
  return options;
}

std::vector<mc_hash::RadixJoinOptions> every_plan() {
  mc_hash::RadixJoinOptions two_passes;
  two_passes.passes = 2;
  return sampled<mc_hash::RadixJoinOptions>(
      {{}, two_passes, radix(1, 1), radix(11, 1), radix(9, 2)});
}

template <class Types>
class McHash : public testing::Test {
 protected:
  using Key = typename Types::Key;
  using Hash = typename Types::Hash;

  /// Expects all variants to find the pairs that a multi-map does.
  static void expect_all(const Numbers& build_numbers, const Numbers& probe_numbers) {
    const Pairs expected = expected_pairs<Key>(build_numbers, probe_numbers);
    const auto build = relation<Key>(build_numbers), probe = relation<Key>(probe_numbers);
    const Host exec;
    HostWorkspace workspace;
    const Hash hash;
    ASSERT_EQ(sorted_pairs(mc_hash::npo(exec, probe, build, {}, workspace, hash)), expected);
    for (const auto& plan : every_plan()) {
      SCOPED_TRACE("bits " + std::to_string(plan.radix_bits.value_or(0)) + ", passes " +
                   std::to_string(plan.passes.value_or(0)));
      ASSERT_EQ(sorted_pairs(mc_hash::pro(exec, probe, build, plan, workspace, hash)), expected);
      ASSERT_EQ(sorted_pairs(mc_hash::prh(exec, probe, build, plan, workspace, hash)), expected);
    }
  }
};

using Types =
    SampledTypes<KeyAndHash<std::uint32_t, IdentityHash>, KeyAndHash<std::uint32_t, Murmur3Hash>,
                 KeyAndHash<std::uint32_t, ConstantHash>, KeyAndHash<std::int32_t, LowFourBitHash>,
                 KeyAndHash<std::int64_t, IdentityHash>, KeyAndHash<std::uint64_t, Murmur3Hash>,
                 KeyAndHash<std::uint64_t, ConstantHash>,
                 KeyAndHash<std::uint64_t, LowFourBitHash>>;
TYPED_TEST_SUITE(McHash, Types);

TYPED_TEST(McHash, FindsThePairsOfEveryShape) {
  for (const auto& [name, numbers] : every_shape(203, 1)) {
    SCOPED_TRACE(name);
    TestFixture::expect_all(numbers, repeated_numbers(167, 100, 2));
    TestFixture::expect_all(repeated_numbers(167, 100, 2), numbers);
  }
}

TYPED_TEST(McHash, TakesSidesOfFewRows) {
  for (const std::uint64_t rows : {0, 1, 2, 9}) {
    SCOPED_TRACE(rows);
    const Numbers numbers = random_numbers(rows, 3);
    TestFixture::expect_all(numbers, numbers);
    TestFixture::expect_all(numbers, {});
    TestFixture::expect_all({}, numbers);
    TestFixture::expect_all({~std::uint64_t{0}, 0, 0}, numbers);
  }
}

TYPED_TEST(McHash, CountsWhatItFinds) {
  const Host exec;
  HostWorkspace workspace;
  const typename TypeParam::Hash hash;
  const auto build = relation<typename TypeParam::Key>(repeated_numbers(300, 150, 21));
  const auto probe = relation<typename TypeParam::Key>(repeated_numbers(200, 170, 22));
  const std::uint64_t count = mc_hash::npo(exec, probe, build, {}, workspace, hash).size();
  EXPECT_EQ(mc_hash::npo_count(exec, probe, build, workspace, hash), count);
  EXPECT_EQ(mc_hash::pro_count(exec, probe, build, {}, workspace, hash), count);
  EXPECT_EQ(mc_hash::prh_count(exec, probe, build, radix(3, 2), workspace, hash), count);
}

/// Sizes at which several threads get large parts to share, and lines are streamed.
template <class Types>
class LargeMcHash : public McHash<Types> {};
using LargeTypes =
    SampledTypes<KeyAndHash<std::uint32_t, IdentityHash>, KeyAndHash<std::uint64_t, Murmur3Hash>>;
TYPED_TEST_SUITE(LargeMcHash, LargeTypes);

TYPED_TEST(LargeMcHash, FindsThePairsOfManyRows) {
  TestFixture::expect_all(random_numbers(90'001, 4), random_numbers(70'003, 4));
  TestFixture::expect_all(sequential_numbers(65'536, 1000), repeated_numbers(120'000, 70'000, 5));
}

TYPED_TEST(LargeMcHash, SharesLargeParts) {
  const std::vector<std::pair<Numbers, Numbers>> sides{
      {mostly_one_number(150'000, 6), {42, 5, 42, 6}},
      {{42, 5, 6}, mostly_one_number(150'000, 7)},
      {equal_numbers(100'000, 9), equal_numbers(2, 9)},
      {equal_numbers(100'000, 9), equal_numbers(50'000, 10)},
      {zipf_numbers(4000, 8), zipf_numbers(5000, 9)},
      {sequential_numbers(100'000), zipf_numbers(200'000, 10)}};
  for (const auto& [build, probe] : sampled(sides)) TestFixture::expect_all(build, probe);
}

/// More bytes than caches hold, so that lines go past them.
TEST(McHashPartitions, StreamWhatIsLargerThanCaches) {
  const std::uint64_t bytes = backends::last_level_cache_bytes() / 2;
  const std::uint64_t rows = bytes / 8 + 4097;
  if (sampling() || bytes > (std::uint64_t{1} << 27)) GTEST_SKIP() << "takes much memory";
  const Host exec;
  HostWorkspace workspace;
  Kokkos::View<std::uint32_t*, Kokkos::HostSpace> keys("keys", rows);
  for (std::uint64_t i = 0; i < rows; ++i) keys(i) = static_cast<std::uint32_t>(i * 2654435761U);
  const auto tuples = mc_hash::tuples_of(exec, keys);
  for (const auto& plan : {radix(7, 1), radix(9, 2)}) {
    const auto joined = mc_hash::pro(exec, tuples, tuples, plan, workspace);
    ASSERT_EQ(joined.size(), rows);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < rows; ++i) {
      ASSERT_EQ(joined.left(i), joined.right(i));
      sum += joined.left(i);
    }
    EXPECT_EQ(sum, rows * (rows - 1) / 2);
  }
}

TEST(McHashRelations, BringPayloadsOfTheirOwn) {
  const Host exec;
  HostWorkspace workspace;
  const Numbers numbers = repeated_numbers(300, 60, 11);
  Kokkos::View<float*, Kokkos::HostSpace> halves("halves", numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) halves(i) = static_cast<float>(i) / 2;
  const auto tuples = mc_hash::tuples_of(exec, column<std::uint32_t>(numbers), halves);
  const auto joined = mc_hash::prh(exec, tuples, tuples, {}, workspace);
  Pairs pairs(joined.size());
  for (std::uint64_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {static_cast<std::uint64_t>(joined.left(i) * 2),
                static_cast<std::uint64_t>(joined.right(i) * 2)};
  }
  std::sort(pairs.begin(), pairs.end());
  EXPECT_EQ(pairs, expected_pairs<std::uint32_t>(numbers, numbers));
}

TEST(McHashRelations, TakeStridedColumns) {
  const Host exec;
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight, Kokkos::HostSpace> table("table", 5, 2);
  for (int i = 0; i < 5; ++i) {
    table(i, 0) = 10 + i;
    table(i, 1) = 20 + i;
  }
  const auto tuples = mc_hash::tuples_of(exec, Kokkos::subview(table, Kokkos::ALL, 0),
                                         Kokkos::subview(table, Kokkos::ALL, 1));
  EXPECT_EQ(tuples(3).key, 13U);
  EXPECT_EQ(tuples(3).payload, 23U);
}

TEST(McHashRelations, RefuseColumnsOfDifferentLengths) {
  const auto keys = column<std::uint32_t>({1, 2, 3}), payloads = column<std::uint32_t>({1, 2});
  EXPECT_THROW((void)mc_hash::tuples_of(Host(), keys, payloads), InvalidArgument);
}

TEST(McHashOptions, RefuseWhatIsOutOfRange) {
  const auto tuples = relation<std::uint32_t>({1, 2, 3});
  HostWorkspace workspace;
  const auto message = [&](const mc_hash::RadixJoinOptions& options) {
    return message_of<InvalidArgument>(
        [&] { (void)mc_hash::pro_count(Host(), tuples, tuples, options, workspace); });
  };
  EXPECT_EQ(message(radix(4, 0)), "mc_hash: passes 0 is not in [1, 2]");
  EXPECT_EQ(message(radix(4, 3)), "mc_hash: passes 3 is not in [1, 2]");
  EXPECT_EQ(message(radix(0, 1)), "mc_hash: radix bits 0 is not in [1, 16]");
  EXPECT_EQ(message(radix(17, 1)), "mc_hash: radix bits 17 is not in [1, 16]");
  EXPECT_EQ(message(radix(1, 2)), "mc_hash: radix bits 1 is not in [2, 32]");
  mc_hash::RadixJoinOptions many;
  many.radix_bits = 33;
  EXPECT_EQ(message(many), "mc_hash: radix bits 33 is not in [1, 32]");
  EXPECT_THROW((void)mc_hash::prh(Host(), tuples, tuples, many, workspace), InvalidArgument);
}

TEST(McHashMemory, ABudgetTooSmallIsRefused) {
  const auto tuples = relation<std::uint32_t>(sequential_numbers(100));
  HostWorkspace workspace;
  mc_hash::RadixJoinOptions options;
  options.memory_budget = 799;
  EXPECT_THROW((void)mc_hash::npo(Host(), tuples, tuples, options, workspace), CapacityError);
  EXPECT_THROW((void)mc_hash::pro(Host(), tuples, tuples, options, workspace), CapacityError);
  EXPECT_THROW((void)mc_hash::prh(Host(), tuples, tuples, options, workspace), CapacityError);
  options.memory_budget = 800;
  EXPECT_EQ(mc_hash::npo(Host(), tuples, tuples, options, workspace).size(), 100U);
}

TEST(McHashMemory, ShortageIsSaid) {
  const auto tuples = relation<std::uint32_t>(sequential_numbers(5000));
  const auto try_all = [&](std::uint64_t failing) {
    HostWorkspace of_npo, of_pro;
    const FailingAllocations allocations(failing);
    (void)mc_hash::npo(Host(), tuples, tuples, {}, of_npo);
    (void)mc_hash::pro(Host(), tuples, tuples, {}, of_pro);
    return allocations.failed();
  };
  for (std::uint64_t failing = 0; failing < 6; ++failing) {
    EXPECT_THROW((void)try_all(failing), CapacityError) << failing;
  }
}

TEST(McHashMemory, ARepeatedCallAllocatesNothing) {
  const auto build = relation<std::uint32_t>(sequential_numbers(20'000));
  const auto probe = relation<std::uint32_t>(zipf_numbers(30'000, 12));
  for (const auto& plan : {radix(6, 1), radix(8, 2)}) {
    HostWorkspace workspace;
    const std::uint64_t count = mc_hash::pro_count(Host(), probe, build, plan, workspace);
    const KokkosRecorder recorder;
    EXPECT_EQ(mc_hash::pro_count(Host(), probe, build, plan, workspace), count);
    for (const auto& event : recorder.events()) {
      EXPECT_NE(event.kind, KokkosEvent::Kind::allocation) << event.label;
    }
  }
}

/// A result that is large enough keeps its memory.
TEST(McHashMemory, AResultKeepsIts) {
  const auto more = relation<std::uint32_t>(sequential_numbers(3000));
  const auto fewer = relation<std::uint32_t>(sequential_numbers(2000));
  HostWorkspace workspace;
  mc_hash::JoinedPayloads<decltype(more)> of_npo, of_pro, of_prh;
  const auto join_with = [&](const auto& probe) {
    mc_hash::npo(Host(), probe, more, {}, of_npo, workspace);
    mc_hash::pro(Host(), probe, more, {}, of_pro, workspace);
    mc_hash::prh(Host(), probe, more, {}, of_prh, workspace);
  };
  join_with(more);
  const void* const memory[] = {of_npo.left.data(), of_pro.left.data(), of_prh.right.data()};
  join_with(fewer);
  const void* const kept[] = {of_npo.left.data(), of_pro.left.data(), of_prh.right.data()};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(kept[i], memory[i]);
  Pairs expected;
  for (std::uint64_t row = 0; row < 2000; ++row) expected.emplace_back(row, row);
  EXPECT_EQ(sorted_pairs(of_npo), expected);
  EXPECT_EQ(sorted_pairs(of_pro), expected);
  EXPECT_EQ(sorted_pairs(of_prh), expected);
}

}  // namespace
}  // namespace hashmill::test
