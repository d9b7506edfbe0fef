// Keys and row numbers of other types than a table's, and NaN, as what is stored.

#include <gtest/gtest.h>

#include <cmath>
#include <hashmill/hashmill.hpp>
#include <limits>
#include <vector>

#include "algorithms/support/views.hpp"

namespace hashmill::test {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
constexpr U64 beyond = U64{1} << 32;

enum class Level : std::int8_t {};

using Map = LinearProbing<U32, Memory>;

/// Rows i for keys i, but for every third, whose row 32 bits cannot hold.
struct WideRows {
  KOKKOS_FUNCTION U64 operator()(U64 i) const { return i % 3 == 0 ? beyond + i : i; }
};

std::vector<U16> counting(U16 count) {
  std::vector<U16> numbers(count);
  for (U16 i = 0; i < count; ++i) numbers[i] = i;
  return numbers;
}

/// Expects every key i whose row fits to have it, and no others.
void expect_rows_that_fit(const Map& table, U32 count) {
  std::vector<U32> keys(count);
  for (U32 i = 0; i < count; ++i) keys[i] = i;
  const Kokkos::View<U32*, Memory> out("hashmill::test::rows", count);
  table.find(Exec(), to_device(keys), out);
  const auto rows = to_host(out);
  for (U32 i = 0; i < count; ++i) {
    ASSERT_EQ(rows[i], i % 3 == 0 ? no_row<U32> : i) << i;
  }
}

TEST(MixedInserts, NeverCutRowNumbers) {
  const auto keys = to_device(counting(300));
  const InsertResult expected{200, 0, 100};
  Map table(Exec(), 10);
  EXPECT_EQ(table.insert(Exec(), keys, WideRows{}), expected);
  expect_rows_that_fit(table, 300);
  Map assigned(Exec(), 10);
  EXPECT_EQ(assigned.insert_or_assign(Exec(), keys, WideRows{}), expected);
  expect_rows_that_fit(assigned, 300);
  Map found(Exec(), 10);
  const Kokkos::View<U32*, Memory> there("hashmill::test::there", 300);
  EXPECT_EQ(found.find_or_insert(Exec(), keys, WideRows{}, there), expected);
  EXPECT_EQ(to_host(there)[1], 1U);
  EXPECT_EQ(to_host(there)[3], no_row<U32>);
  expect_rows_that_fit(found, 300);
}

TEST(MixedInserts, NeverCutRowNumbersOfPartitionedKeys) {
  constexpr U32 count = 900'000;
  std::vector<U32> keys(count);
  std::vector<U64> rows(count);
  for (U32 i = 0; i < count; ++i) {
    keys[i] = i;
    rows[i] = WideRows{}(i);
  }
  Map table(Exec(), count);
  EXPECT_EQ(table.insert(Exec(), to_device(keys), to_device(rows)),
            (InsertResult{count / 3 * 2, 0, count / 3}));
  expect_rows_that_fit(table, count);
}

/// A sum that outgrows 32 bits.
struct WideSum {
  KOKKOS_FUNCTION U64 operator()(U32 a, U32 b) const { return U64{a} + b; }
};

TEST(MixedInserts, RefuseWhatAnOperationMakesTooLarge) {
  const auto keys = to_device(std::vector<U16>{7});
  const auto half = to_device(std::vector<std::int64_t>{std::int64_t{1} << 31});
  Map table(Exec(), 10);
  EXPECT_EQ(table.insert_or_apply(Exec(), keys, half, WideSum{}), (InsertResult{1, 0, 0}));
  EXPECT_EQ(table.insert_or_apply(Exec(), keys, half, WideSum{}), (InsertResult{0, 0, 1}));
  const Kokkos::View<U32*, Memory> out("hashmill::test::rows", 1);
  table.find(Exec(), keys, out);
  EXPECT_EQ(to_host(out)[0], U32{1} << 31);
}

/// What each operation of a table as kernels see it says of keys and rows that do not fit.
struct UseRef {
  Map::ref_type ref;
  BloomFilter<U32, Memory>::ref_type filter;
  Kokkos::View<InsertOutcome*, Memory> outcomes;
  Kokkos::View<bool*, Memory> filtered;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    U32 there = 0;
    outcomes(0) = ref.insert(beyond + 5, 1);
    outcomes(1) = ref.insert(-1, 1);
    outcomes(2) = ref.insert(5, beyond);
    outcomes(3) = ref.insert_or_assign(5U, -1);
    outcomes(4) = ref.find_or_insert(beyond + 5, 1U, there);
    outcomes(5) = ref.insert_or_apply(std::int64_t{-5}, 1, WideSum{});
    outcomes(6) = ref.insert(5, 6);
    outcomes(7) = ref.insert(U64{5}, std::int64_t{7});
    filtered(0) = filter.add(beyond + 5);
    filtered(1) = filter.contains(5);
    filtered(2) = filter.contains(beyond + 5);
    filtered(3) = filter.add(5) && filter.contains(U64{5}) && !filter.contains(beyond + 5);
    filtered(4) = ref.erase(beyond + 5) == 0 && ref.contains(5) && ref.erase(std::int64_t{5}) == 1;
  }
};

TEST(MixedInserts, AreRefusedInKernels) {
  const Map table(Exec(), 10);
  const BloomFilter<U32, Memory> filter(Exec(), to_device(std::vector<U16>{}));
  const Kokkos::View<InsertOutcome*, Memory> outcomes("hashmill::test::outcomes", 8);
  const Kokkos::View<bool*, Memory> filtered("hashmill::test::filtered", 5);
  Kokkos::parallel_for("hashmill::test::use_ref", Kokkos::RangePolicy<Exec>(0, 1),
                       UseRef{table.ref(), filter.ref(), outcomes, filtered});
  const auto seen = to_host(outcomes);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(seen[i], InsertOutcome::refused) << i;
  EXPECT_EQ(seen[6], InsertOutcome::inserted);
  EXPECT_EQ(seen[7], InsertOutcome::existing);
  const auto passed = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, filtered);
  const bool expected[] = {false, false, false, true, true};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(passed(i), expected[i]) << i;
}

TEST(MixedInserts, TakeNarrowerKeys) {
  const auto narrow = to_device(counting(300));
  std::vector<Level> levels;
  for (int i = -128; i < 128; ++i) levels.push_back(static_cast<Level>(i));
  const auto signed_ones = to_device(levels);
  Chaining<int, Memory> chains(Exec(), narrow);
  EXPECT_EQ(chains.append(Exec(), signed_ones), 300U);
  const ArrayTable<int, Memory> array(Exec(), signed_ones);
  EXPECT_EQ(array.num_values(), 256U);
  LinearProbing<int, Memory, RepeatedKeys> probing(Exec(), narrow);
  probing.insert(Exec(), signed_ones, RowsFrom<U32>{300});
  const BloomFilter<int, Memory> filter(Exec(), signed_ones);
  const auto queries = to_device(std::vector<std::int64_t>{
      -128, -129, 127, 299, 300, std::int64_t{-128} + static_cast<std::int64_t>(beyond)});
  const Kokkos::View<U64*, Memory> counts("hashmill::test::counts", 6);
  const std::vector<U64> both{1, 0, 2, 1, 0, 0}, one{1, 0, 1, 0, 0, 0};
  chains.count(Exec(), queries, counts);
  EXPECT_EQ(to_host(counts), both);
  probing.count(Exec(), queries, counts);
  EXPECT_EQ(to_host(counts), both);
  const HashGraph<int, Memory> graph(Exec(), signed_ones);
  graph.count(Exec(), queries, counts);
  EXPECT_EQ(to_host(counts), one);
  array.count(Exec(), queries, counts);
  EXPECT_EQ(to_host(counts), one);
  const Kokkos::View<bool*, Memory> passed("hashmill::test::passed", 6);
  filter.contains(Exec(), queries, passed);
  const auto passes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, passed);
  EXPECT_TRUE(passes(0) && passes(2));
  EXPECT_FALSE(passes(5));
}

template <class Table>
class NanKeys : public testing::Test {};
using NanTables =
    testing::Types<LinearProbing<double, Memory>, LinearProbing<float, Memory>,
                   Chaining<float, Memory>, TagBucket<double, Memory>, HashGraph<double, Memory>>;
TYPED_TEST_SUITE(NanKeys, NanTables);

/// Comparisons of every NaN with every other would take minutes.
TYPED_TEST(NanKeys, AreOneKeyHoweverMany) {
  using Key = typename TypeParam::key_type;
  constexpr U64 count = 200'000;
  const Key nan = std::numeric_limits<Key>::quiet_NaN();
  std::vector<Key> keys(count, nan);
  for (U64 i = 0; i < count; i += 2) keys[i] = -nan;
  keys[7] = Key{-0.0};
  const TypeParam table(Exec(), to_device(keys));
  const auto queries = to_device(std::vector<Key>{nan, Key{0}, Key{1}});
  const Kokkos::View<U64*, Memory> counts("hashmill::test::counts", 3);
  table.count(Exec(), queries, counts);
  constexpr bool unique = requires { TypeParam::unique; };
  EXPECT_EQ(to_host(counts), (std::vector<U64>{unique ? 1 : count - 1, 1, 0}));
  EXPECT_EQ(table.size(), unique ? 2 : count);
}

}  // namespace
}  // namespace hashmill::test
