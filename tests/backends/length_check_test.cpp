#include <gtest/gtest.h>

#include <hashmill/backends/length_check.hpp>
#include <hashmill/backends/thread_transport.hpp>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace hashmill::backends;

/// Two ranks of one thread, which a check of lengths does not mind.
class LengthCheckTest : public ::testing::Test {
 protected:
  /// What rank 1 finds when rank 0 sends pieces of `sent` bytes, and itself expects `expected`.
  std::string found(const std::vector<std::uint64_t>& sent,
                    const std::vector<std::uint64_t>& expected) {
    std::vector<Send> sends;
    std::vector<Receive> receives;
    for (const std::uint64_t bytes : sent) sends.push_back({1, nullptr, bytes});
    for (const std::uint64_t bytes : expected) receives.push_back({0, nullptr, bytes});
    LengthCheck receiver(one_, {{}, receives});
    EXPECT_FALSE(receiver.test());
    EXPECT_EQ(receiver.pending(), std::vector<int>{0});
    LengthCheck sender(zero_, {sends, {}});
    EXPECT_TRUE(sender.test());
    try {
      EXPECT_TRUE(receiver.test());
      EXPECT_TRUE(receiver.pending().empty());
      return "the same";
    } catch (const TransportFailure& failure) {
      EXPECT_EQ(failure.rank(), 0);
      return failure.what();
    }
  }

  std::shared_ptr<ThreadMeeting> meeting_ = std::make_shared<ThreadMeeting>(2);
  ThreadTransport zero_{meeting_, 0}, one_{meeting_, 1};
};

TEST_F(LengthCheckTest, FindsTheSameLengths) {
  EXPECT_EQ(found({1}, {1}), "the same");
  EXPECT_EQ(found({0, 0, 7}, {0, 0, 7}), "the same");
}

TEST_F(LengthCheckTest, FindsOtherLengths) {
  EXPECT_EQ(found({1}, {2}), "it sends 1 bytes where 2 are expected");
  EXPECT_EQ(found({3, 4}, {4, 3}), "it sends 7 bytes where 7 are expected, in other pieces");
  EXPECT_EQ(found({3, 0}, {3}), "it sends 3 bytes where 3 are expected, in other pieces");
}

TEST_F(LengthCheckTest, LeavesOutWhatARankSendsToItself) {
  const Send send{0, nullptr, 1};
  const Receive receive{0, nullptr, 2};
  LengthCheck check(zero_, {{&send, 1}, {&receive, 1}});
  EXPECT_TRUE(check.test());
}

}  // namespace
