#include "algorithms/support/kokkos_recorder.hpp"
#include "each_strategy.hpp"
#include "join_fixture.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

/// What a join took, what of it was temporary and what of that was in use at once, and what was
/// said before.
struct Bytes {
  std::uint64_t taken, temporary, used, predicted;
};

template <class Left, class Right, class Options>
Bytes bytes_of(JoinKind kind, const Left& left, const Right& right, const Options& options) {
  Bytes bytes{};
  std::uint64_t pairs = 0;
  {
    const KokkosRecorder recorder;
    Workspace<Memory> workspace;
    pairs = hash_join(Exec(), kind, left, right, EveryPair{}, options, workspace).size();
    bytes.taken = recorder.peak_bytes();
    bytes.temporary = workspace.bytes();
    bytes.used = workspace.peak_bytes();
  }
  const KokkosRecorder recorder;
  bytes.predicted = hash_join_peak_bytes(Exec(), kind, left, right,
                                         JoinSizes{left.size(), right.size(), pairs}, options);
  EXPECT_TRUE(recorder.events().empty());
  return bytes;
}

void expect_bound(const Bytes& bytes) { EXPECT_GE(bytes.predicted, bytes.taken); }
void expect_close(const Bytes& bytes) {
  expect_bound(bytes);
  EXPECT_LE(bytes.predicted, bytes.taken + bytes.taken * 3 / 10);
  constexpr std::uint64_t slack = 1 << 16;
  EXPECT_LE(bytes.temporary, bytes.used + bytes.used * 3 / 10 + slack);
}

HashJoinOptions<> options_of(Prefilter prefilter, bool ordered) {
  HashJoinOptions<> options;
  options.prefilter = prefilter;
  options.ordered = ordered;
  return options;
}

/// Expects close bounds of strategies where no filter comes first, and bounds everywhere.
template <class Left, class Right>
void expect_bounds(const Left& left, const Right& right) {
  for (const JoinKind kind : {JoinKind::inner, JoinKind::full}) {
    SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
    for_each_strategy<JoinStrategy::look_up, JoinStrategy::partitioned>(
        options_of(Prefilter::never, false), [&](const auto& options) {
          SCOPED_TRACE(strategy_name(options));
          expect_close(bytes_of(kind, left, right, options));
        });
    for (const Prefilter prefilter : {Prefilter::always, Prefilter::automatic}) {
      for_each_strategy<JoinStrategy::look_up, JoinStrategy::partitioned, JoinStrategy::automatic>(
          options_of(prefilter, false), [&](const auto& options) {
            SCOPED_TRACE(strategy_name(options) + ", filter " +
                         std::to_string(static_cast<int>(prefilter)));
            expect_bound(bytes_of(kind, left, right, options));
          });
    }
    for_each_strategy<JoinStrategy::look_up, JoinStrategy::partitioned>(
        options_of(Prefilter::never, true), [&](const auto& options) {
          SCOPED_TRACE("ordered, " + strategy_name(options));
          expect_bound(bytes_of(kind, left, right, options));
        });
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

template <class Key>
class HashJoinMemory : public testing::Test {
 protected:
  static void expect_all(const Numbers& left, const Numbers& right) {
    const KeyColumns<Key> left_keys(left), right_keys(right);
    expect_bounds(left_keys.source(), right_keys.source());
  }
};
using Keys = SampledTypes<std::uint32_t, std::uint64_t, Key128>;
TYPED_TEST_SUITE(HashJoinMemory, Keys);

TYPED_TEST(HashJoinMemory, IsPredictedForSidesOfAnySizes) {
  constexpr std::uint64_t n = 66'000;
  this->expect_all(random_numbers(3 * n, 1), random_numbers(n, 1));
  this->expect_all(random_numbers(n, 2), random_numbers(4 * n, 3));
  this->expect_all(repeated_numbers(2 * n, n / 4, 4), repeated_numbers(n, n / 4, 5));
}

TEST(HashJoinMemoryOfSkew, IsPredicted) {
  const KeyColumns<std::uint64_t> equal(equal_numbers(1000, 5)), few(Numbers{5, 6}),
      mostly(mostly_one_number(140'000, 6)), zipf(zipf_numbers(80'000, 7)),
      spread(random_numbers(70'000, 8));
  expect_bounds(equal.source(), equal.source());
  expect_bounds(few.source(), mostly.source());
  expect_bounds(mostly.source(), few.source());
  expect_bounds(zipf.source(), spread.source());
  expect_bounds(spread.source(), zipf.source());
}

/// Small sides: a bound, but not a close one.
TEST(HashJoinMemoryOfSmallSides, IsBounded) {
  for (const std::uint64_t left : {0, 1, 300, 5000}) {
    for (const std::uint64_t right : {0, 1, 300, 5000}) {
      const KeyColumns<std::uint32_t> left_keys(repeated_numbers(left, 200, 1)),
          right_keys(repeated_numbers(right, 200, 2));
      for_each_strategy<JoinStrategy::automatic, JoinStrategy::array, JoinStrategy::look_up,
                        JoinStrategy::partitioned>({}, [&](const auto& options) {
        expect_bound(bytes_of(JoinKind::full, left_keys.source(), right_keys.source(), options));
      });
    }
  }
}

/// Rows of two columns, whose hashes travel if some are null, and which are packed if none are.
TEST(HashJoinMemoryOfColumns, IsPredicted) {
  constexpr std::uint64_t n = 66'000;
  const KeyColumns<std::uint32_t> left(repeated_numbers(2 * n, n, 1)), right(sequential_numbers(n));
  const auto bits = to_device(std::vector<std::uint8_t>(n / 4, 0b10110111));
  const auto nullable = column(left.source(), validity(bits, 2 * n));
  expect_bounds(columns(nullable, left.source()), columns(right.source(), right.source()));
  expect_bounds(columns(left.source(), left.source()), columns(right.source(), right.source()));
}

/// The same bytes for sides that are not there.
TEST(HashJoinMemoryOfNoSides, IsToldByTheirSizes) {
  constexpr std::uint64_t n = 100'000, all = ~std::uint64_t{0};
  const KeyColumns<std::uint32_t> keys(sequential_numbers(n));
  const Kokkos::View<std::uint32_t*, Memory> none;
  const auto tell = [](const auto& side, const JoinSizes& sizes) {
    return hash_join_peak_bytes(Exec(), JoinKind::inner, side, side, sizes);
  };
  const std::uint64_t bytes = tell(none, {n, n, 7});
  EXPECT_EQ(bytes, tell(keys.source(), {n, n, 7}));
  EXPECT_EQ(tell(none, {n, n, 1007}), bytes + 8000);
  EXPECT_EQ(tell(none, {n / 5, n, 7}), tell(none, {n, n / 5, 7}));  // the smaller one is built
  EXPECT_THROW((void)tell(none, {n, n, all}), CapacityError);
  EXPECT_THROW((void)tell(none, {n, std::uint64_t{1} << 40, 7}), CapacityError);
}

}  // namespace
}  // namespace hashmill::test
