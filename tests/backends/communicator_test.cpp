#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <hashmill/backends/thread_transport.hpp>
#include <hashmill/communicator.hpp>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "communicator_cases.hpp"
#include "thread_ranks.hpp"

namespace {

using namespace hashmill;
using namespace std::chrono_literals;

class ThreadRanks : public ::testing::TestWithParam<std::tuple<test::CommunicatorCase, int>> {};

TEST_P(ThreadRanks, Case) {
  const auto& [program, size] = GetParam();
  test::on_thread_ranks(size, {}, program.run);
}

INSTANTIATE_TEST_SUITE_P(Communicator, ThreadRanks,
                         ::testing::Combine(::testing::ValuesIn(test::communicator_cases),
                                            ::testing::Values(1, 2, 3, 4, 8)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param).name) + "_" +
                                  std::to_string(std::get<1>(tested.param));
                         });

TEST(SelfCommunicator, RunsAllCases) {
  for (const auto& program : test::communicator_cases) program.run(self_communicator());
}

TEST(Communicator, CountsRanksOfOneProcessAsOneNode) {
  test::on_thread_ranks(4, {}, [](const Communicator& ranks) {
    EXPECT_EQ(ranks.places().num_nodes(), 1);
    EXPECT_EQ(ranks.places().slot(3), 3);
  });
}

TEST(Communicator, TakesANumberOfRanksPerNode) {
  test::on_thread_ranks(5, {.ranks_per_node = 2}, [](const Communicator& ranks) {
    EXPECT_EQ(ranks.places().num_nodes(), 3);
    EXPECT_EQ(ranks.places().node(3), 1);
    EXPECT_EQ(ranks.places().slot(3), 1);
    EXPECT_EQ(ranks.places().node_size(2), 1);
  });
}

TEST(Communicator, RefusesNodesWithoutRanks) {
  EXPECT_THROW(static_cast<void>(self_communicator({.ranks_per_node = 0})), InvalidArgument);
}

/// The error of a rank, which must be a CommunicationError.
template <class Call>
CommunicationError error_of(const Call& call) {
  try {
    call();
  } catch (const CommunicationError& error) {
    return error;
  }
  ADD_FAILURE() << "no CommunicationError";
  return {"none", -1, "none"};
}

TEST(Communicator, NamesARankThatLeft) {
  test::on_thread_ranks(3, {}, [](const Communicator& ranks) {
    if (ranks.rank() == 1) return;
    const auto error = error_of([&] { ranks.barrier("meet"); });
    EXPECT_EQ(error.rank(), ranks.rank());
    EXPECT_EQ(error.phase(), "meet");
    // Rank 2 may see that rank 0 left, after that one saw rank 1.
    EXPECT_NE(error.failed_rank(), -1);
    EXPECT_NE(error.failed_rank(), ranks.rank());
    const auto again = error_of([&] { ranks.barrier("meet again"); });
    EXPECT_EQ(again.failed_rank(), error.failed_rank());
    EXPECT_EQ(again.phase(), "meet again");
  });
}

TEST(Communicator, NamesARankThatDoesNothing) {
  std::atomic<int> reports{0};
  test::on_thread_ranks(3, {.timeout = 200ms}, [&](const Communicator& ranks) {
    if (ranks.rank() == 1) {
      while (reports < 2) std::this_thread::yield();
      return;
    }
    const auto error = error_of([&] { ranks.barrier("meet"); });
    EXPECT_EQ(error.failed_rank(), 1);
    ++reports;
    while (reports < 2) std::this_thread::yield();
  });
}

TEST(Communicator, RefusesArraysOfDifferentLengths) {
  test::on_thread_ranks(2, {.timeout = 2s}, [](const Communicator& ranks) {
    std::vector<std::uint64_t> words(ranks.rank() == 0 ? 2 : 200);
    const auto error = error_of([&] { ranks.all_reduce(words, Reduction::sum, "add"); });
    EXPECT_EQ(error.failed_rank(), 1 - ranks.rank());
  });
}

// Whoever waits asks for both, and the other side may come in between.
TEST(ThreadTransport, TellsOfOtherLengthsWhereItIsTestedOnly) {
  const auto meeting = std::make_shared<backends::ThreadMeeting>(2);
  backends::ThreadTransport first(meeting, 0), second(meeting, 1);
  std::uint64_t words[2] = {};
  const backends::Send send{1, reinterpret_cast<const std::byte*>(words), 8};
  const backends::Receive receive{0, reinterpret_cast<std::byte*>(words + 1), 4};
  const auto sent = first.start({{&send, 1}, {}});
  const auto received = second.start({{}, {&receive, 1}});
  EXPECT_EQ(sent->pending(), std::vector<int>{1});
  EXPECT_EQ(received->pending(), std::vector<int>{0});
  EXPECT_THROW(static_cast<void>(sent->test()), backends::TransportFailure);
  EXPECT_THROW(static_cast<void>(received->test()), backends::TransportFailure);
}

TEST(Communicator, NamesRanksThatCallDifferentThings) {
  test::on_thread_ranks(3, {}, [](const Communicator& ranks) {
    std::vector<std::uint64_t> all(3);
    try {
      if (ranks.rank() == 2) {
        ranks.all_to_all(std::span<const std::uint64_t>(all), std::span(all), "meet");
      } else {
        all = ranks.all_gather(std::uint64_t{1}, "meet");
      }
      ADD_FAILURE();
    } catch (const InvalidArgument& error) {
      EXPECT_STREQ(error.what(),
                   "meet: rank 2 makes call 2, all_to_all, in step 'meet' where rank 0 makes call "
                   "2, all_gather, in step 'meet'");
    }
    test::gathers(ranks);
  });
}

TEST(Communicator, CannotBeUsedAfterAnExchangeWasGivenUp) {
  test::on_thread_ranks(2, {}, [](const Communicator& ranks) {
    static std::uint64_t words[2];
    const backends::Receive receive{1 - ranks.rank(), reinterpret_cast<std::byte*>(words), 8};
    { const StartedExchange given_up = ranks.start({{}, {&receive, 1}}, "start"); }
    EXPECT_THROW(ranks.barrier(), CommunicationError);
  });
}

TEST(Communicator, ChecksWhatARankSendsToItself) {
  std::uint64_t words[2] = {};
  const backends::Send send{0, reinterpret_cast<const std::byte*>(words), 8};
  const backends::Receive receive{0, reinterpret_cast<std::byte*>(words + 1), 4};
  EXPECT_THROW(self_communicator().exchange({{&send, 1}, {&receive, 1}}), CommunicationError);
}

}  // namespace
