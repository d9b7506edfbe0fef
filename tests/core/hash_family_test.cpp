#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <hashmill/hash.hpp>
#include <hashmill/row_key.hpp>
#include <set>
#include <vector>

#include "message_of.hpp"

namespace hashmill {
namespace {

struct PlainHash {
  friend bool operator==(const PlainHash&, const PlainHash&) = default;
};

static_assert(HashFamily<Murmur3Hash> && HashFamily<Murmur2Hash> && HashFamily<RowHash>);
static_assert(!HashFamily<IdentityHash> && !HashFamily<PlainHash>);

constexpr HashLevel levels[] = {HashLevel::published, HashLevel::buckets, HashLevel::slots,
                                HashLevel::groups,    HashLevel::parts,   HashLevel::filter,
                                HashLevel::sample};

template <class Hash>
class HashFamilies : public testing::Test {};
using Families = testing::Types<Murmur3Hash, Murmur2Hash, RowHash>;
TYPED_TEST_SUITE(HashFamilies, Families);

TYPED_TEST(HashFamilies, PublishTheFunctionOfTheSeed) {
  const TypeParam hash(Seed(9));
  EXPECT_EQ(hash.at(HashLevel::published), hash);
  EXPECT_EQ(hash_at(hash, HashLevel::published), hash);
  EXPECT_EQ(hash.with(Seed(0)), hash);
  EXPECT_EQ(TypeParam().with(Seed(9)), hash);
  EXPECT_NE(hash.with(Seed(9)), hash);
}

TYPED_TEST(HashFamilies, HaveAFunctionForEachLevelAndNumber) {
  std::vector<TypeParam> all;
  for (const HashLevel level : levels) {
    for (std::uint64_t number : {0, 1, 2, 255, 256, 1 << 20}) {
      if (level == HashLevel::published && number != 0) continue;
      const TypeParam hash = hash_at(TypeParam(), level, number);
      EXPECT_EQ(hash, hash_at(TypeParam(), level, number));
      for (const TypeParam& other : all) EXPECT_NE(hash, other);
      all.push_back(hash);
    }
  }
  for (std::uint64_t seed = 1; seed < 100; ++seed) {  // nor are they those of small seeds
    for (const TypeParam& other : all) EXPECT_NE(TypeParam(Seed(seed)), other);
  }
  EXPECT_NE(hash_at(all.back(), HashLevel::sample), TypeParam());  // twice is not back
}

TEST(HashFamily, NumbersEachTable) {
  const auto a = detail::own_hash(Murmur3Hash(), HashLevel::slots);
  const auto b = detail::own_hash(Murmur3Hash(), HashLevel::slots);
  EXPECT_NE(a, b);
}

TEST(HashFamily, LeavesOthersAsTheyAre) {
  EXPECT_EQ(hash_at(PlainHash(), HashLevel::slots, 5), PlainHash());
  EXPECT_EQ(detail::own_hash(IdentityHash(20), HashLevel::parts), IdentityHash(20));
  EXPECT_EQ(detail::seeded_hash("a_join", PlainHash(), Seed(0)), PlainHash());
  EXPECT_EQ(test::message_of<InvalidArgument>(
                [] { (void)detail::seeded_hash("a_join", PlainHash(), Seed(7)); }),
            "a_join: the seed 7 is asked of a hash function without with(Seed)");
}

TEST(HashFamily, OfRowsIsThatOfNumbersOfOneColumn) {
  const RowHash rows = RowHash(Seed(3)).at(HashLevel::parts, 4);
  EXPECT_EQ(rows.of_number(), Murmur3Hash(Seed(3)).at(HashLevel::parts, 4));
  const RowKey<std::uint64_t> key{{77, {}}};
  EXPECT_EQ(rows(key), rows.of_number()(std::uint64_t{77}));
}

/// Deviation of the hashes' counts in 256 ranges of bits from equal ones, in standard deviations.
template <class Hash, class Key>
double deviation(const Hash& hash, const std::vector<Key>& keys, unsigned first_bit) {
  std::vector<double> counts(256);
  for (const Key& key : keys) ++counts[hash(key) >> first_bit & 255];
  const double expected = static_cast<double>(keys.size()) / 256;
  double chi_square = 0;
  for (const double count : counts)
    chi_square += (count - expected) * (count - expected) / expected;
  return (chi_square - 255) / std::sqrt(2.0 * 255);
}

/// Of keys chosen by four bits of one function, those of another are spread.
template <class Hash, class Key>
void expect_unrelated(const Hash& chosen_by, const Hash& other) {
  for (const unsigned chosen : {60U, 30U, 0U}) {
    std::vector<Key> keys;
    for (std::uint64_t number = 0; keys.size() < 1 << 14; ++number) {
      Key key{};
      if constexpr (std::is_same_v<Key, Key128>) {
        key = {number, 1};
      } else {
        key = static_cast<Key>(number);
      }
      if ((chosen_by(key) >> chosen & 15) == 3) keys.push_back(key);
    }
    for (const unsigned first_bit : {56U, 28U, 0U}) {
      EXPECT_LT(std::abs(deviation(other, keys, first_bit)), 6) << chosen << ' ' << first_bit;
    }
  }
}

TEST(HashFamily, LevelsAreUnrelated) {
  const Murmur3Hash published, slots = published.at(HashLevel::slots, 1);
  for (const HashLevel level : levels) {
    if (level == HashLevel::published) continue;
    for (const std::uint64_t number : {0, 2, 1000}) {
      expect_unrelated<Murmur3Hash, std::uint64_t>(published, published.at(level, number));
      expect_unrelated<Murmur3Hash, Key128>(published, published.at(level, number));
      expect_unrelated<Murmur3Hash, std::uint32_t>(slots, published.at(level, number));
    }
    expect_unrelated<Murmur2Hash, std::uint64_t>(Murmur2Hash(), Murmur2Hash().at(level));
  }
}

}  // namespace
}  // namespace hashmill
