#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/hash_join.hpp>
#include <hashmill/join_filter.hpp>
#include <limits>
#include <set>

#include "algorithms/support/failing_allocations.hpp"
#include "algorithms/support/hashes.hpp"
#include "algorithms/support/keys.hpp"
#include "row_rules.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

using Rows = std::vector<std::uint32_t>;

template <class Filter, class Keys>
Rows selected(const Filter& filter, const Keys& keys) {
  Workspace<Memory> workspace;
  return to_host(filter.select(Exec(), keys, workspace));
}
template <class Filter>
std::vector<std::uint64_t> words_of(const Filter& filter) {
  const Kokkos::View<std::uint64_t*, Memory> copy("hashmill::test::words",
                                                  filter.words().extent(0));
  Kokkos::deep_copy(copy, filter.words());
  return to_host(copy);
}

/// The rows of `queries` whose numbers, as keys, are among `there`.
template <class Key>
Rows rows_among(const Numbers& there, const Numbers& queries) {
  std::set<std::uint64_t> keys;
  for (const std::uint64_t number : there) keys.insert(normal_number<Key>(number));
  Rows rows;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (keys.contains(normal_number<Key>(queries[i])))
      rows.push_back(static_cast<std::uint32_t>(i));
  }
  return rows;
}

JoinFilterOptions options_for(std::uint64_t keys, std::optional<KeyRange> range = {}) {
  JoinFilterOptions options;
  options.keys = keys;
  options.key_range = range;
  return options;
}

template <class Types>
class JoinFilters : public testing::Test {
 protected:
  using Key = typename Types::Key;
  using Filter = JoinFilter<Key, Memory, typename Types::Hash>;

  /// Expects a filter made in batches, and one merged of two filters, to let through all rows that
  /// have a partner, and few others if the hash is good.
  static void expect_passing(const Numbers& there, const Numbers& queries) {
    const auto half = there.begin() + static_cast<std::ptrdiff_t>(there.size() / 2);
    const KeyColumns<Key> first(Numbers(there.begin(), half)), second(Numbers(half, there.end())),
        asked(queries);
    const auto options = options_for(there.size());
    Filter batches(Exec(), options), merged(Exec(), options), other(Exec(), options);
    batches.add(Exec(), first.source());
    batches.add(Exec(), second.source());
    other.add(Exec(), first.source());
    merged.add(Exec(), second.source());
    merged.merge(Exec(), other);
    EXPECT_EQ(words_of(batches), words_of(merged));
    EXPECT_TRUE(batches.bounds() == merged.bounds());
    const Rows passing = selected(batches, asked.source());
    EXPECT_EQ(passing, selected(merged, asked.source()));
    const Rows expected = rows_among<Key>(there, queries);
    EXPECT_TRUE(std::ranges::is_sorted(passing));
    EXPECT_TRUE(std::ranges::includes(passing, expected));
    if (std::is_same_v<typename Types::Hash, Murmur3Hash> && !there.empty()) {
      EXPECT_LE(passing.size() - expected.size(), queries.size() / 10 + 5);
    }
  }
};

using Types =
    SampledTypes<KeyAndHash<std::uint32_t, Murmur3Hash>, KeyAndHash<std::uint64_t, FourBitHash>,
                 KeyAndHash<std::int32_t, ConstantHash>, KeyAndHash<Key128, Murmur3Hash>>;
TYPED_TEST_SUITE(JoinFilters, Types);

TYPED_TEST(JoinFilters, LetEveryRowWithAPartnerThrough) {
  for (const std::uint64_t size : {0, 1, 2, 257, 5000}) {
    for (const auto& shape : every_shape(size, 3)) {
      SCOPED_TRACE(shape.name + ", " + std::to_string(size));
      Numbers queries = random_numbers(3000, 7);
      queries.insert(queries.end(), shape.numbers.begin(), shape.numbers.end());
      this->expect_passing(shape.numbers, queries);
    }
  }
}

template <class Key>
class JoinBitmaps : public testing::Test {};
using Integers =
    SampledTypes<std::int8_t, std::uint32_t, std::int32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(JoinBitmaps, Integers);

/// The keys `least`, `least + 3` and so on, and queries around them.
template <class Key>
void expect_exact(Key least, unsigned count) {
  std::vector<Key> there, asked;
  Rows expected;
  const auto at = [&](std::uint64_t i) {
    return static_cast<Key>(static_cast<std::uint64_t>(least) + i);
  };
  for (unsigned i = 0; i < count; ++i) there.push_back(at(3 * i));
  for (unsigned i = 0; i < 3 * count + 9; ++i) {
    asked.push_back(at(i - std::uint64_t{5}));
    if (i >= 5 && (i - 5) % 3 == 0 && i - 5 < 3 * count) expected.push_back(i);
  }
  const auto keys = to_device(there), queries = to_device(asked);
  const auto filter = join_filter(Exec(), keys);
  EXPECT_EQ(filter.kind(), JoinFilterKind::bitmap);
  EXPECT_EQ(selected(filter, queries), expected);
  EXPECT_EQ(filter.bounds().greatest - filter.bounds().least, 3 * (count - 1));
  const auto columns_filter = join_filter(Exec(), columns(keys));
  EXPECT_EQ(columns_filter.kind(), JoinFilterKind::bitmap);
  EXPECT_EQ(selected(columns_filter, queries), expected);
  EXPECT_EQ(selected(columns_filter, column(queries)), expected);
  EXPECT_TRUE(columns_filter.bounds() == filter.bounds());
}

TYPED_TEST(JoinBitmaps, LetNoOtherRowThrough) {
  using Limits = std::numeric_limits<TypeParam>;
  constexpr unsigned most = sizeof(TypeParam) == 1 ? 30 : 2000;
  for (const unsigned count : {1U, 2U, 21U, most}) {
    expect_exact<TypeParam>(static_cast<TypeParam>(17), count);
    expect_exact<TypeParam>(static_cast<TypeParam>(Limits::min() + 5), count);
    expect_exact<TypeParam>(static_cast<TypeParam>(Limits::max() - 3 * (count - 1)), count);
    if (Limits::is_signed) expect_exact<TypeParam>(static_cast<TypeParam>(-15), count);
  }
}

/// Numbers of another type are compared by value: none is cut to one that is there.
TEST(JoinFilter, ComparesNumbersByValue) {
  const auto there = to_device(std::vector<std::int32_t>{-1, 5, 700});
  const auto asked = to_device(std::vector<std::uint64_t>{5, ~std::uint64_t{0}, 0xffffffffULL,
                                                          (std::uint64_t{1} << 32) + 5, 700});
  EXPECT_EQ(selected(join_filter(Exec(), there), asked), (Rows{0, 4}));
  EXPECT_EQ(selected(join_filter(Exec(), columns(there)), asked), (Rows{0, 4}));
  JoinFilter<std::int32_t, Memory> bloom(Exec(), options_for(3));
  bloom.add(Exec(), there);
  EXPECT_EQ(bloom.kind(), JoinFilterKind::bloom);
  EXPECT_TRUE(std::ranges::includes(selected(bloom, asked), Rows{0, 4}));
}

/// Nulls pass only where nulls match nulls and one was added, in both kinds.
TEST(JoinFilter, TakesNullsAsJoinsDo) {
  const auto values = to_device(std::vector<std::int32_t>{4, 4, 9, 0});
  const auto bits = to_device(std::vector<std::uint8_t>{0b1001});  // rows 1 and 2 are null
  const auto some = column(values, validity(bits, 4));
  for (const bool bitmap : {true, false}) {
    const auto options =
        options_for(4, bitmap ? std::optional(KeyRange{0, 9}) : std::optional<KeyRange>());
    JoinFilterFor<std::decay_t<decltype(some)>> filter(Exec(), options);
    filter.add(Exec(), some);
    EXPECT_EQ(filter.kind() == JoinFilterKind::bitmap, bitmap);
    EXPECT_EQ(selected(filter, some), (Rows{0, 3}));
    EXPECT_EQ(selected(filter, values), (Rows{0, 1, 3}));
    EXPECT_EQ(selected(filter, columns(some).nulls_equal()), (Rows{0, 3}));
    filter.add(Exec(), columns(some).nulls_equal());
    EXPECT_EQ(selected(filter, columns(some).nulls_equal()), (Rows{0, 1, 2, 3}));
    EXPECT_EQ(selected(filter, some), (Rows{0, 3}));
    EXPECT_EQ(filter.bounds().greatest - filter.bounds().least, 4U);
  }
}

/// Rows of several columns: what passes has a partner by the rules of the columns, or is rare.
TEST(JoinFilter, TakesRowsOfColumns) {
  const auto left = random_rows(900, 21);
  const auto right = random_rows(60, 22);
  const RowColumns<std::int16_t> left_columns(left);
  const RowColumns<std::int64_t> right_columns(right);
  for (const bool nulls_equal : {false, true}) {
    const Rules rules{nulls_equal, !nulls_equal};
    const auto matches = rules.matches(left, right);
    Rows expected;
    for (std::uint32_t l = 0; l < left.size(); ++l) {
      if (!matches(l).empty()) expected.push_back(l);
    }
    const auto filter = join_filter(Exec(), rules.apply(right_columns.keys()));
    const Rows passing = selected(filter, rules.apply(left_columns.keys()));
    EXPECT_TRUE(std::ranges::includes(passing, expected));
    EXPECT_LE(passing.size() - expected.size(), left.size() / 10);
  }
}

/// What ranks do: OR of words, minimum and maximum of bounds.
TEST(JoinFilter, IsCombinedByItsOwners) {
  const auto few = to_device(std::vector<std::int64_t>{-7, 1, 2}),
             more = to_device(std::vector<std::int64_t>{90, -3});
  for (const bool bitmap : {true, false}) {
    const auto options = options_for(
        5, bitmap ? std::optional(KeyRange{static_cast<std::uint64_t>(-10), 110}) : std::nullopt);
    JoinFilter<std::int64_t, Memory> mine(Exec(), options), theirs(Exec(), options),
        merged(Exec(), options);
    mine.add(Exec(), few);
    theirs.add(Exec(), more);
    merged.add(Exec(), few);
    merged.merge(Exec(), theirs);
    auto words = words_of(mine);
    const auto their_words = words_of(theirs);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] |= their_words[i];
    const auto combined = to_device(words);
    Kokkos::deep_copy(Exec(), mine.words(), combined);
    mine.widen({std::min(mine.bounds().least, theirs.bounds().least),
                std::max(mine.bounds().greatest, theirs.bounds().greatest)});
    EXPECT_EQ(words_of(mine), words_of(merged));
    EXPECT_TRUE(mine.bounds() == merged.bounds());
    EXPECT_EQ(selected(mine, more), (Rows{0, 1}));
    EXPECT_EQ(selected(mine, few), (Rows{0, 1, 2}));
  }
}

template <class Ref, class Keys>
struct CountPassingRows {
  Ref filter;
  Keys keys;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& passing) const {
    if (filter.may_contain(keys(i))) ++passing;
  }
};

TEST(JoinFilter, IsAskedInsideKernels) {
  const auto there = to_device(std::vector<std::uint32_t>{3, 5, 1000});
  const auto asked =
      to_device(std::vector<std::uint32_t>{2, 3, 4, 5, 5, 1000, 1001, 4'000'000'000});
  const auto count = [&](const auto& filter) {
    std::uint64_t passing = 0;
    const auto ref = filter.ref();
    Kokkos::parallel_reduce(
        "hashmill::test::pass",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(Exec(), 0, asked.extent(0)),
        CountPassingRows<std::decay_t<decltype(ref)>, std::decay_t<decltype(asked)>>{ref, asked},
        passing);
    return passing;
  };
  EXPECT_EQ(count(join_filter(Exec(), there)), 4U);
  auto options = options_for(3);
  options.bits_per_key = 1024;
  JoinFilter<std::uint32_t, Memory> bloom(Exec(), options);
  EXPECT_EQ(count(bloom), 0U);
  bloom.add(Exec(), there);
  EXPECT_EQ(count(bloom), 4U);
  bloom.clear(Exec());
  EXPECT_EQ(count(bloom), 0U);
}

TEST(JoinFilter, MarksTheRowsThatMayPass) {
  const auto there = to_device(std::vector<std::uint32_t>{3, 5});
  const auto asked = to_device(std::vector<std::uint32_t>{5, 4, 3});
  const Kokkos::View<bool*, Memory> out("hashmill::test::out", 3), less("hashmill::test::out", 2);
  const auto filter = join_filter(Exec(), there);
  filter.may_contain(Exec(), asked, out);
  EXPECT_EQ(to_host(out), (std::vector<bool>{true, false, true}));
  EXPECT_THROW(filter.may_contain(Exec(), asked, less), InvalidArgument);
}

/// What is refused leaves the filter as it was.
TEST(JoinFilter, RefusesKeysOutsideItsRange) {
  JoinFilter<std::int32_t, Memory> filter(
      Exec(), options_for(9, KeyRange{static_cast<std::uint64_t>(-4), 8}));
  const auto inside = to_device(std::vector<std::int32_t>{-4, 4, 0}),
             outside = to_device(std::vector<std::int32_t>{1, 5});
  filter.add(Exec(), inside);
  const auto before = words_of(filter);
  const KeyBounds bounds = filter.bounds();
  try {
    filter.add(Exec(), outside);
    FAIL() << "5 is outside";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("1 to 5"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("-4 to 4"), std::string::npos);
  }
  EXPECT_EQ(words_of(filter), before);
  EXPECT_TRUE(filter.bounds() == bounds);
}

TEST(JoinFilter, RefusesWhatDoesNotFitTogether) {
  using Filter = JoinFilter<std::int32_t, Memory>;
  const KeyRange range{0, 99}, other{1, 99};
  Filter bitmap(Exec(), options_for(9, range)), bloom(Exec(), options_for(9));
  EXPECT_THROW(bitmap.merge(Exec(), bloom), InvalidArgument);
  EXPECT_THROW(bitmap.merge(Exec(), Filter(Exec(), options_for(9, other))), InvalidArgument);
  EXPECT_THROW(bloom.merge(Exec(), Filter(Exec(), options_for(9000))), InvalidArgument);
  EXPECT_THROW(bloom.merge(Exec(), Filter(Exec(), options_for(9), Murmur3Hash(Seed{1}))),
               InvalidArgument);
  EXPECT_THROW((JoinFilter<double, Memory>(Exec(), options_for(9, range))), InvalidArgument);
  auto wrong = options_for(9);
  wrong.bits_per_key = 0.5;
  EXPECT_THROW((Filter(Exec(), wrong)), InvalidArgument);
  EXPECT_THROW((Filter(Exec(), options_for(~std::uint64_t{0}))), CapacityError);
}

/// A range of 2^26 numbers is too long for a bitmap.
TEST(JoinFilter, TakesABitmapForShortRangesOnly) {
  using Filter = JoinFilter<std::uint32_t, Memory>;
  const std::uint64_t most = (std::uint64_t{1} << 26) - 1;
  const Filter bitmap(Exec(), options_for(1, KeyRange{7, most})),
      bloom(Exec(), options_for(1, KeyRange{7, most + 1}));
  EXPECT_EQ(bitmap.kind(), JoinFilterKind::bitmap);
  EXPECT_LE(bitmap.bytes(), (most + 1) / 8 + 32);
  EXPECT_EQ(bloom.kind(), JoinFilterKind::bloom);
  EXPECT_EQ(bloom.bytes(), 32U);
}

TEST(JoinFilter, IsEmptyOnceMovedFrom) {
  const auto keys = to_device(std::vector<std::uint32_t>{3, 5});
  for (const bool bitmap : {true, false}) {
    using Filter = JoinFilter<std::uint32_t, Memory>;
    Filter source(Exec(), options_for(2, bitmap ? std::optional(KeyRange{0, 9}) : std::nullopt));
    source.add(Exec(), keys);
    const Filter target(std::move(source));
    EXPECT_EQ(selected(target, keys), (Rows{0, 1}));
    EXPECT_EQ(selected(source, keys), Rows{});
    EXPECT_EQ(source.words().extent(0), 0U);
    source.add(Exec(), keys);
    EXPECT_EQ(selected(source, keys), (Rows{0, 1}));
  }
}

TEST(JoinFilter, ShortOfMemorySaysSo) {
  const auto keys = to_device(std::vector<std::uint32_t>{3, 5, 9});
  EXPECT_GE(count_failures([&] {
              const auto filter = join_filter(Exec(), keys);
              EXPECT_EQ(selected(filter, keys), (Rows{0, 1, 2}));
            }),
            3U);
}

}  // namespace
}  // namespace hashmill::test
