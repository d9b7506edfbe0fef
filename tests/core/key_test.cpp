#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <hashmill/key.hpp>
#include <hashmill/key_conversion.hpp>
#include <limits>
#include <string>
#include <vector>

#include "device_values.hpp"

namespace hashmill {
namespace {

enum class Signed : std::int16_t { minus_two = -2 };
enum Plain : unsigned { seven = 7 };
struct Pair {
  std::uint32_t a, b;
};
struct Padded {
  std::uint8_t a;
  std::uint64_t b;
};
struct Large {
  std::uint64_t a, b, c;
};
struct WithFloat {
  float a;
};
struct Owning {
  std::string text;
};

static_assert(alignof(Key128) == 16 && sizeof(Key128) == 16);
static_assert(InlineKey<Key128> && InlineKey<Pair> && InlineKey<std::int8_t>);
static_assert(InlineKey<float> && InlineKey<double> && InlineKey<Signed> && InlineKey<void*>);
static_assert(!InlineKey<Padded> && !InlineKey<Large> && !InlineKey<WithFloat>);
static_assert(!InlineKey<Owning> && !InlineKey<long double> && !InlineKey<int&>);
static_assert(ByteKey<Large> && !ByteKey<Padded> && !ByteKey<double> && !ByteKey<Owning>);
static_assert(ScalarKey<Signed> && ScalarKey<bool> && !ScalarKey<Key128> && !ScalarKey<void*>);

static_assert(canonical_bits(std::int32_t{5}) == 5 && canonical_bits(std::uint8_t{5}) == 5);
static_assert(canonical_bits(std::int8_t{-1}) == ~std::uint64_t{0});
static_assert(canonical_bits(std::uint32_t{0xFFFFFFFF}) == 0xFFFFFFFF);
static_assert(canonical_bits(Signed::minus_two) == canonical_bits(-2));
static_assert(canonical_bits(seven) == 7 && canonical_bits(true) == 1);
static_assert(canonical_bits(-0.0) == 0 && canonical_bits(-0.0F) == 0);
static_assert(canonical_bits(1.0) == 0x3FF0000000000000);
static_assert(canonical_bits(1.0F) == canonical_bits(1.0));
static_assert(canonical_bits(-1.0) == 0xBFF0000000000000);

static_assert(Key128{1, 2} == Key128{1, 2} && Key128{1, 2} != Key128{2, 1});
static_assert(Key128{1, 0} != Key128{0, 1} && Key128{} == Key128{0, 0});

TEST(CanonicalBits, AllNansAreOne) {
  const std::uint64_t nan = canonical_bits(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(canonical_bits(std::numeric_limits<double>::signaling_NaN()), nan);
  EXPECT_EQ(canonical_bits(-std::numeric_limits<double>::quiet_NaN()), nan);
  EXPECT_EQ(canonical_bits(std::bit_cast<double>(std::uint64_t{0xFFF0000000000001})), nan);
  EXPECT_EQ(canonical_bits(std::numeric_limits<float>::quiet_NaN()), nan);
  EXPECT_NE(canonical_bits(std::numeric_limits<double>::infinity()), nan);
}

TEST(CanonicalBits, TellFiniteNumbersApart) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(canonical_bits(infinity), 0x7FF0000000000000U);
  EXPECT_EQ(canonical_bits(-infinity), 0xFFF0000000000000U);
  EXPECT_EQ(canonical_bits(least), 1U);
  EXPECT_NE(canonical_bits(least), canonical_bits(-least));
  EXPECT_EQ(canonical_bits(std::numeric_limits<float>::denorm_min()), canonical_bits(0x1p-149));
}

TEST(KeyEqual, ComparesValues) {
  const KeyEqual equal{};
  EXPECT_TRUE(equal(5, 5));
  EXPECT_FALSE(equal(5, 6));
  EXPECT_TRUE(equal(0.0, -0.0));
  EXPECT_TRUE(
      equal(std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(equal(std::numeric_limits<float>::quiet_NaN(), 1.0F));
  EXPECT_TRUE(equal(Key128{1, 2}, Key128{1, 2}));
  EXPECT_FALSE(equal(Key128{1, 2}, Key128{1, 3}));
  EXPECT_EQ(KeyEqual{}, KeyEqual{});
}

TEST(KeyEqual, ComparesNumbersOfDifferentTypesByValue) {
  const KeyEqual equal{};
  EXPECT_TRUE(equal(std::int32_t{5}, std::uint64_t{5}));
  EXPECT_TRUE(equal(std::int8_t{-1}, std::int64_t{-1}));
  EXPECT_FALSE(equal(std::int32_t{-1}, std::uint32_t{0xFFFFFFFF}));
  EXPECT_FALSE(equal(std::uint8_t{255}, std::int8_t{-1}));
  EXPECT_FALSE(equal(-1, ~std::uint64_t{0}));
  EXPECT_FALSE(equal(Signed::minus_two, ~std::uint64_t{1}));
  EXPECT_TRUE(equal(Signed::minus_two, std::int64_t{-2}));
  EXPECT_TRUE(equal(true, 1));
  EXPECT_FALSE(equal(true, 2));
  EXPECT_TRUE(equal(1.5F, 1.5));
  EXPECT_FALSE(equal(0.1F, 0.1));
  EXPECT_TRUE(
      equal(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()));
}

template <class Key, class From>
constexpr bool fits(From from) {
  return detail::KeyConversion<Key, From>::fits(from);
}
static_assert(fits<std::uint8_t>(255) && !fits<std::uint8_t>(256) && !fits<std::uint8_t>(-1));
static_assert(fits<std::int64_t>(~std::uint64_t{0} >> 1) && !fits<std::int64_t>(~std::uint64_t{0}));
static_assert(fits<bool>(1) && !fits<bool>(2) && fits<int>(true) && fits<Signed>(-2));
static_assert(fits<float>(0.5) && !fits<float>(0.1) && !fits<float>(1e300) && fits<double>(0.1F));
static_assert(detail::as_row<std::uint32_t>(7) == 7 &&
              detail::as_row<std::uint32_t>(-1) == no_row<std::uint32_t> &&
              detail::as_row<std::uint32_t>(std::uint64_t{1} << 32) == no_row<std::uint32_t>);

template <class Key, class From>
inline constexpr bool allowed = detail::KeyConversion<Key, From>::allowed;
template <class Key, class From>
inline constexpr bool always = detail::KeyConversion<Key, From>::always;
static_assert(allowed<std::uint8_t, std::int64_t> && allowed<float, double> &&
              allowed<Signed, std::uint64_t> && allowed<Pair, Pair>);
static_assert(!allowed<double, int> && !allowed<int, float> && !allowed<Key128, std::uint64_t> &&
              !allowed<std::uint64_t, __int128> && !allowed<double, long double> &&
              !allowed<double, bool> && !allowed<Pair, std::uint64_t>);
static_assert(always<std::uint32_t, std::uint16_t> && always<std::int64_t, std::uint32_t> &&
              always<std::int32_t, bool> && always<double, float>);
static_assert(!always<std::uint32_t, std::int8_t> && !always<std::int32_t, std::uint32_t> &&
              !always<std::int64_t, std::uint64_t> && !always<float, double>);

template <class A, class B, class Common>
inline constexpr bool meet_as = std::is_same_v<detail::CommonKey<A, B>, Common>&&
    std::is_same_v<detail::CommonKey<B, A>, Common>;
static_assert(meet_as<std::int32_t, std::uint32_t, std::int64_t> &&
              meet_as<std::uint8_t, std::uint32_t, std::uint32_t> &&
              meet_as<std::int64_t, std::uint32_t, std::int64_t> &&
              meet_as<std::int64_t, std::uint64_t, void> && meet_as<float, double, double> &&
              meet_as<bool, std::int8_t, std::int16_t> && meet_as<Signed, int, std::int32_t> &&
              meet_as<int, double, void> && meet_as<Key128, Key128, Key128>);

struct EqualsItsHalves {
  KOKKOS_FUNCTION std::uint64_t operator()(const Key128& key) const {
    const Key128 folded{key.low, key.low};
    const double number = static_cast<double>(key.high);
    return (KeyEqual{}(key, folded) ? 1 : 0) ^ canonical_bits(static_cast<std::int32_t>(key.low)) ^
           canonical_bits(-number);
  }
};

TEST(Keys, DeviceAgrees) {
  std::vector<Key128> keys;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    keys.push_back({i * 0x9E3779B97F4A7C15, i % 2 == 0 ? i : i * 0x9E3779B97F4A7C15});
  }
  EXPECT_EQ(test::device_values<std::uint64_t>(keys, EqualsItsHalves{}),
            test::host_values<std::uint64_t>(keys, EqualsItsHalves{}));
}

}  // namespace
}  // namespace hashmill
