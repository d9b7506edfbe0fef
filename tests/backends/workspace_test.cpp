#include <gtest/gtest.h>

#include <hashmill/backends/workspace.hpp>

#include "algorithms/support/kokkos_recorder.hpp"
#include "algorithms/support/views.hpp"

namespace hashmill::test {
namespace {

using Space = Workspace<Memory>;

/// Bytes of memory, as numbers.
struct Extent {
  std::uintptr_t first, end;
};

/// The bytes of `a`.
template <class Array>
Extent extent_of(const Array& a) {
  const auto begin = reinterpret_cast<std::uintptr_t>(a.data());
  return {begin, begin + a.extent(0) * sizeof(typename Array::value_type)};
}

template <class A, class B>
bool overlap(const A& a, const B& b) {
  const auto [a_begin, a_end] = extent_of(a);
  const auto [b_begin, b_end] = extent_of(b);
  return a_begin < b_end && b_begin < a_end;
}

TEST(Workspace, StartsWithoutMemory) {
  const Space workspace;
  EXPECT_EQ(workspace.bytes(), 0U);
  EXPECT_EQ(workspace.peak_bytes(), 0U);
}

TEST(Workspace, ArraysAreAlignedAndApart) {
  Space workspace;
  const Space::Frame frame(workspace);
  const auto a = workspace.take<std::uint8_t>(Exec(), 3);
  const auto b = workspace.take<std::uint64_t>(Exec(), 1000);
  const auto none = workspace.take<std::uint64_t>(Exec(), 0);
  const auto c = workspace.take<std::uint32_t>(Exec(), 1);
  EXPECT_EQ(a.extent(0), 3U);
  EXPECT_EQ(b.extent(0), 1000U);
  EXPECT_EQ(none.extent(0), 0U);
  for (const auto start : {extent_of(a).first, extent_of(b).first, extent_of(c).first}) {
    EXPECT_EQ(start % 64, 0U);
  }
  EXPECT_FALSE(overlap(a, b) || overlap(b, c) || overlap(a, c));
}

TEST(Workspace, NestedFramesGiveBackOnlyTheirOwn) {
  Space workspace;
  const Space::Frame outer(workspace);
  const auto kept = workspace.take<std::uint32_t>(Exec(), 100);
  const std::uint32_t* first = nullptr;
  for (int round = 0; round < 3; ++round) {
    const Space::Frame inner(workspace);
    const auto a = workspace.take<std::uint32_t>(Exec(), 5000);
    EXPECT_FALSE(overlap(kept, a));
    if (round == 0) first = a.data();
    EXPECT_EQ(a.data(), first);
  }
  const auto later = workspace.take<std::uint32_t>(Exec(), 10);
  EXPECT_FALSE(overlap(kept, later));
}

TEST(Workspace, RepeatedFramesAllocateOnce) {
  Space workspace;
  std::uint64_t bytes = 0;
  for (int call = 0; call < 5; ++call) {
    const KokkosRecorder recorder;
    {
      const Space::Frame frame(workspace);
      const auto a = workspace.take<std::uint64_t>(Exec(), 1000);
      const auto b = workspace.take<std::uint64_t>(Exec(), 3000);
      const auto c = workspace.take<std::uint8_t>(Exec(), 77);
      EXPECT_FALSE(overlap(a, b) || overlap(b, c) || overlap(a, c));
    }
    if (call == 0) bytes = workspace.bytes();
    EXPECT_EQ(workspace.bytes(), bytes);
    if (call > 1) {
      EXPECT_EQ(recorder.count(KokkosEvent::Kind::allocation), 0U);
    }
  }
  EXPECT_GE(bytes, 32'077U);
  EXPECT_LE(bytes, 32'077U + 3 * 256U);
  EXPECT_GE(workspace.peak_bytes(), 32'077U);
  EXPECT_LE(workspace.peak_bytes(), bytes);
}

TEST(Workspace, GrowsForALargerCall) {
  Space workspace;
  for (const std::uint64_t count : {10, 1000, 100'000, 50}) {
    const Space::Frame frame(workspace);
    const auto a = workspace.take<std::uint64_t>(Exec(), count);
    const auto b = workspace.take<std::uint64_t>(Exec(), count);
    EXPECT_FALSE(overlap(a, b));
    Kokkos::deep_copy(Exec(), a, 1U);
    Kokkos::deep_copy(Exec(), b, 2U);
    EXPECT_EQ(to_host(a).back(), 1U);
    EXPECT_EQ(to_host(b).front(), 2U);
    EXPECT_GE(workspace.bytes(), 16 * count);
  }
}

TEST(Workspace, MovesWithItsMemory) {
  Space first;
  {
    const Space::Frame frame(first);
    const auto a = first.take<std::uint64_t>(Exec(), 1000);
    EXPECT_EQ(a.extent(0), 1000U);
  }
  const std::uint64_t bytes = first.bytes();
  Space second(std::move(first));
  EXPECT_EQ(second.bytes(), bytes);
  const Space::Frame frame(second);
  const auto a = second.take<std::uint64_t>(Exec(), 1000);
  EXPECT_EQ(a.extent(0), 1000U);
  EXPECT_EQ(second.bytes(), bytes);
}

TEST(Workspace, LeavesItsMemoryToThoseWhoHoldIt) {
  Space workspace;
  std::shared_ptr<const void> held;
  std::uint64_t* written = nullptr;
  {
    const Space::Frame frame(workspace);
    const auto a = workspace.take<std::uint64_t>(Exec(), 1000);
    written = a.data();
    held = workspace.hold();
    workspace.give_up();
    EXPECT_EQ(workspace.bytes(), 0U);
  }
  const Space::Frame frame(workspace);
  const auto b = workspace.take<std::uint64_t>(Exec(), 1000);
  EXPECT_NE(b.data(), written);
  Kokkos::deep_copy(Kokkos::View<std::uint64_t*, Memory>(written, 1000), 7);  // still there
}

TEST(Workspace, RefusesSizesBeyond64Bits) {
  Space workspace;
  const Space::Frame frame(workspace);
  EXPECT_THROW((void)workspace.take<std::uint64_t>(Exec(), std::uint64_t{1} << 61), CapacityError);
  EXPECT_THROW((void)workspace.take<std::uint64_t>(Exec(), (std::uint64_t{1} << 61) - 1),
               CapacityError);
  EXPECT_THROW((void)workspace.take<std::uint64_t>(Exec(), (std::uint64_t{1} << 61) - 64),
               CapacityError);
  EXPECT_THROW((void)workspace.take<std::uint64_t>(Exec(), std::uint64_t{1} << 50), CapacityError);
  const auto usable = workspace.take<std::uint64_t>(Exec(), 10);
  EXPECT_EQ(usable.extent(0), 10U);
}

}  // namespace
}  // namespace hashmill::test
