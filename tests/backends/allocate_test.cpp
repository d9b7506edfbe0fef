#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/backends/allocate.hpp>

#include "algorithms/support/kokkos_recorder.hpp"
#include "algorithms/support/views.hpp"

#if defined(__SANITIZE_ADDRESS__)
/// Impossible allocations are to fail as they do without the sanitizer.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#endif

namespace hashmill::test {
namespace {

using Words = Kokkos::View<std::uint64_t*, Memory>;

CapacityError error_of(std::uint64_t count) {
  try {
    const auto view = backends::allocate<Words>(Exec(), "hashmill::test::huge", count);
    return {"allocated " + std::to_string(view.extent(0)), 0, 0};
  } catch (const CapacityError& error) {
    return error;
  }
}

TEST(Allocate, GivesALabelledViewWithoutTouchingIt) {
  const KokkosRecorder recorder;
  const auto view = backends::allocate<Words>(Exec(), "hashmill::words", 1000);
  EXPECT_EQ(view.extent(0), 1000U);
  EXPECT_EQ(view.label(), "hashmill::words");
  EXPECT_EQ(recorder.count(KokkosEvent::Kind::kernel), 0U);
  EXPECT_EQ(recorder.count(KokkosEvent::Kind::copy), 0U);
  EXPECT_EQ(recorder.peak_bytes(), 8000U);
}

TEST(Allocate, GivesEmptyViews) {
  EXPECT_EQ(backends::allocate<Words>(Exec(), "hashmill::test::none", 0).extent(0), 0U);
}

TEST(Allocate, ZeroedViewsHoldZeros) {
  for (const std::uint64_t count : {0, 1, 257, 100'000}) {
    const auto view = backends::allocate_zeroed<Words>(Exec(), "hashmill::test::zeros", count);
    Exec().fence("hashmill::test");
    EXPECT_EQ(to_host(view), std::vector<std::uint64_t>(count, 0));
  }
}

TEST(Allocate, ShortMemoryIsNamedInBytes) {
  const std::uint64_t count = std::uint64_t{1} << 50;
  const CapacityError error = error_of(count);
  const std::string message = error.what();
  EXPECT_EQ(error.needed(), count * 8);
  EXPECT_GT(error.available(), 0U);
  EXPECT_NE(message.find("hashmill::test::huge"), std::string::npos) << message;
  EXPECT_NE(message.find(std::to_string(count * 8) + " bytes needed"), std::string::npos)
      << message;
  EXPECT_NE(message.find(std::to_string(error.available()) + " bytes free"), std::string::npos)
      << message;
}

TEST(Allocate, SizesAtTheEndOf64BitsAreRefused) {
  const std::uint64_t most = std::uint64_t{1} << 61;  // words of 8 bytes
  for (const std::uint64_t count :
       {most - 1, most - 2, most - 16, most - 17, most - 1024, most, most + 1, ~std::uint64_t{0}}) {
    const CapacityError error = error_of(count);
    EXPECT_GT(error.needed(), 0U) << count << ": " << error.what();
  }
}

#ifdef __linux__
/// Asks for huge pages in the middle of memory that is in use, and returns how many bytes its whole
/// pages still hold.
std::int64_t kept_in_pages(std::uint64_t middle_bytes) {
  constexpr std::uint64_t edge = 12345;
  std::vector<char> memory(middle_bytes + 2 * edge, 1);
  char* const middle = memory.data() + edge;
  backends::advise_huge_pages<Kokkos::HostSpace>(middle, middle_bytes);
  const auto pages = backends::whole_pages(middle, middle_bytes, backends::huge_page_bytes);
  const char* const begin = static_cast<const char*>(pages.data);
  const std::int64_t kept = std::count(begin, begin + pages.bytes, 1);
  const auto beside = static_cast<std::int64_t>(memory.size() - pages.bytes);
  EXPECT_EQ(std::ranges::count(memory, 1) - kept, beside) << "bytes beside the pages are lost";
  return kept;
}

TEST(AdviseHugePages, GivesBackWhatLongArraysWereUsedForBefore) {
  EXPECT_EQ(kept_in_pages(backends::newly_mapped_bytes), 0);
}

TEST(AdviseHugePages, LeavesShortArraysAsTheyAre) {
  EXPECT_GT(kept_in_pages(backends::newly_mapped_bytes - 1), 0);
}
#endif

TEST(Allocate, ReadsAndWritesMemoryThatWasUsedBefore) {
  const std::uint64_t count = backends::newly_mapped_bytes / 4;
  for (int round = 0; round < 3; ++round) {
    const auto view = backends::allocate<Words>(Exec(), "hashmill::test::again", count);
    Kokkos::deep_copy(view, std::uint64_t{7});
    const auto sevens = to_host(view);
    EXPECT_EQ(std::ranges::count(sevens, std::uint64_t{7}), static_cast<std::int64_t>(count));
  }
}

}  // namespace
}  // namespace hashmill::test
