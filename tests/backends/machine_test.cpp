#include <gtest/gtest.h>

#include <cstdint>
#include <hashmill/backends/caches.hpp>
#include <hashmill/backends/execution.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/memory_cache.hpp>
#include <hashmill/backends/streaming.hpp>

#include "algorithms/support/views.hpp"

namespace hashmill::test {
namespace {

TEST(Machine, MemoryHasFreeBytes) {
  const auto host = backends::host_memory();
  EXPECT_GT(host.free, std::uint64_t{1} << 20);
  EXPECT_LE(host.free, host.total);
  const auto device = backends::memory_of<Memory>();
  EXPECT_GT(device.free, std::uint64_t{1} << 20);
  EXPECT_LE(device.free, device.total);
  EXPECT_GT(backends::free_bytes<Memory>(), std::uint64_t{1} << 20);
}

TEST(Machine, CachesGrowOutwards) {
  EXPECT_GE(backends::private_cache_bytes(), std::size_t{16} << 10);
  EXPECT_GE(backends::last_level_cache_bytes(), backends::private_cache_bytes());
}

TEST(Machine, TeamsFitTheirLimits) {
  const auto shape = backends::team_shape<Exec>();
  EXPECT_EQ(shape.threads, backends::team_threads<Exec>);
  EXPECT_EQ(backends::has_wide_teams<Exec>, shape.threads > 1);
  EXPECT_GE(shape.scratch_bytes, std::size_t{8} << 10);
  EXPECT_LE(shape.scratch_bytes,
            static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0)));
  EXPECT_FALSE(backends::has_wide_teams<Kokkos::DefaultHostExecutionSpace>);
}

struct AddOne {
  Kokkos::View<std::uint32_t*, Memory> visits;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { Kokkos::atomic_inc(&visits(i)); }
};

TEST(Machine, RangesVisitEveryIndexOnce) {
  for (const std::uint64_t count : {0, 1, 255, 256, 257, 10'001}) {
    const Kokkos::View<std::uint32_t*, Memory> visits("hashmill::test::visits", count);
    const Exec exec;
    Kokkos::parallel_for("hashmill::test", backends::range(exec, count), AddOne{visits});
    Kokkos::parallel_for("hashmill::test", backends::uneven_range(exec, count), AddOne{visits});
    exec.fence("hashmill::test");
    EXPECT_EQ(to_host(visits), std::vector<std::uint32_t>(count, 2));
  }
}

TEST(Machine, RangesReachBeyond32Bits) {
  const auto policy = backends::range(Exec(), std::uint64_t{5} << 32);
  EXPECT_EQ(static_cast<std::uint64_t>(policy.end()), std::uint64_t{5} << 32);
  EXPECT_EQ(policy.begin(), 0);
}

struct alignas(backends::cache_line_bytes) Line {
  unsigned char bytes[backends::cache_line_bytes];
};

TEST(Machine, StreamedLinesArriveWhole) {
  std::vector<Line> from(100), to(100);
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (std::size_t j = 0; j < sizeof(Line); ++j) {
      from[i].bytes[j] = static_cast<unsigned char>(i * 7 + j);
    }
  }
  for (std::size_t i = 1; i + 1 < from.size(); ++i) backends::stream_line(&to[i], &from[i]);
  backends::streaming_fence();
  backends::prefetch(from.data());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool written = i > 0 && i + 1 < from.size();
    for (std::size_t j = 0; j < sizeof(Line); ++j) {
      ASSERT_EQ(to[i].bytes[j], written ? from[i].bytes[j] : 0);
    }
  }
}

}  // namespace
}  // namespace hashmill::test
