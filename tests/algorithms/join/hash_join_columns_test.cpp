#include <array>
#include <functional>
#include <tuple>

#include "algorithms/support/inputs.hpp"
#include "algorithms/support/kokkos_recorder.hpp"
#include "join_fixture.hpp"

namespace hashmill::test {
namespace {

constexpr std::size_t num_columns = 3;
using IntegerRow = std::array<std::int64_t, num_columns>;
using IntegerRows = std::vector<IntegerRow>;

/// Rows of few values, the extremes of narrow types among them, so that what is carried from one
/// column to the next would join rows that differ.
IntegerRows integer_rows(std::uint64_t count, std::uint64_t seed) {
  constexpr std::int64_t bytes[] = {-128, -1, 0, 1, 127};
  constexpr std::int64_t words[] = {-32768, -1, 0, 1, 32767};
  constexpr std::int64_t naturals[] = {0, 1, 255, 65535};
  const Numbers numbers = random_numbers(count, seed);
  IntegerRows rows(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t number = numbers[i] >> 8;
    rows[i] = {bytes[number % 5], words[number / 5 % 5], naturals[number / 25 % 4]};
  }
  return rows;
}

/// The columns of rows, each of a type of the caller's choice.
template <class... Values>
class IntegerColumns {
 public:
  explicit IntegerColumns(const IntegerRows& rows) : IntegerColumns(rows, Indices()) {}
  /// Keys of all columns; with a bitmap of which rows have values in the first.
  [[nodiscard]] auto keys(Validity valid_first = {}) const {
    return std::apply(
        [&](const auto& first, const auto&... views) {
          return columns(column(first, valid_first), views...);
        },
        views_);
  }

 private:
  using Indices = std::index_sequence_for<Values...>;
  template <std::size_t... C>
  IntegerColumns(const IntegerRows& rows, std::index_sequence<C...>)
      : views_(device_column<Values>(rows, C)...) {}
  template <class Value>
  static Kokkos::View<Value*, Memory> device_column(const IntegerRows& rows, std::size_t c) {
    std::vector<Value> values;
    for (const IntegerRow& row : rows) values.push_back(static_cast<Value>(row[c]));
    return to_device(values);
  }
  std::tuple<Kokkos::View<Values*, Memory>...> views_;
};

/// A function that lists the right rows whose first `columns` values are those of a left row.
[[nodiscard]] auto matches_of(const IntegerRows& left, const IntegerRows& right,
                              std::size_t columns) {
  return [&left, &right, columns](std::uint64_t l) {
    std::vector<std::uint64_t> found;
    for (std::uint64_t r = 0; r < right.size(); ++r) {
      if (std::equal(left[l].begin(), left[l].begin() + columns, right[r].begin())) {
        found.push_back(r);
      }
    }
    return found;
  };
}

template <class RightKeys, class LeftKeys, class Matches>
void expect_joins(const RightKeys& right, const LeftKeys& left, const Matches& matches) {
  Workspace<Memory> workspace;
  for (const JoinKind kind : every_kind) {
    SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
    const Pairs every = expected_pairs(kind, left.size(), right.size(), matches, EveryPair{});
    for (const Prefilter prefilter : {Prefilter::never, Prefilter::always}) {
      HashJoinOptions options;
      options.prefilter = prefilter;
      EXPECT_TRUE(sorted_pairs(hash_join(Exec(), kind, left, right, EveryPair{}, options)) ==
                  every);
      options.ordered = true;
      EXPECT_TRUE(pairs_of(hash_join(Exec(), kind, left, right, EveryPair{}, options)) == every);
      EXPECT_EQ(hash_join_size(Exec(), kind, left, right, EveryPair{}, options, workspace),
                every.size());
    }
  }
}

template <class... Values>
struct Side {
  using Keys = IntegerColumns<Values...>;
  using Count = std::integral_constant<std::size_t, sizeof...(Values)>;
};

template <class Sides>
class HashJoinColumns : public testing::Test {};
/// Eight bytes of columns that are not of the same types, and of one alone.
using Mixed = std::pair<Side<std::int8_t, std::int32_t, std::uint16_t>,
                        Side<std::int16_t, std::int16_t, std::uint16_t>>;
using Alone = std::pair<Side<std::int64_t>, Side<std::int32_t>>;
using Sides = testing::Types<Mixed, Alone>;
TYPED_TEST_SUITE(HashJoinColumns, Sides);

TYPED_TEST(HashJoinColumns, OfIntegersMatchWhereAllDo) {
  using Right = typename TypeParam::first_type;
  using Left = typename TypeParam::second_type;
  for (const std::uint64_t size : {0, 1, 60, 300}) {
    const IntegerRows right = integer_rows(size, 1), left = integer_rows(240, 2);
    const typename Right::Keys right_columns(right);
    const typename Left::Keys left_columns(left);
    expect_joins(right_columns.keys(), left_columns.keys(),
                 matches_of(left, right, Right::Count::value));
  }
}

TEST(HashJoinColumnsOfIntegers, MatchWhereAConditionHoldsToo) {
  const IntegerRows right = integer_rows(200, 6), left = integer_rows(100, 7);
  const Mixed::first_type::Keys right_columns(right);
  const Mixed::second_type::Keys left_columns(left);
  const auto matches = matches_of(left, right, num_columns);
  for (const JoinKind kind : every_kind) {
    EXPECT_TRUE(sorted_pairs(hash_join(Exec(), kind, left_columns.keys(), right_columns.keys(),
                                       SumIsEven{})) ==
                expected_pairs(kind, left.size(), right.size(), matches, SumIsEven{}));
  }
}

/// Nulls match nothing, or each other, whatever lies where their values would.
TYPED_TEST(HashJoinColumns, WithNullsMatchByTheRulesOfNulls) {
  using Right = typename TypeParam::first_type;
  using Left = typename TypeParam::second_type;
  const IntegerRows right = integer_rows(200, 3), left = integer_rows(100, 4);
  const std::vector<std::uint8_t> bits(25, 0b10110111);
  const auto there = to_device(bits);
  const auto is_null = [](std::uint64_t r) { return (0b10110111U >> r % 8 & 1U) == 0; };
  const typename Right::Keys right_columns(right);
  const typename Left::Keys left_columns(left);
  const std::function<std::vector<std::uint64_t>(std::uint64_t)> equal =
      matches_of(left, right, Right::Count::value);
  const auto matches = [&](std::uint64_t l) {
    auto found = equal(l);
    std::erase_if(found, is_null);
    return found;
  };
  expect_joins(right_columns.keys(validity(there, 200)), left_columns.keys(), matches);
}

/// A column that is a side by itself, beside a column and beside a view. All values behind its
/// nulls equal values of the other side.
TEST(HashJoinOfAColumn, MatchesNoNulls) {
  const Numbers numbers = repeated_numbers(400, 50, 8);
  const std::vector<std::int64_t> wide(numbers.begin(), numbers.end());
  const std::vector<std::int32_t> narrow(numbers.begin(), numbers.begin() + 250);
  const auto right_view = to_device(wide);
  const auto left_view = to_device(narrow);
  const auto bits = to_device(std::vector<std::uint8_t>(50, 0b01101101));
  const auto is_there = [](std::uint64_t i) { return (0b01101101U >> i % 8 & 1U) != 0; };
  const auto right = column(right_view, validity(bits, wide.size()));
  const auto left = column(left_view, validity(bits, narrow.size()));
  const auto matches = [&](bool nulls_left, bool nulls_right) {
    return [&, nulls_left, nulls_right](std::uint64_t l) {
      std::vector<std::uint64_t> found;
      for (std::uint64_t r = 0; r < wide.size(); ++r) {
        if (nulls_left && !is_there(l)) continue;
        if (nulls_right && !is_there(r)) continue;
        if (wide[r] == narrow[l]) found.push_back(r);
      }
      return found;
    };
  };
  expect_joins(right, left, matches(true, true));
  expect_joins(right, left_view, matches(false, true));
  expect_joins(right_view, left, matches(true, false));
  expect_joins(column(right_view), left_view, matches(false, false));
}

template <class... Right, class... Left>
constexpr bool fit(std::type_identity<std::tuple<Right...>>,
                   std::type_identity<std::tuple<Left...>>) {
  return detail::PackedSides<Columns<ValueColumn<Right, Memory>...>,
                             Columns<ValueColumn<Left, Memory>...>>::fit;
}
template <class... Values>
constexpr std::type_identity<std::tuple<Values...>> of{};
static_assert(fit(of<std::int32_t, std::int32_t>, of<std::int8_t, std::int16_t>));
static_assert(!fit(of<std::int32_t, std::int32_t>, of<std::int8_t, std::int64_t>));
static_assert(!fit(of<std::int32_t, float>, of<std::int32_t, float>));
static_assert(!fit(of<std::int32_t>, of<std::int32_t, std::int32_t>));

/// The first column lowest, each in the bytes of the wider side's.
TEST(PackedColumns, LieSideBySide) {
  const std::int8_t first[] = {0, 1, -1, -128};
  const std::uint16_t second[] = {0, 2, 0xffff, 0x8000};
  using Cols = Columns<ValueColumn<std::int8_t, Kokkos::HostSpace>,
                       ValueColumn<std::uint16_t, Kokkos::HostSpace>>;
  const Cols columns({first, 4}, {second, 4});
  const detail::PackedColumns<Cols, 1, 2> narrow(columns);
  const detail::PackedColumns<Cols, 4, 2> wide(columns);
  static_assert(sizeof(narrow(0)) == 4 && sizeof(wide(0)) == 8);
  const std::uint32_t narrow_words[] = {0, 0x000201, 0xffffff, 0x800080};
  const std::uint64_t wide_words[] = {0, 0x0002'00000001, 0xffff'ffffffff, 0x8000'ffffff80};
  ASSERT_EQ(narrow.size(), 4);
  for (std::uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(narrow(i), narrow_words[i]);
    EXPECT_EQ(wide(i), wide_words[i]);
  }
}

/// Each row travels to its part as one word, if both sides fit a word and no row can be null.
TEST(HashJoinColumnsOnHosts, TravelAsOneWord) {
  if (backends::has_wide_teams<Exec>) GTEST_SKIP() << "GPUs compare columns";
  const IntegerRows rows = integer_rows(500, 5);
  const Mixed::first_type::Keys right(rows);
  const Mixed::second_type::Keys left(rows);
  const auto there = to_device(std::vector<std::uint8_t>(63, 0xff));
  const auto is_partitioned = [](const auto& right_keys, const auto& left_keys) {
    const KokkosRecorder recorder;
    (void)hash_join(Exec(), JoinKind::inner, left_keys, right_keys);
    return std::ranges::any_of(recorder.events(), [](const KokkosEvent& event) {
      return event.label == "hashmill::join::count_parts";
    });
  };
  EXPECT_TRUE(is_partitioned(right.keys(), left.keys()));
  EXPECT_FALSE(is_partitioned(right.keys(), left.keys(validity(there, 500))));
}

}  // namespace
}  // namespace hashmill::test
