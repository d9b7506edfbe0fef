#include <gtest/gtest.h>

#include <hashmill/backends/big_teams.hpp>
#include <thread>
#include <vector>

#include "algorithms/support/views.hpp"

namespace hashmill::test {

using BigTeams = backends::BigTeams<Exec, 512, 2>;

/// Each team turns its numbers round in scratch. The numbers of a team are those of its threads and
/// so on, up to `each`.
struct TurnRound {
  std::uint32_t each;
  Kokkos::View<std::uint32_t*, Memory> numbers;

  KOKKOS_FUNCTION void operator()(const BigTeams::Member& team) const {
    auto* const scratch = static_cast<std::uint32_t*>(
        team.team_shmem().get_shmem_aligned(each * sizeof(std::uint32_t), 16));
    const std::uint64_t first = std::uint64_t{each} * static_cast<unsigned>(team.league_rank());
    for (std::uint32_t i = team.team_rank(); i < each; i += team.team_size()) {
      scratch[i] = numbers(first + i);
    }
    team.team_barrier();
    for (std::uint32_t i = team.team_rank(); i < each; i += team.team_size()) {
      numbers(first + i) = scratch[each - 1 - i];
    }
  }
};

namespace {

/// Turns round the numbers of some teams, with scratch for `each` numbers.
std::vector<std::uint32_t> turned_round(const Exec& exec, int teams, std::uint32_t each) {
  std::vector<std::uint32_t> numbers(teams * std::size_t{each});
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
  const auto view = to_device(numbers);
  BigTeams::launch("hashmill::test::turn_round", exec, teams, each * sizeof(std::uint32_t) + 16,
                   TurnRound{each, view});
  exec.fence("hashmill::test");
  return to_host(view);
}

void expect_turned_round(const std::vector<std::uint32_t>& found, std::uint32_t each) {
  for (std::uint32_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i], i / each * each + each - 1 - i % each) << i;
  }
}

TEST(BigTeams, HaveAllOfTheirScratch) {
  const Exec exec;
  const auto most = static_cast<std::uint32_t>(BigTeams::scratch_limit(exec) / 4 - 4);
  EXPECT_GE(most, 1000U);
  for (const std::uint32_t each : {1U, 513U, most}) {
    ASSERT_NO_FATAL_FAILURE(expect_turned_round(turned_round(exec, 5, each), each));
  }
  ASSERT_TRUE(turned_round(exec, 0, 8).empty());
  EXPECT_GE(BigTeams::concurrent(exec), 1U);
}

// To ask for an event that is not reached leaves an error behind, which is no error of a launch.
TEST(BigTeams, RunBehindAnEventThatIsNotReached) {
  constexpr std::uint32_t each = 1000;
  const Exec exec;
  const Kokkos::View<std::uint32_t*, Memory> numbers("hashmill::test::numbers", 10'000 * each);
  backends::Event<Exec> event;
  for (int i = 0; i < 10; ++i) {
    BigTeams::launch("hashmill::test::turn_round", exec, 10'000, each * 4 + 16,
                     TurnRound{each, numbers});
    event.record(exec);
    static_cast<void>(event.reached());
    ASSERT_NO_THROW(BigTeams::launch("hashmill::test::turn_round", exec, 1, each * 4 + 16,
                                     TurnRound{each, numbers}));
  }
  exec.fence("hashmill::test");
}

// A kernel has one limit of scratch, whoever launches it.
TEST(BigTeams, OfSeveralThreadsMayHaveDifferentScratch) {
  const auto most = static_cast<std::uint32_t>(BigTeams::scratch_limit(Exec()) / 4 - 4);
  std::vector<std::vector<std::uint32_t>> found(4);
  const auto each = [&](std::size_t t) { return most / static_cast<std::uint32_t>(t + 1); };
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < found.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) found[t] = turned_round(Exec(), 3, each(t));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < found.size(); ++t) {
    ASSERT_NO_FATAL_FAILURE(expect_turned_round(found[t], each(t)));
  }
}

}  // namespace
}  // namespace hashmill::test
