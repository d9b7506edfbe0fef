// Hash joins of sides whose keys are of different number types, or floating-point numbers: by every
// strategy the pairs that a comparison of all rows with all gives.

#include <gtest/gtest.h>

#include <hashmill/hashmill.hpp>
#include <limits>
#include <string>
#include <vector>

#include "algorithms/support/telling_numbers.hpp"
#include "algorithms/support/views.hpp"
#include "each_strategy.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

using Row = std::uint32_t;

/// Keys in a view.
struct AsView {
  template <class Key>
  struct Held {
    Kokkos::View<Key*, Memory> keys;
    [[nodiscard]] auto source() const { return keys; }
  };
  template <class Key>
  static Held<Key> hold(const std::vector<Key>& keys) {
    return {to_device(keys)};
  }
};
/// Keys in a view with gaps.
struct AsStrided {
  template <class Key>
  struct Held {
    Kokkos::View<Key**, Kokkos::LayoutRight, Memory> table;
    [[nodiscard]] auto source() const { return Kokkos::subview(table, Kokkos::ALL, 1); }
  };
  template <class Key>
  static Held<Key> hold(const std::vector<Key>& keys) {
    const Held<Key> held{{"hashmill::test::table", keys.size(), 2}};
    Kokkos::deep_copy(held.source(), to_device(keys));
    return held;
  }
};
/// Keys beside a second column, of equal numbers of another type on each side.
template <class Second>
struct AsColumns {
  template <class Key>
  struct Held {
    Kokkos::View<Key*, Memory> keys;
    Kokkos::View<Second*, Memory> second;
    [[nodiscard]] auto source() const { return columns(keys, second); }
  };
  template <class Key>
  static Held<Key> hold(const std::vector<Key>& keys) {
    const Held<Key> held{to_device(keys), {"hashmill::test::second", keys.size()}};
    Kokkos::deep_copy(held.second, Second{1});
    return held;
  }
};

template <class RightKey, class LeftKey, class RightAs = AsView, class LeftAs = RightAs,
          class JoinHash = Murmur3Hash>
struct Sides {
  using Right = RightKey;
  using Left = LeftKey;
  using RightSource = RightAs;
  using LeftSource = LeftAs;
  using Hash = JoinHash;
};

template <class Sides>
class MixedJoins : public testing::Test {
 protected:
  static constexpr unsigned copies = 3;
  using Right = typename Sides::Right;
  using Left = typename Sides::Left;

  /// Each telling number several times, so that parts have more than one row.
  template <class Number>
  static std::vector<Number> rows_of(unsigned times) {
    std::vector<Number> rows;
    for (unsigned t = 0; t < times; ++t) {
      for (const Number number : telling_numbers<Number>()) rows.push_back(number);
    }
    return rows;
  }

  const std::vector<Right> right = rows_of<Right>(copies);
  const std::vector<Left> left = rows_of<Left>(2);

  /// The number of pairs of a kind of join.
  [[nodiscard]] std::uint64_t expected(JoinKind kind) const {
    const bool keeps_left = kind == JoinKind::left || kind == JoinKind::full;
    std::uint64_t pairs = 0;
    std::vector<bool> matched(right.size());
    for (const Left l : left) {
      std::uint64_t rows = 0;
      for (std::size_t r = 0; r < right.size(); ++r) {
        if (!same_number(right[r], l)) continue;
        ++rows;
        matched[r] = true;
      }
      pairs += rows == 0 && keeps_left ? 1 : rows;
    }
    if (kind == JoinKind::full) {
      for (const bool is_matched : matched) pairs += is_matched ? 0 : 1;
    }
    return pairs;
  }
  template <class Pairs>
  void expect_pairs(const Pairs& pairs, JoinKind kind, const std::string& what) const {
    const auto lefts = to_host(pairs.left);
    const auto rights = to_host(pairs.right);
    ASSERT_EQ(lefts.size(), expected(kind)) << what;
    for (std::size_t p = 0; p < lefts.size(); ++p) {
      if (lefts[p] == no_row<Row> || rights[p] == no_row<Row>) continue;
      ASSERT_TRUE(same_number(left[lefts[p]], right[rights[p]])) << what;
    }
  }
};

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using I32 = std::int32_t;
using I64 = std::int64_t;
using AllSides = SampledTypes<Sides<U32, U64>, Sides<I32, U32, AsStrided, AsView>,
                              Sides<float, double, AsView, AsStrided>,
                              Sides<double, double, AsView, AsView, Murmur2Hash>,
                              Sides<I64, U64, AsColumns<U32>, AsColumns<I32>, RowHash>,
                              Sides<I32, U32, AsColumns<bool>, AsColumns<std::int8_t>, RowHash>,
                              Sides<long long, long long, AsView, AsView, Murmur2Hash>>;
TYPED_TEST_SUITE(MixedJoins, AllSides);

/// Which strategies may say that they do not suit the keys or the kind.
bool may_refuse(JoinStrategy strategy, JoinKind kind) {
  return strategy == JoinStrategy::array ||
         (strategy == JoinStrategy::intersect && kind != JoinKind::inner);
}

TYPED_TEST(MixedJoins, PairEqualNumbersByEveryStrategy) {
  const Exec exec;
  const auto right = TypeParam::RightSource::hold(this->right);
  const auto left = TypeParam::LeftSource::hold(this->left);
  Workspace<Memory> workspace;
  const auto expect_kinds = [&](const auto& options) {
    for (const JoinKind kind : {JoinKind::inner, JoinKind::left, JoinKind::full}) {
      const std::string what =
          strategy_name(options) + ", kind " + std::to_string(static_cast<int>(kind));
      try {
        const auto pairs = hash_join<Row>(exec, kind, left.source(), right.source(), EveryPair{},
                                          options, workspace, typename TypeParam::Hash{});
        this->expect_pairs(pairs, kind, what);
      } catch (const InvalidArgument&) {
        EXPECT_TRUE(may_refuse(options.strategy, kind)) << what;
      }
    }
  };
  for (const Prefilter prefilter : {Prefilter::never, Prefilter::always}) {
    HashJoinOptions options;
    options.prefilter = prefilter;
    for_each_strategy<JoinStrategy::automatic, JoinStrategy::look_up, JoinStrategy::intersect,
                      JoinStrategy::partitioned, JoinStrategy::tag_bucket, JoinStrategy::array>(
        options, expect_kinds);
  }
}

TYPED_TEST(MixedJoins, AreCounted) {
  const auto right = TypeParam::RightSource::hold(this->right);
  const auto left = TypeParam::LeftSource::hold(this->left);
  Workspace<Memory> workspace;
  for (const JoinKind kind : {JoinKind::inner, JoinKind::left}) {
    EXPECT_EQ(hash_join_size<Row>(Exec(), kind, left.source(), right.source(), EveryPair{},
                                  HashJoinOptions<>{}, workspace, typename TypeParam::Hash{}),
              this->expected(kind));
  }
}

/// Small numbers, which index an array, on sides of different types.
TEST(MixedJoin, TakesAnArray) {
  const auto right = to_device(std::vector<std::int16_t>{-1, 5, 7, 5});
  const auto left = to_device(std::vector<U32>{5, 65535, ~U32{0}, 7, 8});
  const HashJoinOptions<JoinStrategy::array> options;
  const auto pairs = hash_join(Exec(), JoinKind::inner, left, right, EveryPair{}, options);
  EXPECT_EQ(pairs.size(), 3U);
}

/// Values of rows whose keys are of two types: those of the left side are their places.
template <class RightKey, class LeftKey>
void expect_joined_values() {
  const auto right = telling_numbers<RightKey>();
  const auto left = telling_numbers<LeftKey>();
  std::vector<I64> places;
  U64 expected = 0;
  for (std::size_t l = 0; l < left.size(); ++l) {
    places.push_back(static_cast<I64>(l));
    for (const RightKey r : right) expected += same_number(r, left[l]) ? 1 : 0;
  }
  const auto keys = to_device(right);
  Workspace<Memory> workspace;
  const auto joined =
      join_values(Exec(), to_device(left), to_device(places), keys, keys, JoinOptions{}, workspace);
  EXPECT_EQ(joined.size(), expected);
  const auto lefts = to_host(joined.left);
  const auto rights = to_host(joined.right);
  for (std::size_t p = 0; p < rights.size(); ++p) {
    EXPECT_TRUE(same_number(left[static_cast<std::size_t>(lefts[p])], rights[p]));
  }
}
TEST(MixedJoin, OfValues) {
  expect_joined_values<I32, U32>();
  expect_joined_values<double, float>();
}

/// Rows of columns in a table, looked up by rows of other types.
TEST(MixedRows, AreLookedUpByTheirNumbers) {
  const auto keys = telling_numbers<I64>();
  const auto asked = telling_numbers<U64>();
  const auto source = AsColumns<U32>::hold(keys);
  const auto queries = AsColumns<std::int8_t>::hold(asked);
  const auto table = row_table(Exec(), source.source());
  const Kokkos::View<U64*, Memory> counts("hashmill::test::counts", asked.size());
  table.count(Exec(), queries.source(), counts);
  const auto found = to_host(counts);
  for (std::size_t q = 0; q < asked.size(); ++q) {
    U64 expected = 0;
    for (const I64 key : keys) expected += same_number(key, asked[q]) ? 1 : 0;
    ASSERT_EQ(found[q], expected) << q;
  }
}

}  // namespace
}  // namespace hashmill::test
