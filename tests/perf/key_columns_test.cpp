#include "keys/key_columns.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include "answers/expected_results.hpp"

namespace hashmill::perf {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Memory = Exec::memory_space;

template <class Key>
class KeyColumnsTest : public testing::Test {
 protected:
  using Keys = Kokkos::View<Key*, Memory>;

  KeyColumnsTest() : keys("keys", 1003) {
    for (std::uint64_t i = 0; i < keys.size(); ++i) keys(i) = static_cast<Key>(splitmix64(i));
    keys(0) = 0;
    keys(1) = static_cast<Key>(~Key{0});
    keys(2) = 7;
    keys(3) = 23;
  }
  template <KeyColumns Kind>
  void expect_the_keys() {
    const auto columns = KeyColumnsOf<Kind, Key, Memory>::split(exec, keys);
    ASSERT_EQ(columns.size(), keys.size());
    ASSERT_EQ(columns.source().size(), keys.size());
    const Kokkos::View<std::uint32_t*, Memory> rows("rows", 500);
    for (std::uint32_t i = 0; i < 500; ++i) rows(i) = 1002 - 2 * i;
    const auto some = columns.gathered(exec, rows);
    ASSERT_EQ(some.size(), 500u);
    const auto expected = [&](std::uint64_t row) {
      return Kind == KeyColumns::nulls && is_null_key(keys(row)) ? Key{7} : keys(row);
    };
    for (std::uint64_t i = 0; i < keys.size(); ++i) ASSERT_EQ(columns(i), expected(i));
    for (std::uint64_t i = 0; i < 500; ++i) ASSERT_EQ(some(i), expected(rows(i)));
    const Kokkos::View<std::uint32_t*, Memory> none("none", 0);
    EXPECT_EQ(columns.gathered(exec, none).size(), 0u);
  }

  Exec exec;
  Keys keys;
};

using KeyTypes = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(KeyColumnsTest, KeyTypes);

TYPED_TEST(KeyColumnsTest, StandForTheKeys) {
  this->template expect_the_keys<KeyColumns::one>();
  this->template expect_the_keys<KeyColumns::two>();
  this->template expect_the_keys<KeyColumns::strings>();
  this->template expect_the_keys<KeyColumns::nulls>();
}

TYPED_TEST(KeyColumnsTest, HoldHexadecimalDigitsAndHalves) {
  using Strings = KeyColumnsOf<KeyColumns::strings, TypeParam, Memory>;
  const auto held_strings = Strings::split(this->exec, this->keys);
  const auto strings = held_strings.source();
  const auto text = [&](std::uint64_t i) {
    const StringView view = strings.list().first(i);
    return std::string(view.data, view.size);
  };
  EXPECT_EQ(text(0), "0");
  EXPECT_EQ(text(1), std::string(2 * sizeof(TypeParam), 'F'));
  EXPECT_EQ(text(3), "17");
  using Nulls = KeyColumnsOf<KeyColumns::nulls, TypeParam, Memory>;
  const auto held_nulls = Nulls::split(this->exec, this->keys);
  const auto nulls = held_nulls.source();
  EXPECT_FALSE(nulls.list().first.is_null(1));
  EXPECT_TRUE(nulls.list().first.is_null(2));
  EXPECT_TRUE(nulls.list().first.is_null(3));
}

TYPED_TEST(KeyColumnsTest, ThatAreNullHaveNoPartner) {
  DataAxes axes;
  axes.key_bits = 8 * sizeof(TypeParam);
  axes.num_keys = 2000;
  axes.num_queries = 3000;
  axes.multiplicity = 2;
  axes.hit_rate = 0.5;
  axes.columns = KeyColumns::nulls;
  DataSet<Exec, TypeParam> data(this->exec, axes);
  data.set_queries(this->exec, axes);
  Tally pairs, of_queries, of_rows;
  for (std::uint64_t query = 0; query < 3000; ++query) {
    std::uint64_t matches = 0;
    for (std::uint64_t row = 0; row < 2000; ++row) {
      if (data.queries()(query) != data.keys()(row) || data.keys()(row) % 16 == 7) continue;
      ++matches;
      pairs.add(query_weight(query) * row_weight(row));
    }
    if (matches == 0) of_queries.add(query_weight(query) * row_weight(no_row<std::uint32_t>));
  }
  for (std::uint64_t row = 0; row < 2000; ++row) {
    bool is_matched = false;
    for (std::uint64_t query = 0; query < 3000; ++query)
      is_matched = is_matched || data.queries()(query) == data.keys()(row);
    if (!is_matched || data.keys()(row) % 16 == 7)
      of_rows.add(query_weight(no_row<std::uint32_t>) * row_weight(row));
  }
  EXPECT_EQ(expected_matches(this->exec, data).pairs, pairs);
  EXPECT_EQ(expected_unmatched(this->exec, data).queries, of_queries);
  EXPECT_EQ(expected_unmatched(this->exec, data).rows, of_rows);
  EXPECT_LT(pairs.count, 3000u);
}

}  // namespace
}  // namespace hashmill::perf
