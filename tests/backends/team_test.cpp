#include <gtest/gtest.h>

#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/backends/team_copy.hpp>
#include <hashmill/backends/team_scan.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/backends/warp_peers.hpp>

#include "algorithms/support/views.hpp"

namespace hashmill::test {
namespace {

constexpr std::uint32_t counters = 64;
constexpr std::uint32_t rounds = 100;

/// Every thread of a team adds to every counter; what the fetches returned is summed up.
struct Count {
  using Member = Kokkos::TeamPolicy<Exec>::member_type;
  Kokkos::View<std::uint32_t*, Memory> totals;
  Kokkos::View<std::uint64_t*, Memory> fetched;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto* scratch = static_cast<std::uint32_t*>(
        team.team_shmem().get_shmem_aligned(counters * sizeof(std::uint32_t), 16));
    for (std::uint32_t c = team.team_rank(); c < counters; c += team.team_size()) scratch[c] = 0;
    team.team_barrier();
    std::uint64_t sum = 0;
    HASHMILL_UNROLL(4)
    for (std::uint32_t r = 0; r < rounds; ++r) {
      sum += backends::team_fetch_add<Exec>(&scratch[r % counters], std::uint32_t{1});
    }
    Kokkos::atomic_add(&fetched(team.league_rank()), sum);
    team.team_barrier();
    for (std::uint32_t c = team.team_rank(); c < counters; c += team.team_size()) {
      totals(team.league_rank() * counters + c) = scratch[c];
    }
  }
};

TEST(Team, FetchAddLosesNothing) {
  constexpr int teams = 10;
  const Exec exec;
  const int threads = backends::team_threads<Exec>;
  const Kokkos::View<std::uint32_t*, Memory> totals("hashmill::test::totals", teams * counters);
  const Kokkos::View<std::uint64_t*, Memory> fetched("hashmill::test::fetched", teams);
  backends::RegisterBoundTeamPolicy<Exec> policy(exec, teams, threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(counters * 4 + 16)));
  Kokkos::parallel_for("hashmill::test::count", policy, Count{totals, fetched});
  exec.fence("hashmill::test");
  std::uint64_t expected_fetched = 0;
  for (std::uint32_t c = 0; c < counters; ++c) {
    const std::uint64_t total = threads * (rounds / counters + (c < rounds % counters ? 1 : 0));
    expected_fetched += total * (total - 1) / 2;
    for (int t = 0; t < teams; ++t) ASSERT_EQ(to_host(totals)[t * counters + c], total);
  }
  for (const std::uint64_t sum : to_host(fetched)) EXPECT_EQ(sum, expected_fetched);
}

/// A team copies words to scratch and back, after as many words of ones.
struct CopyThroughScratch {
  using Member = Kokkos::TeamPolicy<Exec>::member_type;
  Kokkos::View<std::uint64_t*, Memory> from, to;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::size_t bytes = from.extent(0) * sizeof(std::uint64_t);
    auto* const scratch =
        static_cast<std::uint64_t*>(team.team_shmem().get_shmem_aligned(2 * bytes, 16));
    backends::team_set_bits<Exec>(team, scratch, bytes);
    backends::team_copy<Exec>(team, scratch + from.extent(0), from.data(), bytes);
    team.team_barrier();
    backends::team_copy<Exec>(team, to.data(), scratch, 2 * bytes);
  }
};

TEST(Team, CopiesPiecesOfAnyNumber) {
  for (const std::uint64_t pieces : {1, 7, 255, 256, 257, 700, 1000}) {
    std::vector<std::uint64_t> words(2 * pieces);
    for (std::uint64_t i = 0; i < words.size(); ++i) words[i] = i * i;
    const Kokkos::View<std::uint64_t*, Memory> to("hashmill::test::to", 2 * words.size());
    const Exec exec;
    Kokkos::TeamPolicy<Exec> policy(exec, 1, backends::team_threads<Exec>);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(32 * pieces + 64)));
    Kokkos::parallel_for("hashmill::test::copy", policy, CopyThroughScratch{to_device(words), to});
    exec.fence("hashmill::test");
    std::vector<std::uint64_t> expected(words.size(), ~std::uint64_t{0});
    expected.insert(expected.end(), words.begin(), words.end());
    ASSERT_EQ(to_host(to), expected) << pieces << " pieces";
  }
}

/// Every thread's sum over the threads before it, twice in a kernel.
struct Scan {
  using Member = Kokkos::TeamPolicy<Exec>::member_type;
  Kokkos::View<std::uint32_t*, Memory> sums;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const backends::TeamScan<Exec, Member> scan(team);
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const std::uint32_t first = scan.exclusive_sum(rank + 1);
    team.team_barrier();
    const std::uint32_t second = scan.exclusive_sum(1000);
    sums(team.league_rank() * team.team_size() + rank) = first + second;
  }
};

TEST(Team, ScanSumsTheThreadsBefore) {
  constexpr int teams = 7;
  const Exec exec;
  const int threads = backends::team_threads<Exec>;
  const Kokkos::View<std::uint32_t*, Memory> sums("hashmill::test::sums", teams * threads);
  Kokkos::TeamPolicy<Exec> policy(exec, teams, threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(backends::team_scan_bytes)));
  Kokkos::parallel_for("hashmill::test::scan", policy, Scan{sums});
  exec.fence("hashmill::test");
  const auto found = to_host(sums);
  for (int t = 0; t < teams; ++t) {
    for (int r = 0; r < threads; ++r) {
      const auto before = static_cast<std::uint32_t>(r);
      ASSERT_EQ(found[t * threads + r], before * (before + 1) / 2 + 1000 * before);
    }
  }
}

constexpr unsigned digit_bits = 3;
/// The digits of a team's threads are all alike, nearly all different or mixed. Some threads have
/// none.
KOKKOS_FUNCTION std::uint32_t digit_of(std::uint32_t team, std::uint32_t thread) {
  return (team == 0 ? 5 : team == 1 ? thread : thread * thread / 7) % (1U << digit_bits);
}
KOKKOS_FUNCTION bool has_digit(std::uint32_t team, std::uint32_t thread) {
  return team % 2 == 0 || thread % 5 != 0;
}

/// What each thread learns of its peers.
struct FindPeers {
  using Member = Kokkos::TeamPolicy<Exec>::member_type;
  Kokkos::View<backends::Peers*, Memory> peers;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto t = static_cast<std::uint32_t>(team.league_rank());
    const auto thread = static_cast<std::uint32_t>(team.team_rank());
    const backends::WarpPeers<Exec> warp(thread);
    const auto place = t * static_cast<std::uint32_t>(team.team_size()) + thread;
    const std::uint32_t digit = digit_of(t, thread);
    peers(place) = warp.peers(digit, digit_bits, has_digit(t, thread));
  }
};

TEST(Team, WarpsFindThePeersOfEachLane) {
  constexpr std::uint32_t teams = 4, lanes = backends::WarpPeers<Exec>::lanes;
  constexpr std::uint32_t threads = backends::team_threads<Exec>;
  const Exec exec;
  const Kokkos::View<backends::Peers*, Memory> peers("hashmill::test::peers", teams * threads);
  Kokkos::parallel_for("hashmill::test::find_peers",
                       Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(teams), threads),
                       FindPeers{peers});
  exec.fence("hashmill::test");
  const auto found = to_host(peers);
  for (std::uint32_t i = 0; i < teams * threads; ++i) {
    const std::uint32_t team = i / threads, thread = i % threads, first = thread - thread % lanes;
    std::uint32_t before = 0, count = 0;
    for (std::uint32_t other = first; other < first + lanes; ++other) {
      if (!has_digit(team, other)) continue;
      const bool same = digit_of(team, other) == digit_of(team, thread);
      before += same && other < thread ? 1 : 0;
      count += same ? 1 : 0;
    }
    ASSERT_EQ(found[i].first, has_digit(team, thread) && before == 0) << i;
    if (!has_digit(team, thread)) continue;
    ASSERT_EQ(found[i].before, before) << i;
    ASSERT_EQ(found[i].count, count) << i;
  }
}

}  // namespace
}  // namespace hashmill::test
