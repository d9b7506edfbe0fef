#include <gtest/gtest.h>

#include <chrono>
#include <hashmill/backends/execution.hpp>
#include <new>
#include <string>
#include <thread>

#include "algorithms/support/failing_allocations.hpp"
#include "algorithms/support/failing_new.hpp"
#include "algorithms/support/inputs.hpp"
#include "faults/fault_cases.hpp"
#include "ranks/rank_cases.hpp"
#include "thread_ranks.hpp"

// One rank is short of memory, at one allocation after the other.

namespace {

using namespace hashmill;
using namespace std::chrono_literals;
using test::FailingAllocations;

/// A rank of a call in which an array of rank `failing` cannot be allocated. The call fails on all
/// ranks, which can go on.
class ArrayTrial final : public test::Trial {
 public:
  ArrayTrial(const Communicator& ranks, int failing, FailingAllocations& allocations)
      : ranks_(ranks), failing_(failing), allocations_(allocations) {}

 private:
  bool attempt(const std::function<void()>& call) override {
    const bool fails = ranks_.rank() == failing_;
    if (fails) allocations_.count_in(std::this_thread::get_id());
    const bool done = succeeds(call);
    if (fails) {
      allocations_.count_in({});
      EXPECT_NE(done, allocations_.failed());
    }
    if (!done) test::collects_and_distributes(ranks_);
    return done;
  }
  [[nodiscard]] bool can_go_on() const override { return true; }
  bool succeeds(const std::function<void()>& call) {
    try {
      call();
      return true;
    } catch (const CapacityError& error) {
      EXPECT_EQ(ranks_.rank(), failing_) << error.what();
    } catch (const CommunicationError& error) {
      EXPECT_NE(ranks_.rank(), failing_) << error.what();
      EXPECT_EQ(error.failed_rank(), failing_) << error.what();
      EXPECT_NE(error.phase(), "");
    }
    return false;
  }

  const Communicator& ranks_;
  int failing_;
  FailingAllocations& allocations_;
};

class ShortMemory : public ::testing::TestWithParam<test::FaultCase> {};

TEST_P(ShortMemory, ForArraysFailsOnAllRanks) {
  for (const int size : {2, 3, 4}) {
    for (const int failing : {0, size - 1}) {
      bool failed = true;
      for (std::uint64_t at = 0; failed; at += test::sampling() ? 3 : 1) {
        SCOPED_TRACE(std::to_string(size) + " ranks, array " + std::to_string(at) + " of rank " +
                     std::to_string(failing));
        FailingAllocations allocations(at, {});
        test::on_thread_ranks(size, {.timeout = 20s}, [&](const Communicator& ranks) {
          ArrayTrial trial(ranks, failing, allocations);
          GetParam().run(ranks, trial);
        });
        failed = allocations.failed();
      }
    }
  }
}

/// A rank of a call in which a few bytes of rank `failing` are not to be had. All ranks end the
/// call. Either all can go on, or none.
class BytesTrial final : public test::Trial {
 public:
  BytesTrial(const Communicator& ranks, int failing, std::int64_t at, bool& failed)
      : ranks_(ranks), failing_(failing), at_(at), failed_(failed) {}

 private:
  struct NoteFailure {
    bool& failed;
    ~NoteFailure() { failed = test::FailingNew::has_failed(); }
  };
  bool attempt(const std::function<void()>& call) override {
    try {
      if (ranks_.rank() == failing_) {
        const NoteFailure note{failed_};
        const test::FailingNew failing(at_, false);
        call();
      } else {
        call();
      }
      return true;
    } catch (const std::bad_alloc&) {
      EXPECT_EQ(ranks_.rank(), failing_);
    } catch (const CapacityError& error) {
      EXPECT_EQ(ranks_.rank(), failing_) << error.what();
    } catch (const CommunicationError& error) {
      EXPECT_EQ(error.failed_rank(), failing_) << error.what();
    }
    return false;
  }
  [[nodiscard]] bool can_go_on() const override { return false; }

  const Communicator& ranks_;
  int failing_;
  std::int64_t at_;
  bool& failed_;
};

TEST_P(ShortMemory, ForAFewBytesHangsNoRank) {
  if (backends::has_wide_teams<Kokkos::DefaultExecutionSpace>)
    GTEST_SKIP() << "Kokkos ends the program";
  if (!test::FailingNew::can_spare_kokkos()) GTEST_SKIP() << "Kokkos is linked statically";
  bool failed = true;
  // All of the first ones, and a sample of the others.
  for (std::int64_t at = 0; failed; at += at < 30 ? 1 : 7) {
    SCOPED_TRACE("allocation " + std::to_string(at));
    failed = false;
    test::on_thread_ranks(2, {.timeout = 20s}, [&](const Communicator& ranks) {
      BytesTrial trial(ranks, 1, at, failed);
      try {
        GetParam().run(ranks, trial);
        ranks.barrier("after");
      } catch (const CommunicationError& error) {
        // Before the call began, it was no call that this rank left.
        EXPECT_TRUE(ranks.rank() == 1 || error.failed_rank() == 1) << error.what();
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, ShortMemory, ::testing::ValuesIn(test::fault_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
