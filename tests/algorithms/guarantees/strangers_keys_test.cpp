#include <gtest/gtest.h>

#include <hashmill/bloom_filter.hpp>
#include <hashmill/chaining.hpp>
#include <hashmill/distinct_counts.hpp>
#include <hashmill/group_by.hpp>
#include <hashmill/hash_join.hpp>
#include <hashmill/join_values.hpp>
#include <hashmill/linear_probing.hpp>
#include <hashmill/row_table.hpp>
#include <hashmill/tag_bucket.hpp>

#include "algorithms/join/each_strategy.hpp"
#include "algorithms/support/chosen_keys.hpp"

// Keys of strangers who know every function but not the seed: all different, all in one place. Work
// is counted: without a seed it is the square of their number, with one that of random keys.

namespace hashmill::test {
namespace {

constexpr std::uint64_t num_keys = 1 << 12;
constexpr std::uint64_t many_keys = 1 << 17;  // quadratic, these would take minutes
constexpr Seed secret{0x5eed};

/// Whoever knows the code knows what a level adds.
std::uint64_t level_of(HashLevel level, std::uint64_t number) {
  return detail::seed_of_level(level, number);
}

/// Different keys of which `murmur3_fmix64(key ^ mixed_seed)` agrees in the highest 32 bits and the
/// lowest 7, tags of a TagBucket.
std::vector<std::uint64_t> keys_in_one_place(std::uint64_t mixed_seed,
                                             std::uint64_t count = num_keys) {
  std::vector<std::uint64_t> keys(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    keys[i] = inverse_fmix64(0x1234567800000000 | i << 7) ^ mixed_seed;
  }
  return keys;
}

TEST(StrangersKeys, AreInOnePlace) {
  const Murmur3Hash hash;
  for (const HashLevel level : {HashLevel::published, HashLevel::buckets, HashLevel::slots}) {
    for (const std::uint64_t key : keys_in_one_place(level_of(level, 99))) {
      ASSERT_EQ(hash.at(level, 99)(key) >> 32, 0x12345678U);
      ASSERT_EQ(hash.at(level, 99)(key) & 127, 0U);
    }
  }
}

TEST(StrangersKeys, FillOneBucketUnlessTheTableHasASeed) {
  const HashGraphOptions options{.buckets = BucketCount(num_keys)};
  const auto keys = to_device(keys_in_one_place(level_of(HashLevel::buckets, num_keys)));
  const auto longest = [&](const auto& table) { return table.statistics(Exec()).longest_bucket; };
  using Graph = HashGraph<std::uint64_t, Memory>;
  using Chains = Chaining<std::uint64_t, Memory>;
  const ChainingOptions chaining{.buckets = BucketCount(num_keys)};
  EXPECT_EQ(longest(Graph(Exec(), keys, options)), num_keys);
  EXPECT_LT(longest(Graph(Exec(), keys, options, Murmur3Hash(secret))), 20U);
  EXPECT_EQ(longest(Chains(Exec(), keys, chaining)), num_keys);
  EXPECT_LT(longest(Chains(Exec(), keys, chaining, Murmur3Hash(secret))), 20U);
  EXPECT_EQ(longest(row_table(Exec(), columns(keys), options)), num_keys);
  EXPECT_LT(longest(row_table(Exec(), columns(keys), options, RowHash(secret))), 20U);
}

TEST(StrangersKeys, ProbeFarUnlessTheTableHasASeed) {
  const auto keys =
      to_device(keys_in_one_place(level_of(HashLevel::slots, detail::hash_numbers.load())));
  const LinearProbing<std::uint64_t, Memory> open(Exec(), keys);
  EXPECT_GT(open.statistics(Exec()).mean_probe, 100);
  const LinearProbing<std::uint64_t, Memory> seeded(Exec(), keys, {}, Murmur3Hash(secret));
  EXPECT_LT(seeded.statistics(Exec()).mean_probe, 1);
  const auto others =
      to_device(keys_in_one_place(level_of(HashLevel::slots, detail::hash_numbers.load())));
  using Tags = TagBucket<std::uint64_t, Memory>;
  EXPECT_GT(Tags(Exec(), others).statistics(Exec()).longest_probe, 100U);
  EXPECT_LT(Tags(Exec(), others, {}, Murmur3Hash(secret)).statistics(Exec()).longest_probe, 6U);
}

TEST(StrangersKeys, MatchNoFilterThatHasASeed) {
  const auto keys = to_device(keys_in_one_place(level_of(HashLevel::filter, 0)));
  const auto half = std::make_pair(std::uint64_t{0}, num_keys / 2);
  const BloomFilter<std::uint64_t, Memory> filter(Exec(), Kokkos::subview(keys, half), {},
                                                  Murmur3Hash(secret));
  const Kokkos::View<bool*, Memory> found("found", num_keys);
  filter.contains(Exec(), keys, found);
  const auto passes = to_host(Kokkos::View<const bool*, Memory>(found));
  EXPECT_LT(std::count(passes.begin() + num_keys / 2, passes.end(), true), num_keys / 20);
}

/// Every way to group: right, and with a seed linear.
TEST(StrangersKeys, GroupWithASeed) {
  for (const HashLevel level : {HashLevel::published, HashLevel::groups}) {
    const auto keys =
        to_device(keys_in_one_place(level_of(level, detail::hash_numbers.load()), many_keys));
    for (const GroupStrategy strategy :
         {GroupStrategy::automatic, GroupStrategy::hash, GroupStrategy::tag_bucket}) {
      const GroupOptions options{strategy, secret};
      EXPECT_EQ(group_by(Exec(), keys, options, agg::count()).size(), many_keys);
      EXPECT_EQ(group_by(Exec(), columns(keys), options, agg::count()).size(), many_keys);
    }
    const auto groups = group_rows(Exec(), columns(keys), {GroupStrategy::hash, secret});
    EXPECT_EQ(groups.size(), many_keys);
    EXPECT_EQ(count_distinct(Exec(), groups, keys, {GroupStrategy::hash, secret}).size(),
              many_keys);
    for (const BatchStrategy strategy : {BatchStrategy::by_groups, BatchStrategy::by_rows}) {
      const HashAggregationOptions options{strategy, secret};
      auto batches = hash_aggregation(Exec(), keys, options, agg::count());
      auto different = distinct_counts(Exec(), keys, options);
      batches.add(Exec(), keys, agg::count());
      different.add(Exec(), batches, keys, keys);
      EXPECT_EQ(batches.size(), many_keys);
      EXPECT_EQ(different.results(Exec(), many_keys).size(), many_keys);
    }
  }
}

/// Comparisons a key of a join of keys with themselves.
template <class Options>
double comparisons(const Kokkos::View<std::uint64_t*, Memory>& keys, const Options& options,
                   const Murmur3Hash& hash) {
  const CountingEqual equal;
  Workspace<Memory> workspace;
  EXPECT_EQ(hash_join_size(Exec(), JoinKind::inner, keys, keys, EveryPair{}, options, workspace,
                           hash, equal),
            num_keys);
  return static_cast<double>(equal.take()) / static_cast<double>(num_keys);
}

TEST(StrangersKeys, JoinWithASeed) {
  const auto expect_even = [](const auto& open) {
    auto seeded = open;
    seeded.seed = secret;
    const bool has_parts = open.strategy == JoinStrategy::partitioned;
    const std::uint64_t level = has_parts ? level_of(HashLevel::parts, detail::hash_numbers.load())
                                          : level_of(HashLevel::buckets, num_keys);
    const auto keys = to_device(keys_in_one_place(level));
    EXPECT_GT(comparisons(keys, open, {}), 100);
    EXPECT_LT(comparisons(keys, seeded, {}), 5);
    EXPECT_LT(comparisons(keys, open, Murmur3Hash(secret)), 5);
  };
  for_each_strategy<JoinStrategy::partitioned, JoinStrategy::look_up, JoinStrategy::intersect>(
      {}, expect_even);
}

TEST(StrangersKeys, JoinColumnsAndValuesWithASeed) {
  const auto keys = to_device(keys_in_one_place(level_of(HashLevel::published, 0), many_keys));
  HashJoinOptions options;
  options.seed = secret;
  options.prefilter = Prefilter::always;
  const auto by = columns(keys);
  EXPECT_EQ(hash_join(Exec(), JoinKind::full, by, by, EveryPair{}, options).size(), many_keys);
  Workspace<Memory> workspace;
  EXPECT_EQ(join_values(Exec(), keys, keys, keys, keys, options, workspace).size(), many_keys);
}

/// A functor without seeds.
struct PlainHash {
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return Murmur3Hash()(key);
  }
};
struct PlainRowHash {
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return RowHash()(key);
  }
};

TEST(StrangersKeys, RefuseASeedThatAFunctorCannotTake) {
  const auto keys = to_device(std::vector<std::uint64_t>{1, 2, 3});
  HashJoinOptions options;
  options.seed = secret;
  Workspace<Memory> workspace;
  EXPECT_THROW((void)hash_join(Exec(), JoinKind::inner, keys, keys, EveryPair{}, options, workspace,
                               PlainHash()),
               InvalidArgument);
  EXPECT_THROW((void)join_values(Exec(), keys, keys, keys, keys, options, workspace, PlainHash()),
               InvalidArgument);
  EXPECT_THROW(
      (void)(hash_aggregation<std::uint32_t, PlainRowHash>(
          Exec(), keys, HashAggregationOptions{BatchStrategy::automatic, secret}, agg::count())),
      InvalidArgument);
  options.seed = Seed(0);
  EXPECT_EQ(
      hash_join(Exec(), JoinKind::inner, keys, keys, EveryPair{}, options, workspace, PlainHash())
          .size(),
      3U);
}

}  // namespace
}  // namespace hashmill::test
