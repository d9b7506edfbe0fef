#include <gtest/gtest.h>

#include <hashmill/array_table.hpp>
#include <hashmill/group_rows.hpp>
#include <hashmill/key_mode.hpp>
#include <hashmill/tag_bucket.hpp>
#include <limits>
#include <numeric>

#include "algorithms/support/inputs.hpp"
#include "algorithms/support/views.hpp"

namespace hashmill::test {
namespace {

template <class T>
KeyRange range_of(std::vector<T> values) {
  return key_range(Exec(), to_device(values));
}

TEST(KeyRange, SpansTheColumn) {
  const auto expect = [](const KeyRange& range, std::uint64_t min, std::uint64_t span) {
    EXPECT_EQ(range.min, min);
    EXPECT_EQ(range.span, span);
  };
  expect(range_of<int>({5, -3, 9}), ~std::uint64_t{2}, 12);
  expect(range_of<std::uint64_t>({~std::uint64_t{0}, 7}), 7, ~std::uint64_t{0} - 7);
  expect(range_of<std::int64_t>(
             {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}),
         std::uint64_t{1} << 63, ~std::uint64_t{0});
  expect(range_of<std::uint8_t>({}), 0, 0);
  expect(range_of<std::uint8_t>({200}), 200, 0);
}

enum class Level : std::int16_t { low = -3, middle = 5, high = 9 };
enum class Letter : char8_t { a = u8'a', z = u8'z' };

TEST(KeyRange, OfAnEnumerationIsThatOfItsIntegers) {
  const KeyRange levels = range_of<Level>({Level::middle, Level::low, Level::high});
  EXPECT_EQ(levels.min, ~std::uint64_t{2});
  EXPECT_EQ(levels.span, 12U);
  const KeyRange letters = range_of<Letter>({Letter::z, Letter::a});
  EXPECT_EQ(letters.min, 97U);
  EXPECT_EQ(letters.span, 25U);
}

TEST(KeyRange, LetsEnumerationsIndexArrays) {
  const auto keys = to_device(
      std::vector<Level>{Level::middle, Level::low, Level::high, Level::low, Level::middle});
  GroupOptions options;
  options.strategy = GroupStrategy::dense;
  const auto groups = group_rows(Exec(), keys, options);
  EXPECT_EQ(to_host(groups.group_of), (std::vector<std::uint32_t>{1, 0, 2, 0, 1}));
  const ArrayTable<Level, Memory> table(Exec(), keys);
  EXPECT_EQ(table.num_values(), 13U);
  const auto queries = to_device(std::vector<std::int64_t>{-3, 5, 9, 4, -4, 65533, 1 << 20});
  const Kokkos::View<std::uint64_t*, Memory> counts("hashmill::test::counts", queries.size());
  table.count(Exec(), queries, counts);
  EXPECT_EQ(to_host(counts), (std::vector<std::uint64_t>{2, 2, 1, 0, 0, 0, 0}));
}

TEST(KeyRangeBelow, IsThatOfAllValuesOrNone) {
  constexpr std::uint64_t count = 100'000;  // of which hosts look at a few first
  std::vector<std::int64_t> values(count);
  std::iota(values.begin(), values.end(), -7);
  const auto found = [&](std::uint64_t limit) {
    return key_range_below(Exec(), to_device(values), limit);
  };
  EXPECT_FALSE(found(100));
  EXPECT_FALSE(found(count - 1));
  ASSERT_TRUE(found(count));
  EXPECT_EQ(found(count)->min, ~std::uint64_t{6});
  EXPECT_EQ(found(count)->span, count - 1);

  for (std::uint64_t i = 0; i < count; ++i) values[i] = i % 3;
  EXPECT_EQ(found(3)->span, 2U);
  EXPECT_FALSE(found(2));
  values[count - 1] = 1'000;  // one alone, among those that are not looked at first
  EXPECT_FALSE(found(1'000));
  EXPECT_EQ(found(1'001)->span, 1'000U);
  values = {};
  EXPECT_EQ(found(1)->span, 0U);
}

TEST(KeyNormalizer, ChoosesLikeVelox) {
  const auto mode = [](std::uint64_t first_size, std::uint64_t second_size) {
    return KeyNormalizer<2>({KeyRange{0, first_size - 1}, KeyRange{9, second_size - 1}}).mode();
  };
  EXPECT_EQ(mode(500, 500), KeyMode::array);  // the examples of its page
  EXPECT_EQ(mode(10'000'000, 10'000'000), KeyMode::normalized);
  EXPECT_EQ(mode((1 << 21) - 1, 1), KeyMode::array);
  EXPECT_EQ(mode(1 << 20, 2), KeyMode::normalized);
  EXPECT_EQ(mode(std::uint64_t{1} << 32, (std::uint64_t{1} << 32) - 1), KeyMode::normalized);
  EXPECT_EQ(mode(std::uint64_t{1} << 32, std::uint64_t{1} << 32), KeyMode::hash);
  EXPECT_EQ(mode(0, 1), KeyMode::hash);  // 2^64 values
}

TEST(KeyNormalizer, CanBeForced) {
  const std::array<KeyRange, 1> small{KeyRange{0, 99}}, large{KeyRange{0, 1 << 30}},
      all{KeyRange{0, ~std::uint64_t{0}}};
  EXPECT_EQ(KeyNormalizer<1>(small, KeyMode::normalized).mode(), KeyMode::normalized);
  EXPECT_EQ(KeyNormalizer<1>(small, KeyMode::hash).mode(), KeyMode::hash);
  EXPECT_EQ(KeyNormalizer<1>(small, KeyMode::array).mode(), KeyMode::array);
  EXPECT_THROW(KeyNormalizer<1>(large, KeyMode::array), InvalidArgument);
  EXPECT_THROW(KeyNormalizer<1>(all, KeyMode::array), InvalidArgument);
  EXPECT_THROW(KeyNormalizer<1>(all, KeyMode::normalized), InvalidArgument);
}

TEST(KeyNormalizer, NumbersKeysWithoutGapsOrCollisions) {
  const KeyNormalizer<2> normalizer({KeyRange{~std::uint64_t{2}, 4}, KeyRange{10, 6}});
  EXPECT_EQ(normalizer.size(), 35U);
  std::vector<unsigned> seen(35);
  for (int a = -3; a <= 1; ++a) {
    for (std::uint8_t b = 10; b <= 16; ++b) ++seen.at(normalizer(a, b));
  }
  for (const unsigned times : seen) EXPECT_EQ(times, 1U);
  EXPECT_EQ(normalizer(-4, 10), normalizer.outside);
  EXPECT_EQ(normalizer(2, 10), normalizer.outside);
  EXPECT_EQ(normalizer(0, 17), normalizer.outside);
}

/// 2^32 + 1 times 2^32 values, whose numbers would wrap: (2^32, 0) and (0, 0) would both be 0.
TEST(KeyNormalizer, GivesNoNumbersThatDoNotFit) {
  const std::uint64_t many = std::uint64_t{1} << 32;
  const KeyNormalizer<2> normalizer({KeyRange{0, many - 1}, KeyRange{7, many}});
  ASSERT_EQ(normalizer.mode(), KeyMode::hash);
  EXPECT_EQ(normalizer(std::uint64_t{0}, std::uint64_t{7}), normalizer.outside);
  EXPECT_EQ(normalizer(std::uint64_t{0}, many + 7), normalizer.outside);
  EXPECT_EQ(normalizer.value(5, 0), 0U);
  EXPECT_EQ(normalizer.value(5, 1), 7U);
  const KeyNormalizer<1> all({KeyRange{3, ~std::uint64_t{0}}});
  EXPECT_EQ(all(std::uint64_t{3}), all.outside);
  EXPECT_EQ(all.value(0, 0), 3U);
}

TEST(NormalizedColumns, RefuseNormalizersInModeHash) {
  const auto column = to_device(std::vector<std::uint64_t>{1, 2});
  using Source = NormalizedColumns<decltype(column), decltype(column)>;
  const KeyRange all{0, ~std::uint64_t{0}}, small{0, 9};
  EXPECT_THROW(Source(column, column, KeyNormalizer<2>({all, small})), InvalidArgument);
  EXPECT_THROW(Source(column, column, KeyNormalizer<2>({small, small}, KeyMode::hash)),
               InvalidArgument);
  EXPECT_EQ(Source(column, column, KeyNormalizer<2>({small, small})).size(), 2U);
}

TEST(NormalizedColumns, AreTheKeysOfATable) {
  std::vector<std::int32_t> first;
  std::vector<std::uint16_t> second;
  for (int i = 0; i < 3000; ++i) {
    first.push_back(i % 60 * 1000 - 30000);
    second.push_back(static_cast<std::uint16_t>(i / 60 * 700));
  }
  const auto a = to_device(first);
  const auto b = to_device(second);
  const KeyNormalizer<2> normalizer({key_range(Exec(), a), key_range(Exec(), b)});
  EXPECT_EQ(normalizer.mode(), KeyMode::normalized);
  using Source = NormalizedColumns<decltype(a), decltype(b)>;
  const Source source(a, b, normalizer);
  const TagBucket<std::uint64_t, Memory, std::uint32_t, Murmur3Hash, KeyEqual, Source> table(
      Exec(), source);
  EXPECT_EQ(table.num_keys(), 3000U);
  const Kokkos::View<std::uint32_t*, Memory> out("hashmill::test::rows", 3000);
  table.find(Exec(), source, out);
  const auto rows = to_host(out);
  for (std::uint32_t i = 0; i < 3000; ++i) ASSERT_EQ(rows[i], i);
  const auto short_column = to_device(std::vector<std::uint16_t>(2999));
  EXPECT_THROW(Source(a, short_column, normalizer), InvalidArgument);
}

TEST(NormalizedColumns, OfOtherTypesAreComparedByValue) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  const auto minus = to_device(std::vector<std::int64_t>{-1, -2, 5});
  const auto large = to_device(std::vector<std::uint64_t>{most, most - 2, most - 1});
  const KeyNormalizer<2> normalizer({key_range(Exec(), minus), key_range(Exec(), large)});
  using Source = NormalizedColumns<decltype(minus), decltype(large)>;
  const Source source(minus, large, normalizer);
  const TagBucket<std::uint64_t, Memory, std::uint32_t, Murmur3Hash, KeyEqual, Source> table(
      Exec(), source);
  const Kokkos::View<std::uint32_t*, Memory> out("hashmill::test::rows", 3);
  const auto find = [&](const auto& first, const auto& second) {
    table.find(Exec(), NormalizedColumns(first, second, normalizer), out);
    return to_host(out);
  };
  using Rows = std::vector<std::uint32_t>;
  constexpr auto none = no_row<std::uint32_t>;
  const auto bits = to_device(std::vector<std::uint64_t>{most, most - 1, 5});
  EXPECT_EQ(find(bits, large), (Rows{none, none, 2}));
  EXPECT_EQ(find(minus, to_device(std::vector<std::int64_t>{-1, -3, -2})),
            (Rows{none, none, none}));
  EXPECT_EQ(find(to_device(std::vector<std::int8_t>{-1, 5, -2}), large), (Rows{0, none, none}));
}

}  // namespace
}  // namespace hashmill::test
