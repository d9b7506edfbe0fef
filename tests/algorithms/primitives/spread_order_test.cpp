#include <hashmill/primitives/detail/spread_order.hpp>

#include "algorithms/linear_probing/linear_probing_fixture.hpp"
#include "algorithms/tag_bucket/tag_bucket_table.hpp"

namespace hashmill::test {
namespace {

void expect_every_row_once(const detail::SpreadOrder& order, std::uint64_t rows) {
  std::vector<bool> seen(rows);
  for (std::uint64_t i = 0; i < rows; ++i) {
    ASSERT_LT(order(i), rows);
    ASSERT_FALSE(seen[order(i)]) << rows << " rows";
    seen[order(i)] = true;
  }
}

TEST(SpreadOrder, HasEveryRowOnce) {
  for (const std::uint64_t rows : {0, 1, 2, 255, 256, 257, 511, 512, 700, 4096, 5000, 100'003}) {
    expect_every_row_once(detail::SpreadOrder(rows), rows);
    expect_every_row_once(detail::SpreadOrder(rows, 0), rows);  // one by one
  }
}

TEST(SpreadOrder, SpreadsEveryBeginning) {
  constexpr std::uint64_t tile = 256, tiles = 1234;
  const detail::SpreadOrder order(tile * tiles);
  std::vector<std::uint64_t> begun{0, tiles};
  for (std::uint64_t t = 0; t < tiles; ++t) {
    ASSERT_EQ(order(tile * t) % tile, 0U);
    begun.push_back(order(tile * t) / tile);
    std::sort(begun.begin(), begun.end());
    std::uint64_t widest = 0;
    for (std::size_t i = 1; i < begun.size(); ++i) {
      widest = std::max(widest, begun[i] - begun[i - 1]);
    }
    ASSERT_LE(widest, 10 * tiles / (t + 1) + 1) << t + 1 << " tiles";
  }
}

TEST(SpreadOrder, DoesNotOverflow) {
  const std::uint64_t rows = (std::uint64_t{1} << 48) + 12'345;
  const detail::SpreadOrder order(rows);
  for (std::uint64_t i = rows - 20'000; i < rows; i += 7) EXPECT_LT(order(i), rows);
  EXPECT_EQ(order(rows - 1), rows - 1);
}

/// A functor that every table uses as it is.
struct PlainHash {
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return Murmur3Hash{}(key);
  }
};
static_assert(!HashFamily<PlainHash>);

/// Keys in the order of their hash, as another table with that functor gives them.
Numbers numbers_in_hash_order(std::uint64_t count) {
  Numbers numbers = sequential_numbers(count);
  std::sort(numbers.begin(), numbers.end(), [](std::uint64_t a, std::uint64_t b) {
    const PlainHash hash;
    return hash(static_cast<std::uint32_t>(a)) < hash(static_cast<std::uint32_t>(b));
  });
  return numbers;
}

/// If all went to one end of the small table, these would take minutes.
TEST(SpreadOrder, LetsTablesGrowWithKeysInHashOrder) {
  const std::uint64_t n = sampling() ? 20'000 : 1'000'000;
  const Numbers numbers = numbers_in_hash_order(n);
  Probing<std::uint32_t, UniqueKeys, std::uint32_t, PlainHash> probing(Exec(), 0);
  const KeyColumns<std::uint32_t> keys(numbers);
  EXPECT_EQ(probing.insert(Exec(), keys.source(), RowsFrom{0}), (InsertResult{.inserted = n}));
  EXPECT_EQ(probing.insert(Exec(), keys.source(), RowsFrom{0}), (InsertResult{.existing = n}));
  TagBucketTable<std::uint32_t, std::uint32_t, PlainHash> buckets(
      numbers, {.buckets = BucketCount(1), .initial_rows = 0});
  EXPECT_EQ(buckets.insert(0, n), (InsertResult{.inserted = n}));
  EXPECT_EQ(buckets.owner().num_keys(), n);
}

}  // namespace
}  // namespace hashmill::test
