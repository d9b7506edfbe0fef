#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <hashmill/hash.hpp>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "device_values.hpp"
#include "message_of.hpp"

namespace hashmill {
namespace {

template <std::size_t Size>
struct Bytes {
  std::array<unsigned char, Size> values;
};
struct Triple {
  std::uint32_t a, b, c;
};
struct Padded {
  std::uint8_t a;
  std::uint32_t b;
};
enum class Color : std::uint8_t { red = 200 };

struct CallerHash {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint32_t key) const { return key % 16; }
};
static_assert(HashFor<Murmur3Hash, int> && HashFor<Murmur3Hash, double>);
static_assert(HashFor<Murmur3Hash, Key128> && HashFor<Murmur2Hash, Triple>);
static_assert(HashFor<Murmur3Hash, Bytes<40>>);
static_assert(HashFor<IdentityHash, std::uint32_t> && !HashFor<IdentityHash, Key128>);
static_assert(HashFor<CallerHash, std::uint32_t> && HashFor<std::hash<int>, int>);
static_assert(HashFor<std::uint64_t (*)(int), int> && !HashFor<std::uint32_t (*)(int), int>);
static_assert(!HashFor<double (*)(int), int> && !HashFor<std::uint64_t (*)(void*), int>);
static_assert(!HashFor<Murmur3Hash, Padded>, "equal keys may differ in their padding");
static_assert(!HashFor<Murmur3Hash, std::string> && !HashFor<Murmur3Hash, long double>);
static_assert(std::is_trivially_copyable_v<Murmur3Hash> && sizeof(Murmur3Hash) == 8);
static_assert(std::is_trivially_copyable_v<Murmur2Hash>);
static_assert(std::is_trivially_copyable_v<IdentityHash>);

// Constant expressions have no undefined behaviour.
static_assert(Murmur3Hash{}(1) == 0xB456BCFC34C2CB2C);
static_assert(Murmur3Hash{}(Key128{1, 2}) != Murmur3Hash{}(Key128{2, 1}));
static_assert(Murmur3Hash{}(Triple{1, 2, 3}) != Murmur3Hash{}(Triple{1, 3, 2}));
static_assert(Murmur2Hash(Seed(5))(1.5) == Murmur2Hash(Seed(5))(1.5F));

static_assert(PermutingHashFor<Murmur3Hash, std::uint32_t> &&
              PermutingHashFor<Murmur3Hash, std::int64_t> && PermutingHashFor<Murmur3Hash, Color> &&
              PermutingHashFor<Murmur3Hash, bool>);
static_assert(!PermutingHashFor<Murmur3Hash, Key128> && !PermutingHashFor<Murmur3Hash, double> &&
              !PermutingHashFor<Murmur3Hash, float> && !PermutingHashFor<Murmur2Hash, int>);

template <class Hash>
class HashTest : public testing::Test {};
using Hashes = testing::Types<Murmur3Hash, Murmur2Hash, IdentityHash>;
TYPED_TEST_SUITE(HashTest, Hashes);

TYPED_TEST(HashTest, IntegerWidthDoesNotMatter) {
  const TypeParam hash{};
  for (const int value : {0, 1, 5, 100, 127}) {
    const std::uint64_t expected = hash(static_cast<std::uint64_t>(value));
    EXPECT_EQ(hash(static_cast<std::int8_t>(value)), expected);
    EXPECT_EQ(hash(static_cast<std::uint8_t>(value)), expected);
    EXPECT_EQ(hash(static_cast<std::int16_t>(value)), expected);
    EXPECT_EQ(hash(static_cast<std::uint16_t>(value)), expected);
    EXPECT_EQ(hash(static_cast<std::int32_t>(value)), expected);
    EXPECT_EQ(hash(static_cast<std::uint32_t>(value)), expected);
    EXPECT_EQ(hash(static_cast<std::int64_t>(value)), expected);
    EXPECT_EQ(hash(static_cast<char>(value)), expected);
    EXPECT_EQ(hash(static_cast<long long>(value)), expected);
  }
  EXPECT_EQ(hash(std::int8_t{-1}), hash(std::int64_t{-1}));
  EXPECT_EQ(hash(std::numeric_limits<std::int32_t>::min()), hash(std::int64_t{-2147483648}));
  EXPECT_NE(hash(std::int32_t{-1}), hash(std::uint32_t{0xFFFFFFFF}));
  EXPECT_EQ(hash(Color::red), hash(200));
  EXPECT_EQ(hash(true), hash(1));
}

TYPED_TEST(HashTest, EqualFloatsHashAlike) {
  const TypeParam hash{};
  EXPECT_EQ(hash(0.0), hash(-0.0));
  EXPECT_EQ(hash(0.0F), hash(-0.0F));
  EXPECT_EQ(hash(0.25F), hash(0.25));
  EXPECT_NE(hash(0.25), hash(-0.25));
}

TEST(Murmur3Hash, IsTheFinaliserOnNumbers) {
  for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    EXPECT_EQ(Murmur3Hash{}(key), murmur3_fmix64(key));
    EXPECT_EQ(Murmur3Hash(Seed(3))(key), murmur3_fmix64(key ^ murmur3_fmix64(3)));
  }
}

TEST(Murmur2Hash, IsMurmur64AOfEightBytesOnNumbers) {
  for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    EXPECT_EQ(Murmur2Hash{}(key), murmur2_64a(&key, 8, 0));
    EXPECT_EQ(Murmur2Hash(Seed(3))(key), murmur2_64a(&key, 8, 3));
  }
}

// Keys without a byte loop of their own must agree with the byte routines at every size.
template <std::size_t Size>
void expect_byte_routines() {
  Bytes<Size> key{};
  for (std::uint64_t round = 0; round < 100; ++round) {
    for (std::size_t i = 0; i < Size; ++i) {
      key.values[i] = static_cast<unsigned char>(murmur3_fmix64(round * 64 + i + 1));
    }
    const std::uint64_t mixed = murmur3_fmix64(round);
    EXPECT_EQ(Murmur3Hash(Seed(round))(key), murmur3_x64_128(&key, Size, mixed).low) << Size;
    EXPECT_EQ(Murmur2Hash(Seed(round))(key), murmur2_64a(&key, Size, round)) << Size;
  }
}
template <std::size_t... Sizes>
void expect_byte_routines_of(std::index_sequence<Sizes...>) {
  (expect_byte_routines<Sizes + 1>(), ...);
}

TEST(ByteKeys, AgreeWithTheByteRoutines) {
  expect_byte_routines_of(std::make_index_sequence<33>{});
}

TEST(ByteKeys, WordsAgreeWithTheByteRoutines) {
  const Key128 key{0x0123456789ABCDEF, 0xFEDCBA9876543210};
  const Triple triple{1, 0x80000000, 3};
  EXPECT_EQ(Murmur3Hash{}(key), murmur3_x64_128(&key, 16, 0).low);
  EXPECT_EQ(Murmur2Hash{}(key), murmur2_64a(&key, 16, 0));
  EXPECT_EQ(Murmur3Hash{}(triple), murmur3_x64_128(&triple, 12, 0).low);
  EXPECT_EQ(Murmur2Hash{}(triple), murmur2_64a(&triple, 12, 0));
}

template <class Hash>
void expect_seeds_are_unrelated() {
  // 10 000 pairs of 64-bit values: about half of all bits differ, and each bit in about half.
  std::array<int, 64> differing{};
  for (std::uint64_t key = 0; key < 10000; ++key) {
    const std::uint64_t difference = Hash(Seed(1))(key) ^ Hash(Seed(2))(key);
    for (unsigned bit = 0; bit < 64; ++bit) {
      differing[bit] += static_cast<int>((difference >> bit) & 1);
    }
  }
  for (const int count : differing) EXPECT_NEAR(count, 5000, 400);
}

TEST(Murmur3Hash, SeedsAreUnrelated) { expect_seeds_are_unrelated<Murmur3Hash>(); }
TEST(Murmur2Hash, SeedsAreUnrelated) { expect_seeds_are_unrelated<Murmur2Hash>(); }

TEST(Murmur3Hash, NeighbouringSeedsPermuteNoSequentialKeys) {
  // A seed that only moved keys would give the same set of values for a power of 2 of them.
  std::vector<std::uint64_t> first;
  std::vector<std::uint64_t> second;
  for (std::uint64_t key = 0; key < 1024; ++key) {
    first.push_back(Murmur3Hash(Seed(0))(key));
    second.push_back(Murmur3Hash(Seed(1))(key));
  }
  std::ranges::sort(first);
  std::ranges::sort(second);
  std::vector<std::uint64_t> common;
  std::ranges::set_intersection(first, second, std::back_inserter(common));
  EXPECT_TRUE(common.empty());
}

TEST(Hashes, CompareByTheirParameters) {
  EXPECT_EQ(Murmur3Hash{}, Murmur3Hash(Seed(0)));
  EXPECT_NE(Murmur3Hash(Seed(1)), Murmur3Hash(Seed(2)));
  EXPECT_EQ(Murmur2Hash(Seed(4)), Murmur2Hash(Seed(4)));
  EXPECT_NE(Murmur2Hash{}, Murmur2Hash(Seed(4)));
  EXPECT_EQ(IdentityHash{}, IdentityHash(64));
  EXPECT_NE(IdentityHash{}, IdentityHash(32));
}

TEST(IdentityHash, KeepsTheOrderOfItsDomain) {
  const IdentityHash hash(20);
  EXPECT_EQ(hash.domain_bits(), 20U);
  for (std::uint32_t key = 1; key < (1U << 20); key += 997) EXPECT_LT(hash(key - 1), hash(key));
  EXPECT_EQ(hash((1U << 20) - 1), 0xFFFFF00000000000U);
  EXPECT_EQ(hash(1U << 20), hash(0U));
  EXPECT_EQ(IdentityHash{}(~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_EQ(IdentityHash(1)(3), std::uint64_t{1} << 63);
}

TEST(IdentityHash, RefusesImpossibleDomains) {
  for (const unsigned bits : {0U, 65U, 0xFFFFFFFFU}) {
    const std::string message =
        test::message_of<InvalidArgument>([bits] { (void)IdentityHash(bits); });
    EXPECT_NE(message.find(" " + std::to_string(bits) + " "), std::string::npos) << message;
    EXPECT_NE(message.find("[1, 64]"), std::string::npos) << message;
  }
}

template <class Hash, class Key>
void expect_device_agrees(const std::vector<Key>& keys, const Hash& hash) {
  EXPECT_EQ(test::device_values<std::uint64_t>(keys, hash),
            test::host_values<std::uint64_t>(keys, hash));
}

template <class Key>
std::vector<Key> scattered_keys() {
  std::vector<Key> keys;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Key128 bits{murmur3_fmix64(i), murmur3_fmix64(~i)};
    std::memcpy(&keys.emplace_back(), &bits, sizeof(Key));
  }
  return keys;
}

template <class Key>
void expect_device_agrees_for() {
  const auto keys = scattered_keys<Key>();
  expect_device_agrees(keys, Murmur3Hash{});
  expect_device_agrees(keys, Murmur3Hash(Seed(42)));
  expect_device_agrees(keys, Murmur2Hash(Seed(42)));
}

TEST(Hashes, DeviceAgrees) {
  expect_device_agrees_for<std::int8_t>();
  expect_device_agrees_for<std::uint16_t>();
  expect_device_agrees_for<std::int32_t>();
  expect_device_agrees_for<std::uint32_t>();
  expect_device_agrees_for<std::int64_t>();
  expect_device_agrees_for<std::uint64_t>();
  expect_device_agrees_for<Color>();
  expect_device_agrees_for<Triple>();
  expect_device_agrees_for<Key128>();
  expect_device_agrees_for<Bytes<3>>();
  expect_device_agrees_for<Bytes<11>>();
  expect_device_agrees(std::vector<Bytes<40>>(10, Bytes<40>{{1, 2, 3}}), Murmur3Hash{});
  expect_device_agrees(scattered_keys<std::uint32_t>(), IdentityHash(32));
  expect_device_agrees(scattered_keys<std::uint32_t>(), CallerHash{});
}

TEST(Hashes, DeviceAgreesOnFloats) {
  auto doubles = scattered_keys<double>();  // all sorts, NaN included
  auto floats = scattered_keys<float>();
  for (const double special : {0.0, -0.0, 1e-310, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN(),
                               std::bit_cast<double>(std::uint64_t{0xFFF0000000000001})}) {
    doubles.push_back(special);
    floats.push_back(static_cast<float>(special));
  }
  expect_device_agrees(doubles, Murmur3Hash{});
  expect_device_agrees(floats, Murmur3Hash{});
  expect_device_agrees(floats, Murmur2Hash{});
}

TEST(Murmur3Hash, PermutesWholeNumbers) {
  static_assert(Murmur3Hash{}.permute(7U) == murmur3_fmix32(7));
  static_assert(Murmur3Hash{}.permute(7UL) == murmur3_fmix64(7));
  const Murmur3Hash hash(Seed(9));
  std::vector<std::uint32_t> values;
  for (int key = -32768; key < 32768; ++key) {
    const std::uint32_t value = hash.permute(static_cast<std::int16_t>(key));
    EXPECT_EQ(value, hash.permute(key));
    values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(std::adjacent_find(values.begin(), values.end()), values.end());
  EXPECT_NE(hash.permute(7U), Murmur3Hash{}.permute(7U));
}

}  // namespace
}  // namespace hashmill
