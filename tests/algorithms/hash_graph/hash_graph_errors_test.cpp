#include <gtest/gtest.h>

#include <hashmill/intersect.hpp>

#include "algorithms/support/keys.hpp"
#include "core/message_of.hpp"

#if defined(__SANITIZE_ADDRESS__)
/// Impossible allocations are to fail as they do without the sanitizer.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#endif

namespace hashmill::test {
namespace {

/// Keys that are nowhere: as many as one likes.
struct FakeKeys {
  std::uint64_t count = 0;
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i; }
};

template <class Layout>
using FakeTable = HashGraph<std::uint64_t, Memory, Layout, Murmur3Hash, KeyEqual, FakeKeys>;
using Table = FakeTable<KeyRow<std::uint32_t>>;  // of keys 0, 1, 2, …

constexpr std::uint64_t impossible = std::uint64_t{1} << 50;

Kokkos::View<const std::uint64_t*, Memory> device_keys(std::uint64_t count) {
  return to_device(sequential_numbers(count));
}

/// The CapacityError of building a table of `count` fake keys.
template <class Layout>
CapacityError capacity_error(std::uint64_t count, const HashGraphOptions& options) {
  try {
    const FakeTable<Layout> table(Exec(), FakeKeys{count}, options);
  } catch (const CapacityError& error) {
    return error;
  }
  return {"nothing was thrown", 0, 0};
}

TEST(HashGraphErrors, ShortMemoryIsNamedInBytes) {
  const auto error = capacity_error<KeyRow<std::uint64_t>>(impossible, {.buckets = BucketCount(1)});
  const std::string message = error.what();
  EXPECT_EQ(error.needed(), impossible * 16);
  EXPECT_GT(error.available(), 0U);
  EXPECT_LT(error.available(), error.needed());
  EXPECT_NE(message.find("hash_graph::entries"), std::string::npos) << message;
  EXPECT_NE(message.find(std::to_string(error.needed()) + " bytes needed"), std::string::npos)
      << message;
  EXPECT_NE(message.find(std::to_string(error.available()) + " bytes free"), std::string::npos)
      << message;
}

TEST(HashGraphErrors, ShortMemoryForBucketsIsNamedInBytes) {
  const auto error =
      capacity_error<KeyRow<std::uint64_t>>(10, {.buckets = BucketCount(BucketCount::largest)});
  EXPECT_EQ(error.needed(), (BucketCount::largest + 1) * 8);
  EXPECT_NE(std::string(error.what()).find("hash_graph::offsets"), std::string::npos)
      << error.what();
}

TEST(HashGraphErrors, TooManyBucketsAreNamed) {
  const auto error = capacity_error<KeyRow<std::uint64_t>>(impossible, {});
  const std::string message = error.what();
  EXPECT_EQ(error.needed(), impossible);
  EXPECT_EQ(error.available(), BucketCount::largest);
  EXPECT_NE(message.find(std::to_string(impossible)), std::string::npos) << message;
}

TEST(HashGraphErrors, BytesBeyond64BitsAreRefused) {
  const auto error =
      capacity_error<KeyRow<std::uint64_t>>(~std::uint64_t{0} - 1, {.buckets = BucketCount(1)});
  EXPECT_NE(std::string(error.what()).find("18446744073709551614"), std::string::npos)
      << error.what();
}

TEST(HashGraphErrors, MoreThan32BitsOfRowsAreRefused) {
  const std::uint64_t rows = std::uint64_t{1} << 32;
  const auto error = capacity_error<KeyRow<std::uint32_t>>(rows, {});
  const std::string message = error.what();
  EXPECT_EQ(error.available(), rows - 1);
  EXPECT_NE(message.find(std::to_string(rows)), std::string::npos) << message;
  EXPECT_NE(message.find("32-bit rows"), std::string::npos) << message;
}

TEST(HashGraphErrors, PredictionRefusesWhatCannotBeBuilt) {
  using Fake = FakeTable<KeyRow<std::uint64_t>>;
  EXPECT_THROW((void)Fake::predicted_peak_bytes(Exec(), impossible), CapacityError);
  EXPECT_THROW(
      (void)Fake::predicted_peak_bytes(Exec(), ~std::uint64_t{0}, {.buckets = BucketCount(1)}),
      CapacityError);
  EXPECT_THROW((void)Table::predicted_peak_bytes(Exec(), std::uint64_t{1} << 60,
                                                 {.buckets = BucketCount(1 << 20)}),
               CapacityError);
  EXPECT_GE(Fake::predicted_peak_bytes(Exec(), impossible, {.buckets = BucketCount(1)}),
            impossible * 16);
}

TEST(HashGraphErrors, ResultsOfAnotherLengthAreNamed) {
  const auto queries = device_keys(10);
  const Table table(Exec(), FakeKeys{10});
  const Kokkos::View<bool*, Memory> flags("hashmill::test", 9);
  const Kokkos::View<std::uint64_t*, Memory> counts("hashmill::test", 11);
  const Kokkos::View<std::uint32_t*, Memory> rows("hashmill::test", 0);
  EXPECT_EQ(message_of<InvalidArgument>([&] { table.contains(Exec(), queries, flags); }),
            "contains: 10 queries but room for 9 results");
  EXPECT_EQ(message_of<InvalidArgument>([&] { table.count(Exec(), queries, counts); }),
            "count: 10 queries but room for 11 results");
  EXPECT_EQ(message_of<InvalidArgument>([&] { table.find(Exec(), queries, rows); }),
            "find: 10 queries but room for 0 results");
}

TEST(HashGraphErrors, DifferentHashRangesAreNamed) {
  const FakeKeys keys{10};
  const Table a(Exec(), keys, {.buckets = BucketCount(16)});
  const Table b(Exec(), keys, {.buckets = BucketCount(17)});
  for (const std::string& message :
       {message_of<InvalidArgument>([&] { (void)merge(Exec(), a, b); }),
        message_of<InvalidArgument>([&] { (void)intersect(Exec(), a, b); }),
        message_of<InvalidArgument>([&] { (void)intersect_count(Exec(), a, b); })}) {
    EXPECT_NE(message.find("16 and 17 buckets"), std::string::npos) << message;
  }
}

TEST(HashGraphErrors, DifferentSeedsAreRefused) {
  const FakeKeys keys{10};
  const Table a(Exec(), keys, {}, Murmur3Hash(Seed(1)));
  const Table b(Exec(), keys, {}, Murmur3Hash(Seed(2)));
  for (const std::string& message :
       {message_of<InvalidArgument>([&] { (void)merge(Exec(), a, b); }),
        message_of<InvalidArgument>([&] { (void)intersect(Exec(), a, b); }),
        message_of<InvalidArgument>([&] { (void)intersect_count(Exec(), a, b); })}) {
    EXPECT_NE(message.find("different hash functions or seeds"), std::string::npos) << message;
  }
  const Table c(Exec(), keys, {}, Murmur3Hash(Seed(1)));
  EXPECT_EQ(intersect_count(Exec(), a, c), 10U);
}

TEST(HashGraphErrors, ARefusedRebuildKeepsTheTable) {
  const auto queries = device_keys(100);
  const FakeKeys keys{100};
  Table table(Exec(), keys);
  Workspace<Memory> workspace;
  EXPECT_THROW(table.rebuild(Exec(), keys, {.row_base = 0xFFFFFFFF}, workspace), CapacityError);
  EXPECT_EQ(table.size(), 100U);
  const Kokkos::View<std::uint64_t*, Memory> counts("hashmill::test", 100);
  table.count(Exec(), queries, counts);
  EXPECT_EQ(to_host(counts), Numbers(100, 1));
}

}  // namespace
}  // namespace hashmill::test
