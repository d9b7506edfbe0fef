#include <gtest/gtest.h>

#include <chrono>
#include <hashmill/backends/throttled_transport.hpp>
#include <hashmill/communicator.hpp>
#include <limits>
#include <string>
#include <vector>

#include "communicator_cases.hpp"
#include "thread_ranks.hpp"

namespace {

using namespace hashmill;
using namespace std::chrono_literals;
using backends::LinkSpeed;
using backends::ThrottledTransport;
using Clock = std::chrono::steady_clock;

/// Runs a program on thread ranks behind a link each.
template <class Program>
void on_linked_ranks(int size, const LinkSpeed& speed, const Program& program) {
  const auto throttled = [&](std::unique_ptr<backends::Transport> transport) {
    return std::make_unique<ThrottledTransport>(std::move(transport), speed);
  };
  test::on_thread_ranks(size, {}, throttled, program);
}

class ThrottledRanks : public ::testing::TestWithParam<test::CommunicatorCase> {};

TEST_P(ThrottledRanks, Case) {
  for (const int size : {1, 2, 3}) on_linked_ranks(size, {10e9, 2us}, GetParam().run);
}

INSTANTIATE_TEST_SUITE_P(Communicator, ThrottledRanks,
                         ::testing::ValuesIn(test::communicator_cases),
                         [](const auto& tested) { return std::string(tested.param.name); });

constexpr std::uint64_t piece_bytes = 100'000;

/// An exchange of one piece with each of some ranks.
class Pieces {
 public:
  Pieces(const std::vector<int>& to, const std::vector<int>& from)
      : out_(piece_bytes), in_(piece_bytes * from.size()) {
    for (const int rank : to) sends_.push_back({rank, out_.data(), piece_bytes});
    for (const int rank : from) {
      receives_.push_back({rank, in_.data() + piece_bytes * receives_.size(), piece_bytes});
    }
  }
  backends::Exchange exchange() const { return {sends_, receives_}; }

 private:
  std::vector<std::byte> out_, in_;
  std::vector<backends::Send> sends_;
  std::vector<backends::Receive> receives_;
};

TEST(ThrottledTransport, TakesTheTimeOfTheBytesAndTheLatency) {
  on_linked_ranks(2, {10e6, 5ms}, [](const Communicator& ranks) {
    const Pieces pieces({1 - ranks.rank()}, {1 - ranks.rank()});
    const auto began = Clock::now();
    ranks.exchange(pieces.exchange());
    EXPECT_GE(Clock::now() - began, 15ms);
  });
}

TEST(ThrottledTransport, LetsPiecesPassOneAfterAnother) {
  on_linked_ranks(3, {10e6}, [](const Communicator& ranks) {
    const int me = ranks.rank();
    const Pieces pieces(me == 0 ? std::vector<int>{} : std::vector<int>{0},
                        me == 0 ? std::vector<int>{1, 2} : std::vector<int>{});
    const auto began = Clock::now();
    ranks.exchange(pieces.exchange());
    EXPECT_GE(Clock::now() - began, me == 0 ? 20ms : 10ms);
  });
}

TEST(ThrottledTransport, LetsExchangesPassOneAfterAnother) {
  on_linked_ranks(2, {10e6}, [](const Communicator& ranks) {
    const int other = 1 - ranks.rank();
    const Pieces first({other}, {other}), second({other}, {other});
    const auto began = Clock::now();
    StartedExchange started = ranks.start(first.exchange());
    ranks.exchange(second.exchange());
    EXPECT_GE(Clock::now() - began, 20ms);
    started.finish();
  });
}

TEST(ThrottledTransport, BringsWhatARankSentBeforeItLeft) {
  on_linked_ranks(3, {2e6}, [](const Communicator& ranks) {
    const int me = ranks.rank();
    const Pieces pieces(me == 0 ? std::vector<int>{} : std::vector<int>{0},
                        me == 0 ? std::vector<int>{1, 2} : std::vector<int>{});
    ranks.exchange(pieces.exchange());  // the senders leave 50 ms before the end
  });
}

TEST(ThrottledTransport, CanBeGivenUp) {
  on_linked_ranks(2, {10e6, 1ms}, [](const Communicator& ranks) {
    const Pieces pieces({}, {1 - ranks.rank()});
    { const StartedExchange given_up = ranks.start(pieces.exchange()); }
    EXPECT_THROW(ranks.barrier(), CommunicationError);
  });
}

TEST(ThrottledTransport, RefusesLinksThatCannotBe) {
  const auto make = [](const LinkSpeed& speed) {
    return ThrottledTransport(std::make_unique<backends::SelfTransport>(), speed);
  };
  constexpr double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THROW(make({0}), InvalidArgument);
  EXPECT_THROW(make({-1}), InvalidArgument);
  EXPECT_THROW(make({infinite}), InvalidArgument);
  EXPECT_THROW(make({1e9, -1ms}), InvalidArgument);
  EXPECT_THROW(make({1e9, std::chrono::duration<double>(infinite)}), InvalidArgument);
}

}  // namespace
