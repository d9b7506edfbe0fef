#include <gtest/gtest.h>

#include <hashmill/hashmill.hpp>
#include <vector>

namespace hashmill::test {
namespace {

using Host = Kokkos::HostSpace;

/// Codes of nulls are read nowhere: these lie far outside.
TEST(NullCodes, AreReadNowhere) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  const Kokkos::View<std::int64_t*, Host> codes("codes", 4);
  codes(0) = 1, codes(1) = std::int64_t{1} << 60, codes(2) = 0, codes(3) = -5;
  const Kokkos::View<std::uint8_t*, Host> bits("bits", 1);
  bits(0) = 0b0101;
  const Kokkos::View<double*, Host> values("values", 2);
  values(0) = 2.5, values(1) = 7.5;
  const auto dictionary = dictionary_column(column(codes, validity(bits, 4)), column(values));
  const Kokkos::View<std::uint32_t*, Host> rows("rows", 5);
  for (std::uint32_t i = 0; i < 4; ++i) rows(i) = 3 - i;
  rows(4) = no_row<std::uint32_t>;
  const Kokkos::View<double*, Host> out("out", 5);
  gather(Exec(), dictionary, rows, out, -1.0);
  const std::vector<double> expected = {-1, 2.5, -1, 7.5, -1};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(out(i), expected[i]);
  EXPECT_EQ(dictionary(1), 0.0);
  RowContainer<Host, double> container;
  container.append(Exec(), dictionary);
  container.extract<0>(Exec(), container.all_rows(), Kokkos::subview(out, std::pair(0, 4)));
  EXPECT_EQ(out(0), 7.5);
  EXPECT_EQ(out(1), 0.0);
  const auto groups = group_by(Exec(), columns(dictionary), agg::sum(dictionary), agg::count());
  EXPECT_EQ(groups.size(), 3U);
}

}  // namespace
}  // namespace hashmill::test
