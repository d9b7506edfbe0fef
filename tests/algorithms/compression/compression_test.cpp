#include <gtest/gtest.h>

#include <cmath>
#include <hashmill/boolean_column.hpp>
#include <hashmill/compression.hpp>
#include <limits>

#include "algorithms/compression/compressed_inputs.hpp"
#include "algorithms/compression/reference_frame.hpp"
#include "algorithms/support/views.hpp"

namespace hashmill::test {
namespace {

const std::vector<std::uint64_t> sizes{0, 1, 2, 33, 2048, 4500};

/// The bits of values, widened.
template <class Value>
Numbers bits_of(const std::vector<Value>& values) {
  Numbers bits;
  for (const Value& value : values) {
    std::uint64_t wide = 0;
    std::memcpy(&wide, &value, sizeof(Value));
    bits.push_back(wide);
  }
  return bits;
}

/// Values with the low bits of some numbers.
template <class Value>
std::vector<Value> values_of(const Numbers& numbers) {
  std::vector<Value> values(numbers.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::memcpy(&values[i], &numbers[i], sizeof(Value));
  }
  return values;
}

/// Expects that values come back under some schemes, from the library and from the reference.
template <class Value>
void expect_round_trips(const std::vector<Value>& values,
                        const std::vector<CompressionScheme>& schemes = {
                            compression_schemes.begin(), compression_schemes.end()}) {
  Workspace<Memory> workspace;
  const auto view = to_device(values);
  for (const CompressionScheme scheme : schemes) {
    SCOPED_TRACE(name(scheme));
    const auto column = compress(Exec(), view, workspace, scheme);
    EXPECT_EQ(column.size(), values.size());
    EXPECT_EQ(column.scheme(), scheme);
    EXPECT_EQ(ReferenceFrame(to_host(column.frame())).values(), bits_of(values));
    const auto copy = compressed_from_frame<Value>(Exec(), column.frame());
    const Kokkos::View<Value*, Memory> out("hashmill::test::out", values.size());
    decompress(Exec(), copy, out);
    EXPECT_EQ(bits_of(to_host(out)), bits_of(values));
  }
}

template <class Value>
class Compression : public ::testing::Test {};
using Values = ::testing::Types<std::uint64_t, std::int32_t, std::int8_t, double>;
TYPED_TEST_SUITE(Compression, Values);

TYPED_TEST(Compression, GivesValuesBack) {
  for (const std::uint64_t size : sampled(sizes)) {
    SCOPED_TRACE(size);
    for (const auto& input : compressed_inputs(size)) {
      SCOPED_TRACE(input.name);
      expect_round_trips(values_of<TypeParam>(input.numbers));
    }
  }
}

TYPED_TEST(Compression, TakesEveryWidth) {
  constexpr unsigned widest = 8 * sizeof(TypeParam);
  std::vector<unsigned> widths;
  for (unsigned width = 0; width <= widest; ++width) widths.push_back(width);
  for (const unsigned width : sampled(widths)) {
    SCOPED_TRACE(width);
    for (const std::uint64_t base : {std::uint64_t{0}, ~std::uint64_t{0} << (widest - 1)}) {
      expect_round_trips(values_of<TypeParam>(numbers_of_width(250, width, base)),
                         {CompressionScheme::pack, CompressionScheme::delta});
    }
  }
}

/// The bytes that packing must take: its bits, and nothing but headers besides.
TEST(CompressionSizes, AreThoseOfTheLayout) {
  Workspace<Memory> workspace;
  const std::uint64_t tiles = 3;
  for (const unsigned width : {0U, 1U, 13U, 32U, 33U, 63U}) {
    SCOPED_TRACE(width);
    const auto view = to_device(numbers_of_width(tiles * 2048, width, 1000));
    const auto column = compress(Exec(), view, workspace, CompressionScheme::pack);
    EXPECT_EQ(column.bytes(), 40 + tiles * (8 + 32 + 2048 * width / 8));
  }
  const auto raw = compress(Exec(), to_device(random_numbers(2048, 7)), workspace,
                            CompressionScheme::runs_delta_runs);
  EXPECT_EQ(raw.bytes(), 40 + 8 + 32 + 2048 * 8);  // no layer pays, so the tile is raw
  EXPECT_LT(raw.ratio(), 1);
}

TEST(CompressionSizes, OfSignedValuesAroundZeroAreSmall) {
  Workspace<Memory> workspace;
  std::vector<std::int64_t> values(2048);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i % 16) - 8;
  const auto column = compress(Exec(), to_device(values), workspace, CompressionScheme::pack);
  EXPECT_EQ(column.bytes(), 40 + 8 + 32 + 2048 * 4 / 8);
}

TEST(CompressionChoice, IsWithinAPercentOfTheBestScheme) {
  Workspace<Memory> workspace;
  for (const auto& input : compressed_inputs(100'000)) {
    SCOPED_TRACE(input.name);
    const auto view = to_device(input.numbers);
    std::uint64_t least = ~std::uint64_t{0};
    for (const auto scheme : compression_schemes) {
      least = std::min(least, compress(Exec(), view, workspace, scheme).bytes());
    }
    const auto chosen = compress(Exec(), view, workspace);
    EXPECT_NE(chosen.scheme(), CompressionScheme::automatic);
    EXPECT_LE(static_cast<double>(chosen.bytes()), 1.03 * static_cast<double>(least))
        << name(chosen.scheme());
  }
}

TEST(CompressionChoice, NamesTheLayersThatHelp) {
  Workspace<Memory> workspace;
  const auto chosen = [&](const Numbers& numbers) {
    return compress(Exec(), to_device(numbers), workspace).scheme();
  };
  const std::uint64_t count = 20'000;
  EXPECT_EQ(chosen(random_numbers(count, 1)), CompressionScheme::raw);
  EXPECT_EQ(chosen(repeated_numbers(count, 5, 2)), CompressionScheme::pack);
  EXPECT_EQ(chosen(runs_of_numbers(count, 200, 4, murmur3_fmix64)), CompressionScheme::runs);
  Numbers sequence(count);
  for (std::uint64_t i = 0; i < count; ++i) sequence[i] = i;
  EXPECT_EQ(chosen(sequence), CompressionScheme::delta);
  EXPECT_EQ(chosen(Numbers()), CompressionScheme::raw);
}

TEST(Decompress, ReadsAnySlice) {
  Workspace<Memory> workspace;
  const Numbers numbers = runs_of_numbers(9000, 7, 5, times_seven);
  const auto column = compress(Exec(), to_device(numbers), workspace);
  for (const std::uint64_t first : {0, 1, 2047, 2048, 5000, 8999, 9000}) {
    for (const std::uint64_t count : {0, 1, 2, 2048, 4097, 9000}) {
      const Kokkos::View<std::uint64_t*, Memory> out("hashmill::test::out", count);
      if (count > numbers.size() - first) {
        EXPECT_THROW(decompress(Exec(), column, out, first), InvalidArgument);
        continue;
      }
      decompress(Exec(), column, out, first);
      const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first);
      EXPECT_EQ(to_host(out), Numbers(begin, begin + static_cast<std::ptrdiff_t>(count)));
    }
  }
  const Kokkos::View<std::uint64_t*, Memory> one("hashmill::test::one", 1);
  EXPECT_THROW(decompress(Exec(), column, one, ~std::uint64_t{0}), InvalidArgument);
}

TEST(Decompress, KeepsEveryBitOfFloatingPointValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_round_trips<double>(
      {0.0, -0.0, nan, -nan, 1e300, std::numeric_limits<double>::denorm_min()});
}

TEST(Compress, ReadsColumnsAndStridedViews) {
  Workspace<Memory> workspace;
  const Kokkos::View<int**, Kokkos::LayoutRight, Memory> table("hashmill::test::table", 3000, 3);
  const auto host = Kokkos::create_mirror_view(table);
  std::vector<int> expected;
  for (int i = 0; i < 3000; ++i) expected.push_back(host(i, 1) = i % 77);
  Kokkos::deep_copy(table, host);
  const auto one = Kokkos::subview(table, Kokkos::ALL, 1);
  const Kokkos::View<int*, Memory> out("hashmill::test::out", 3000);
  decompress(Exec(), compress(Exec(), one, workspace), out);
  EXPECT_EQ(to_host(out), expected);
  decompress(Exec(), compress(Exec(), column(out), workspace, CompressionScheme::pack), out);
  EXPECT_EQ(to_host(out), expected);
}

TEST(Compress, RefusesWhatItCannotKeep) {
  Workspace<Memory> workspace;
  const Kokkos::View<std::uint64_t*, Memory> values("hashmill::test::values", 8);
  const Kokkos::View<std::uint8_t*, Memory> bits("hashmill::test::bits", 1);
  EXPECT_THROW(static_cast<void>(compress(Exec(), column(values, validity(bits, 8)), workspace)),
               InvalidArgument);
  const BooleanColumn<Memory> booleans(bits.data(), 0, 8, validity(bits, 8));
  EXPECT_THROW(static_cast<void>(compress(Exec(), booleans, workspace)), InvalidArgument);
  EXPECT_THROW(
      static_cast<void>(compress(Exec(), values, workspace, static_cast<CompressionScheme>(9))),
      InvalidArgument);
}

}  // namespace
}  // namespace hashmill::test
