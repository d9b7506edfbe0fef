#include <gtest/gtest.h>

#include <hashmill/gather.hpp>
#include <hashmill/group_by.hpp>
#include <hashmill/hash_join.hpp>
#include <hashmill/packed_column.hpp>

#include "algorithms/compression/compressed_inputs.hpp"
#include "algorithms/support/views.hpp"

namespace hashmill::test {
namespace {

/// The values of a column, read in a kernel.
template <class Column>
struct ReadValues {
  Column column;
  Kokkos::View<typename Column::value_type*, Memory> out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    out(i) = column(static_cast<std::uint64_t>(i));
  }
};

template <class Column>
std::vector<typename Column::value_type> read(const Column& column) {
  const Kokkos::View<typename Column::value_type*, Memory> out("hashmill::test::out",
                                                               column.size());
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(0, static_cast<std::int64_t>(column.size())),
                       ReadValues<Column>{column, out});
  return to_host(out);
}

TEST(PackedColumn, HasEveryValueOfEveryWidth) {
  std::vector<unsigned> widths;
  for (unsigned width = 0; width <= 64; ++width) widths.push_back(width);
  for (const unsigned width : sampled(widths)) {
    SCOPED_TRACE(width);
    for (const std::uint64_t size : {0, 1, 2, 63, 64, 65, 1000}) {
      const Numbers numbers = numbers_of_width(size, width, width == 64 ? 0 : 12345);
      const auto packed = pack_column(Exec(), to_device(numbers));
      EXPECT_EQ(packed.size(), size);
      EXPECT_EQ(read(packed.column()), numbers);
      EXPECT_LE(packed.width, width);
      EXPECT_LE(packed.bytes(), size == 0 ? 0 : 8 * ((size * width + 63) / 64 + 1));
    }
  }
}

TEST(PackedColumn, HasSignedAndNarrowValues) {
  const std::vector<std::int64_t> wide{0, -1, std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::max(), 5};
  EXPECT_EQ(read(pack_column(Exec(), to_device(wide)).column()), wide);
  const std::vector<std::int16_t> narrow{-300, -298, -299, -300};
  const auto packed = pack_column(Exec(), to_device(narrow));
  EXPECT_EQ(packed.width, 2U);
  EXPECT_EQ(read(packed.column()), narrow);
}

TEST(PackedColumn, KeepsNullsAndIsNotWidenedByWhatLiesBehindThem) {
  const auto values = to_device(std::vector<std::int32_t>{7, 1'000'000'000, 9, -5, 8});
  const auto bits = to_device(std::vector<std::uint8_t>{0b10101});
  const auto packed = pack_column(Exec(), column(values, validity(bits, 5)));
  EXPECT_EQ(packed.width, 2U);
  EXPECT_TRUE(packed.column().can_be_null());
  EXPECT_EQ(to_host(packed.valid_bits), (std::vector<std::uint8_t>{0b10101}));
  const auto found = read(packed.column());
  EXPECT_EQ(found[0], 7);
  EXPECT_EQ(found[2], 9);
  EXPECT_EQ(found[4], 8);
}

/// Joins and groups give the same with packed columns as with views.
TEST(PackedColumn, IsAKeyLikeAnyColumn) {
  const auto left = to_device(repeated_numbers(3000, 500, 1));
  const auto right = to_device(repeated_numbers(2000, 700, 2));
  const auto packed_left = pack_column(Exec(), left);
  const auto packed_right = pack_column(Exec(), right);
  const auto sorted_pairs = [](const auto& pairs) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    const auto lefts = to_host(pairs.left), rights = to_host(pairs.right);
    for (std::size_t i = 0; i < lefts.size(); ++i) all.emplace_back(lefts[i], rights[i]);
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto pairs = hash_join(Exec(), JoinKind::inner, column(left), column(right));
  const auto packed =
      hash_join(Exec(), JoinKind::inner, packed_left.column(), packed_right.column());
  EXPECT_EQ(sorted_pairs(packed), sorted_pairs(pairs));
  const Kokkos::View<std::uint64_t*, Memory> keys("hashmill::test::keys", packed.left.extent(0));
  const Kokkos::View<std::uint64_t*, Memory> same("hashmill::test::same", packed.left.extent(0));
  gather(Exec(), packed_left.column(), packed.left, keys);
  gather(Exec(), right, packed.right, same);
  EXPECT_EQ(to_host(keys), to_host(same));
}

}  // namespace
}  // namespace hashmill::test
