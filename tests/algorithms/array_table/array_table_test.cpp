#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/array_table.hpp>
#include <hashmill/multi_map.hpp>
#include <limits>
#include <map>

#include "algorithms/support/inputs.hpp"
#include "algorithms/support/views.hpp"
#include "core/message_of.hpp"

namespace hashmill::test {
namespace {

static_assert(MultiMap<ArrayTable<std::int64_t, Memory>>);
static_assert(RowMultiMapRef<ArrayTable<std::uint8_t, Memory, std::uint64_t>::ref_type>);

/// Expects the rows of each query, and all entries, to be those of a map.
template <class Key, class Table>
void expect_rows(const Table& table, const std::vector<Key>& keys, const std::vector<Key>& absent,
                 std::uint64_t row_base) {
  std::map<Key, std::vector<std::uint64_t>> expected;
  for (std::size_t i = 0; i < keys.size(); ++i) expected[keys[i]].push_back(row_base + i);
  std::vector<Key> queries = absent;
  for (const auto& entry : expected) queries.push_back(entry.first);
  const auto found = table.retrieve(Exec(), to_device(queries));
  const auto offsets = to_host(found.offsets);
  auto rows = to_wide_host(found.rows);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    std::vector<std::uint64_t> of_query(rows.begin() + offsets[q], rows.begin() + offsets[q + 1]);
    std::sort(of_query.begin(), of_query.end());
    const auto entry = expected.find(queries[q]);
    ASSERT_EQ(of_query, entry == expected.end() ? std::vector<std::uint64_t>() : entry->second)
        << "key " << +queries[q];
  }
  const auto all = table.retrieve_all(Exec());
  const auto all_keys = to_host(all.keys);
  const auto all_rows = to_wide_host(all.rows);
  ASSERT_EQ(all_rows.size(), keys.size());
  for (std::size_t i = 0; i < all_rows.size(); ++i) {
    ASSERT_EQ(keys.at(all_rows[i] - row_base), all_keys[i]);
  }
  ASSERT_EQ(table.size(), keys.size());
}

template <class Key>
void expect_table_of(const std::vector<Key>& keys, const std::vector<Key>& absent,
                     std::uint64_t num_values) {
  const ArrayTable<Key, Memory> table(Exec(), to_device(keys), {.row_base = 7});
  EXPECT_EQ(table.num_values(), num_values);
  EXPECT_EQ(table.bytes(), 4 * (num_values + keys.size()));
  expect_rows(table, keys, absent, 7);
}

TEST(ArrayTable, TakesTheRangeOfItsKeys) {
  using Narrow = std::numeric_limits<std::int8_t>;
  using Wide = std::numeric_limits<std::int64_t>;
  expect_table_of<std::uint32_t>({}, {0, 1, ~0U}, 1);
  expect_table_of<std::uint32_t>({5}, {4, 6, 0, ~0U}, 1);
  expect_table_of<std::uint32_t>({~0U, ~0U - 3, ~0U}, {0, ~0U - 1, ~0U - 4}, 4);
  expect_table_of<std::int8_t>({Narrow::min(), Narrow::max(), 0, -1, 0}, {1, 100}, 256);
  expect_table_of<std::int64_t>({Wide::min(), Wide::min() + 5}, {0, Wide::max(), -1}, 6);
  expect_table_of<std::int64_t>({Wide::max(), Wide::max() - 5}, {0, Wide::min(), -1}, 6);
  expect_table_of<std::int64_t>({-2, 3, -2}, {-3, 4, -1}, 6);
  expect_table_of<std::uint64_t>({~std::uint64_t{0}, ~std::uint64_t{0} - 1}, {0, 1}, 2);
}

TEST(ArrayTable, ReachesTwoToThe21AndNoFurther) {
  constexpr std::uint64_t limit = KeyNormalizer<1>::array_limit;
  const auto keys_spanning = [](std::uint32_t values) {
    return std::vector<std::uint32_t>{10, 10 + values - 1, 10};
  };
  expect_table_of<std::uint32_t>(keys_spanning(limit - 1), {9, 11}, limit - 1);
  const auto too_many = to_device(keys_spanning(limit));
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { const ArrayTable<std::uint32_t, Memory> table(Exec(), too_many); }),
            "key mode: 2097152 combined values are not below 2^21");
}

TEST(ArrayTable, RefusesKeysOutsideARangeItIsGiven) {
  const auto keys = to_device(std::vector<int>{-1, 4, 2, -7, 9});
  const ArrayTable<int, Memory> table(Exec(), keys, KeyRange{~std::uint64_t{9}, 30});
  EXPECT_EQ(table.num_values(), 31U);
  expect_rows<int>(table, {-1, 4, 2, -7, 9}, {-11, 21, 0}, 0);
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              const ArrayTable<int, Memory> refused(Exec(), keys, KeyRange{~std::uint64_t{0}, 5});
            }),
            "ArrayTable: 2 of 5 keys are outside the range");
}

TEST(ArrayTable, RefusesRowNumbersThatDoNotFit) {
  const auto keys = to_device(std::vector<int>{1, 2, 3});
  using Table = ArrayTable<int, Memory, std::uint32_t>;
  EXPECT_NO_THROW(Table(Exec(), keys, {.row_base = 0xFFFFFFFC}));
  EXPECT_THROW(Table(Exec(), keys, {.row_base = 0xFFFFFFFD}), CapacityError);
}

TEST(ArrayTable, HoldsOneKeyWithEveryRow) {
  const std::vector<std::uint16_t> keys(30'000, 40'000);
  expect_table_of(keys, {0, 39'999, 40'001}, 1);
}

TEST(ArrayTable, ErasesKeysOnceThoughAskedAtOnce) {
  const Numbers numbers = repeated_numbers(5000, 50, 3);
  const std::vector<std::int32_t> keys(numbers.begin(), numbers.end());
  ArrayTable<std::int32_t, Memory> table(Exec(), to_device(keys));
  const auto of_seven = static_cast<std::uint64_t>(std::count(keys.begin(), keys.end(), 7));
  std::vector<std::int32_t> queries(1000, 7);
  queries.push_back(-1);
  queries.push_back(50);
  EXPECT_EQ(table.erase(Exec(), to_device(queries)), of_seven);
  EXPECT_EQ(table.erase(Exec(), to_device(queries)), 0U);
  EXPECT_EQ(table.size(), 5000 - of_seven);
  EXPECT_EQ(table.retrieve_all(Exec()).size(), 5000 - of_seven);
}

/// Two columns of few values each, whose pairs KeyNormalizer wants in an array.
TEST(ArrayTable, TakesSeveralColumnsAsNumbers) {
  std::vector<std::int32_t> first;
  std::vector<std::uint8_t> second;
  std::map<std::pair<int, int>, std::uint64_t> counts;
  for (int i = 0; i < 4000; ++i) {
    first.push_back(i * 7 % 300 - 100);
    second.push_back(static_cast<std::uint8_t>(i % 13 + 200));
    ++counts[{first.back(), second.back()}];
  }
  const auto a = to_device(first);
  const auto b = to_device(second);
  const KeyNormalizer<2> normalizer({key_range(Exec(), a), key_range(Exec(), b)});
  ASSERT_EQ(normalizer.mode(), KeyMode::array);
  using Source = NormalizedColumns<decltype(a), decltype(b)>;
  const Source source(a, b, normalizer);
  const ArrayTable<std::uint64_t, Memory> table(Exec(), source, KeyRange{0, normalizer.size() - 1});
  EXPECT_EQ(table.num_values(), normalizer.size());
  const Kokkos::View<std::uint64_t*, Memory> out("hashmill::test::counts", 4000);
  table.count(Exec(), source, out);
  const auto found = to_host(out);
  for (std::size_t i = 0; i < 4000; ++i) {
    ASSERT_EQ(found[i], (counts[{first[i], second[i]}]));
  }
  const auto all = table.retrieve_all(Exec());
  const auto numbers = to_host(all.keys);
  const auto rows = to_wide_host(all.rows);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(static_cast<std::int32_t>(normalizer.value(numbers[i], 0)), first[rows[i]]);
    ASSERT_EQ(normalizer.value(numbers[i], 1), second[rows[i]]);
  }
  const auto other_first = to_device(std::vector<std::int32_t>{-101, 1000, 0});
  const auto other_second = to_device(std::vector<std::uint8_t>{200, 200, 199});
  const Kokkos::View<bool*, Memory> there("hashmill::test::there", 3);
  table.contains(Exec(), Source(other_first, other_second, normalizer), there);
  for (const bool contained : to_host(there)) EXPECT_FALSE(contained);
}

}  // namespace
}  // namespace hashmill::test
