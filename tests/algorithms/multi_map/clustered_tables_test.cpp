#include <gtest/gtest.h>

#include <hashmill/chaining.hpp>
#include <hashmill/intersect.hpp>
#include <hashmill/linear_probing.hpp>
#include <hashmill/tag_bucket.hpp>

#include "algorithms/support/chosen_keys.hpp"

// Keys that agree in some bits of the published hash, and keys in the order of another table, cost
// a table no more than random ones. Work is counted, not timed.

namespace hashmill::test {
namespace {

constexpr std::uint64_t num_keys = 1 << 14;
constexpr std::uint64_t longest_bucket = 20;  // of 2^14 random keys: 8 or so

template <class Table>
void expect_short_probes(const Table& table, const std::string& what) {
  const auto statistics = table.statistics(Exec());
  EXPECT_LT(statistics.mean_probe, 1) << what;
  EXPECT_LT(statistics.longest_probe, 100U) << what;
}

template <class Key>
class ClusteredKeys : public testing::Test {};
using Keys = testing::Types<std::uint32_t, std::uint64_t, Key128, double>;
TYPED_TEST_SUITE(ClusteredKeys, Keys);

/// Calls `test(keys, hash, name)` with keys chosen by the bits of hashes that tables are given.
template <class Key, class Test>
void for_each_choice(const Test& test) {
  const auto choose = [&](const auto& hash, const char* name) {
    for (const ChosenBits& bits : chosen_bits) {
      const auto keys = keys_agreeing<Key>(hash, bits, num_keys);
      test(to_device(keys), hash, std::string(name) + " " + bits.name);
    }
  };
  choose(Murmur3Hash(), "Murmur3Hash");
  choose(Murmur3Hash(Seed(1)), "Murmur3Hash(1)");
  choose(Murmur2Hash(Seed(5)), "Murmur2Hash(5)");
}

TYPED_TEST(ClusteredKeys, ProbeNoFurtherInLinearProbing) {
  for_each_choice<TypeParam>([](const auto& keys, const auto& hash, const std::string& what) {
    using Hash = std::decay_t<decltype(hash)>;
    const LinearProbing<TypeParam, Memory, UniqueKeys, std::uint32_t, Hash> built(Exec(), keys, {},
                                                                                  hash);
    EXPECT_EQ(built.size(), num_keys);
    expect_short_probes(built, what);
    LinearProbing<TypeParam, Memory, RepeatedKeys, std::uint32_t, Hash> grown(Exec(), 0, {}, hash);
    EXPECT_EQ(grown.insert(Exec(), keys, RowsFrom{0}).inserted, num_keys);
    expect_short_probes(grown, what);
  });
}

TYPED_TEST(ClusteredKeys, CompareNoMoreInTagBucket) {
  for_each_choice<TypeParam>([](const auto& keys, const auto& hash, const std::string& what) {
    using Hash = std::decay_t<decltype(hash)>;
    using Source = Kokkos::View<const TypeParam*, Memory>;
    using Table = TagBucket<TypeParam, Memory, std::uint32_t, Hash, CountingEqual, Source>;
    const CountingEqual equal;
    for (const bool velox : {false, true}) {
      const Table table(Exec(), keys, {.velox_layout = velox}, hash, equal);
      EXPECT_LT(table.statistics(Exec()).longest_probe, 6U) << what;
      (void)equal.take();
      const Kokkos::View<std::uint32_t*, Memory> rows("rows", num_keys);
      table.find(Exec(), keys, rows);
      EXPECT_LT(equal.take(), num_keys * 5 / 4) << what << (velox ? ", Velox's bits" : "");
    }
  });
}

TYPED_TEST(ClusteredKeys, FillNoBucketMoreThanRandomOnes) {
  for_each_choice<TypeParam>([](const auto& keys, const auto& hash, const std::string& what) {
    using Hash = std::decay_t<decltype(hash)>;
    const HashGraph<TypeParam, Memory, KeyRow<>, Hash> graph(Exec(), keys, {}, hash);
    EXPECT_LT(graph.statistics(Exec()).longest_bucket, longest_bucket) << what;
    HashGraph<TypeParam, Memory, FingerprintRow<>, Hash> rebuilt(
        Exec(), Kokkos::subview(keys, std::make_pair(0, 1)), {}, hash);
    Workspace<Memory> workspace;
    rebuilt.rebuild(Exec(), keys, {}, workspace);
    EXPECT_LT(rebuilt.statistics(Exec()).longest_bucket, longest_bucket) << what;
    Chaining<TypeParam, Memory, std::uint32_t, Hash> chains(Exec(), keys, {}, hash);
    EXPECT_LT(chains.statistics(Exec()).longest_bucket, longest_bucket) << what;
    chains.rehash(Exec(), BucketCount(num_keys * 2));
    EXPECT_LT(chains.statistics(Exec()).longest_bucket, longest_bucket) << what;
    EXPECT_LT(chains.compact(Exec()).statistics(Exec()).longest_bucket, longest_bucket) << what;
  });
}

/// The entries of a table in its own order, a few at a time, put into other tables.
template <class Table>
void expect_moves_in_order(const Table& from, const std::string& what) {
  const auto entries = from.retrieve_all(Exec());
  constexpr std::uint64_t batch = num_keys / 64;
  LinearProbing<std::uint64_t, Memory> grown(Exec(), 0);
  for (std::uint64_t first = 0; first < num_keys; first += batch) {
    const auto range = std::make_pair(first, first + batch);
    const auto keys = Kokkos::subview(entries.keys, range);
    (void)grown.insert(Exec(), keys, RowsFrom{first});
    expect_short_probes(grown, what);
  }
  EXPECT_EQ(grown.size(), num_keys);
  const auto few = Kokkos::subview(entries.keys, std::make_pair(std::uint64_t{0}, batch));
  const TagBucket<std::uint64_t, Memory> tags(Exec(), few);
  EXPECT_LT(tags.statistics(Exec()).longest_probe, 6U) << what;
  const HashGraph<std::uint64_t, Memory> graph(Exec(), few);
  EXPECT_LT(graph.statistics(Exec()).longest_bucket, longest_bucket) << what;
  const Chaining<std::uint64_t, Memory> chains(Exec(), few);
  EXPECT_LT(chains.statistics(Exec()).longest_bucket, longest_bucket) << what;
}

TEST(ClusteredTables, TakeTheEntriesOfOthersInTheirOrder) {
  std::vector<std::uint64_t> numbers(num_keys);
  for (std::uint64_t i = 0; i < num_keys; ++i) numbers[i] = i;
  const auto keys = to_device(numbers);
  expect_moves_in_order(LinearProbing<std::uint64_t, Memory>(Exec(), keys), "LinearProbing");
  expect_moves_in_order(TagBucket<std::uint64_t, Memory>(Exec(), keys), "TagBucket");
  expect_moves_in_order(HashGraph<std::uint64_t, Memory>(Exec(), keys), "HashGraph");
}

/// What is left of a table that was moved from is another table.
TEST(ClusteredTables, HaveAnotherFunctionOnceTheyWereMovedFrom) {
  LinearProbing<std::uint64_t, Memory> from(Exec(), 100);
  const LinearProbing<std::uint64_t, Memory> to(std::move(from));
  EXPECT_NE(from.ref().hasher(), to.ref().hasher());
  const auto keys = to_device(std::vector<std::uint64_t>{1, 2, 3});
  TagBucket<std::uint64_t, Memory> tags(Exec(), keys);
  const TagBucket<std::uint64_t, Memory> others(std::move(tags));
  EXPECT_NE(tags.ref().hasher().function(), others.ref().hasher().function());
}

TEST(ClusteredTables, OfAsManyBucketsShareAFunction) {
  const auto keys = to_device(keys_agreeing<std::uint64_t>(Murmur3Hash(), chosen_bits[0], 1000));
  const HashGraph<std::uint64_t, Memory> a(Exec(), keys, {.buckets = BucketCount(64)});
  const HashGraph<std::uint64_t, Memory> b(Exec(), keys, {.buckets = BucketCount(64)}, a.hash());
  const HashGraph<std::uint64_t, Memory> c(Exec(), keys, {.buckets = BucketCount(65)}, a.hash());
  const Chaining<std::uint64_t, Memory> d(Exec(), keys, {.buckets = BucketCount(64)});
  EXPECT_EQ(a.hash(), Murmur3Hash());
  EXPECT_EQ(a.ref().hasher(), b.ref().hasher());
  EXPECT_NE(a.ref().hasher(), c.ref().hasher());
  EXPECT_EQ(a.ref().hasher(), d.compact(Exec()).ref().hasher());
  EXPECT_EQ(intersect_count(Exec(), a, b), 1000U);
  EXPECT_EQ(merge(Exec(), a, b).ref().hasher(), a.ref().hasher());
}

}  // namespace
}  // namespace hashmill::test
