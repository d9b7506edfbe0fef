#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "algorithms/support/inputs.hpp"
#include "faults/fault_cases.hpp"
#include "faults/faulty_transport.hpp"
#include "thread_ranks.hpp"

// The connection of one rank breaks, at one operation after the other. Nobody hangs: all ranks
// throw, in the call or in the next one, and name that rank.

namespace {

using namespace hashmill;
using namespace std::chrono_literals;

/// A rank of a call in which rank `failing` breaks.
class BreakingTrial final : public test::Trial {
 public:
  BreakingTrial(const Communicator& ranks, int failing, test::Fault* fault)
      : ranks_(ranks), failing_(failing), fault_(fault) {}

 private:
  bool attempt(const std::function<void()>& call) override {
    if (fault_ != nullptr) fault_->counts = true;
    const bool done = succeeds(call);
    if (fault_ != nullptr) fault_->counts = false;
    return done;
  }
  [[nodiscard]] bool can_go_on() const override { return false; }
  bool succeeds(const std::function<void()>& call) {
    try {
      call();
      return true;
    } catch (const CommunicationError& error) {
      EXPECT_EQ(error.rank(), ranks_.rank());
      EXPECT_NE(error.phase(), "");
      EXPECT_NE(std::string(error.what()).find(error.phase()), std::string::npos);
      if (ranks_.rank() == failing_) return false;
      EXPECT_EQ(error.failed_rank(), failing_) << error.what();
      return false;
    }
  }

  const Communicator& ranks_;
  int failing_;
  test::Fault* fault_;  // of the rank that breaks
};

/// Runs a case on `size` ranks, of which `failing` has a fault. Returns whether it happened.
bool run_with(const test::FaultCase& tested, int size, int failing, test::Fault& fault,
              std::chrono::milliseconds timeout) {
  std::atomic<int> left{size - 1};
  const auto wait_and_fail = [&] {
    while (left > 0) std::this_thread::sleep_for(1ms);
    throw backends::TransportFailure(-1, "it went on too late");
  };
  if (!fault.act) fault.act = wait_and_fail;
  test::on_thread_ranks(
      size, {.timeout = timeout},
      [&](std::unique_ptr<backends::ThreadTransport> transport)
          -> std::unique_ptr<backends::Transport> {
        if (transport->rank() != failing) return transport;
        return std::make_unique<test::FaultyTransport>(std::move(transport), fault);
      },
      [&](const Communicator& ranks) {
        const bool fails = ranks.rank() == failing;
        const std::shared_ptr<void> end(nullptr, [&](void*) { left -= fails ? 0 : 1; });
        BreakingTrial trial(ranks, failing, fails ? &fault : nullptr);
        try {
          tested.run(ranks, trial);
          if (fails && !fault.has_happened) return;
          ranks.barrier("after");
          ADD_FAILURE() << "nothing was thrown";
        } catch (const CommunicationError& error) {
          // A rank that had what it needed sees the fault in its next call.
          EXPECT_TRUE(fails || error.failed_rank() == failing) << error.what();
        }
        EXPECT_THROW(ranks.barrier(), CommunicationError);
      });
  return fault.has_happened;
}

class BrokenLinks : public ::testing::TestWithParam<test::FaultCase> {};

TEST_P(BrokenLinks, ThrowOnAllRanks) {
  constexpr struct { int size, failing; } worlds[] = {{2, 1}, {3, 0}, {4, 2}};
  for (const auto& [size, failing] : worlds) {
    for (const auto when : {test::Fault::When::start, test::Fault::When::test}) {
      std::uint64_t at = 0;
      for (bool happened = true; happened; ++at) {
        SCOPED_TRACE(std::to_string(size) + " ranks, operation " + std::to_string(at) +
                     (when == test::Fault::When::start ? " begins" : " goes on"));
        test::Fault fault{when, at, [] { throw backends::TransportFailure(-1, "it broke"); }};
        happened = run_with(GetParam(), size, failing, fault, 20s);
      }
      EXPECT_GT(at, 1U);
    }
  }
}

TEST_P(BrokenLinks, OfAStoppedRankAreNoticed) {
  if (test::sampling()) GTEST_SKIP() << "mostly waits";
  // On a busy machine a rank that goes on may be silent for a third of a second.
  constexpr std::chrono::milliseconds timeout = 1s;
  constexpr std::uint64_t operations_between = 5;  // each that is tried takes so long
  std::uint64_t at = 0;
  for (bool happened = true; happened; at += operations_between) {
    SCOPED_TRACE("operation " + std::to_string(at));
    test::Fault fault{test::Fault::When::start, at};
    happened = run_with(GetParam(), 3, 2, fault, timeout);
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, BrokenLinks, ::testing::ValuesIn(test::fault_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
