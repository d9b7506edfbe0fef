#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/csr.hpp>

#include "device_values.hpp"

namespace hashmill {
namespace {

using Memory = Kokkos::DefaultExecutionSpace::memory_space;

TEST(CsrRows, DefaultIsEmpty) {
  const CsrRows<std::uint32_t, Memory> csr;
  EXPECT_EQ(csr.num_queries(), 0U);
  EXPECT_EQ(csr.size(), 0U);
}

TEST(CsrRows, SizesComeFromItsViews) {
  CsrRows<std::uint64_t, Memory> csr;
  csr.offsets = Kokkos::View<std::uint64_t*, Memory>("hashmill::test::offsets", 1);
  EXPECT_EQ(csr.num_queries(), 0U);
  csr.offsets = Kokkos::View<std::uint64_t*, Memory>("hashmill::test::offsets", 4);
  csr.rows = Kokkos::View<std::uint64_t*, Memory>("hashmill::test::rows", 7);
  EXPECT_EQ(csr.num_queries(), 3U);
  EXPECT_EQ(csr.size(), 7U);
}

struct SizesOnDevice {
  CsrRows<std::uint32_t, Memory> csr;
  RowPairs<std::uint32_t, std::uint64_t, Memory> pairs;
  KOKKOS_FUNCTION std::uint64_t operator()(int) const {
    return csr.num_queries() * 10000 + csr.size() * 100 + pairs.size();
  }
};

TEST(CsrRows, IsUsableInKernels) {
  SizesOnDevice function;
  function.csr.offsets = Kokkos::View<std::uint64_t*, Memory>("hashmill::test::offsets", 3);
  function.csr.rows = Kokkos::View<std::uint32_t*, Memory>("hashmill::test::rows", 5);
  function.pairs.left = Kokkos::View<std::uint32_t*, Memory>("hashmill::test::left", 9);
  function.pairs.right = Kokkos::View<std::uint64_t*, Memory>("hashmill::test::right", 9);
  EXPECT_EQ(test::device_values<std::uint64_t>(std::vector<int>{0}, function),
            std::vector<std::uint64_t>{20509});
}

TEST(RowPairs, DefaultIsEmpty) {
  const RowPairs<std::uint32_t, std::uint64_t, Memory> pairs;
  EXPECT_EQ(pairs.size(), 0U);
}

}  // namespace
}  // namespace hashmill
