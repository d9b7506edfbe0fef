// Keys of a column with nulls: tables of single keys refuse them, and read other columns as views.

#include <gtest/gtest.h>

#include <hashmill/hashmill.hpp>

#include "algorithms/support/views.hpp"
#include "core/message_of.hpp"

namespace hashmill::test {
namespace {

using Key = std::uint64_t;
using Rows = Kokkos::View<std::uint32_t*, Memory>;
using Table = LinearProbing<Key, Memory>;

struct Sides {
  Kokkos::View<Key*, Memory> values = to_device(std::vector<Key>{1, 2, 2, 3});
  Kokkos::View<std::uint8_t*, Memory> bits = to_device(std::vector<std::uint8_t>{0b1011});
  ValueColumn<Key, Memory> nullable = column(values, validity(bits, 4));
  ValueColumn<Key, Memory> complete = column(values);
  Rows rows{"rows", 4};
};

template <class F>
void expect_refusal(const F& f) {
  EXPECT_EQ(message_of<InvalidArgument>(f),
            "hashmill: keys of a column with nulls, which a table of single keys does not know; "
            "use columns(key) with row_table, hash_join or group_by");
}

TEST(NullableKeys, AreRefusedByBuilds) {
  const Sides sides;
  const auto& keys = sides.nullable;
  using OfColumn = HashGraph<Key, Memory, KeyRow<std::uint32_t>, Murmur3Hash, KeyEqual,
                             ValueColumn<Key, Memory>>;
  expect_refusal([&] { const OfColumn table(Exec(), keys); });
  expect_refusal([&] { const Chaining<Key, Memory> table(Exec(), keys); });
  expect_refusal([&] { const ArrayTable<Key, Memory> table(Exec(), keys, KeyRange{0, 9}); });
  expect_refusal([&] { const BloomFilter<Key, Memory> filter(Exec(), keys); });
  Table table(Exec(), 4);
  expect_refusal([&] { (void)table.insert(Exec(), keys, sides.rows); });
  expect_refusal([&] { (void)table.insert_or_assign(Exec(), keys, sides.rows); });
  EXPECT_EQ(table.size(), 0);
}

TEST(NullableKeys, AreRefusedByLookUps) {
  const Sides sides;
  const auto& keys = sides.nullable;
  const HashGraph<Key, Memory> table(Exec(), sides.values);
  const Kokkos::View<bool*, Memory> there("there", 4);
  Workspace<Memory> workspace;
  expect_refusal([&] { table.contains(Exec(), keys, there); });
  expect_refusal([&] { table.count(Exec(), keys, sides.rows); });
  expect_refusal([&] { table.find(Exec(), keys, sides.rows); });
  expect_refusal([&] { table.find_if(Exec(), keys, there, sides.rows); });
  expect_refusal([&] { (void)table.retrieve(Exec(), keys); });
  expect_refusal([&] { (void)join(Exec(), JoinKind::left, keys, table); });
  expect_refusal([&] { (void)semi_join(Exec(), keys, table); });
  expect_refusal([&] { (void)intersect_count(Exec(), keys, table, workspace); });
}

TEST(NullableKeys, AreRefusedByErase) {
  const Sides sides;
  const auto refuse = [&](auto table) {
    expect_refusal([&] { table.erase(Exec(), sides.nullable); });
    EXPECT_EQ(table.size(), 4);
  };
  refuse(HashGraph<Key, Memory>(Exec(), sides.values));
  refuse(Chaining<Key, Memory>(Exec(), sides.values));
  refuse(TagBucket<Key, Memory>(Exec(), sides.values));
  refuse(ArrayTable<Key, Memory>(Exec(), sides.values));
  Table table(Exec(), 4);
  table.insert(Exec(), sides.values, sides.rows);
  expect_refusal([&] { table.erase(Exec(), sides.nullable); });
  EXPECT_EQ(table.size(), 3);
}

TEST(NullableKeys, OfOtherKindsOfColumnsAreRefused) {
  const Sides sides;
  const HashGraph<Key, Memory> table(Exec(), sides.values);
  const auto packed = pack_column(Exec(), sides.nullable);
  const auto codes = to_device(std::vector<std::uint8_t>{0, 1, 1, 2});
  const auto dictionary = dictionary_column(column(codes, validity(sides.bits, 4)), sides.complete);
  const auto nulls_inside = dictionary_column(column(codes), sides.nullable);
  expect_refusal([&] { table.find(Exec(), packed.column(), sides.rows); });
  expect_refusal([&] { table.find(Exec(), dictionary, sides.rows); });
  expect_refusal([&] { table.find(Exec(), nulls_inside, sides.rows); });
}

TEST(NullableKeys, ColumnsWithoutNullsAreKeys) {
  const Sides sides;
  const Chaining<Key, Memory> table(Exec(), sides.complete);
  table.count(Exec(), sides.complete, sides.rows);
  EXPECT_EQ(to_host(sides.rows), (std::vector<std::uint32_t>{1, 2, 2, 1}));
  table.count(Exec(), pack_column(Exec(), sides.values).column(), sides.rows);
  EXPECT_EQ(to_host(sides.rows), (std::vector<std::uint32_t>{1, 2, 2, 1}));
  table.count(Exec(), constant_column<Memory>(Key{2}, 4), sides.rows);
  EXPECT_EQ(to_host(sides.rows), (std::vector<std::uint32_t>{2, 2, 2, 2}));
}

TEST(NullableKeys, MatchNothingInJoinsOfColumns) {
  const Sides sides;
  EXPECT_EQ(hash_join(Exec(), JoinKind::inner, sides.nullable, sides.values).size(), 4);
  EXPECT_EQ(hash_join(Exec(), JoinKind::left, sides.nullable, sides.values).size(), 5);
  EXPECT_EQ(hash_join(Exec(), JoinKind::inner, sides.nullable, sides.nullable).size(), 3);
}

}  // namespace
}  // namespace hashmill::test
