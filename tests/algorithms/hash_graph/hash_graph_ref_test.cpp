#include <gtest/gtest.h>

#include <hashmill/hash_graph.hpp>
#include <type_traits>

#include "algorithms/support/keys.hpp"

namespace hashmill::test {
namespace {

// The per-element operations, in kernels, as joins will use them.

constexpr std::uint64_t size = 3000;
constexpr std::uint64_t distinct = 400;

/// What a kernel finds out about one key.
struct Findings {
  std::uint64_t contains;
  std::uint64_t count;
  std::uint64_t row_sum;
  std::uint64_t matches;
  std::uint64_t row;
  std::uint64_t in_bucket;  ///< entries of its bucket that have it
};

/// Adds up rows, as a caller's functor for `for_each_match`.
struct AddRow {
  Findings* findings;
  template <class Row>
  KOKKOS_FUNCTION void operator()(Row row) const {
    findings->row_sum += row;
    ++findings->matches;
  }
};

template <class Ref>
struct AskRef {
  Ref ref;
  Kokkos::View<const std::uint64_t*, Memory> keys;
  Kokkos::View<Findings*, Memory> findings;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Findings found{};
    const std::uint64_t key = keys(i);
    found.contains = ref.contains(key) ? 1 : 0;
    found.count = ref.count(key);
    found.row = ref.find(key);
    ref.for_each_match(key, AddRow{&found});
    const std::uint64_t bucket = ref.bucket(key);
    const std::uint64_t hash = ref.layout().hasher()(key);
    for (auto position = ref.begin(bucket); position < ref.end(bucket); ++position) {
      found.in_bucket += ref.layout().matches(ref.entry(position), key, hash) ? 1 : 0;
    }
    findings(i) = found;
  }
};

template <class Table>
std::vector<Findings> ask(const Table& table, const Numbers& queries) {
  const Kokkos::View<const std::uint64_t*, Memory> keys = to_device(queries);
  const Kokkos::View<Findings*, Memory> findings("hashmill::test::findings", queries.size());
  using Ask = AskRef<typename Table::ref_type>;
  Kokkos::parallel_for("hashmill::test::ask",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                           0, static_cast<std::int64_t>(queries.size())),
                       Ask{table.ref(), keys, findings});
  return to_host(findings);
}

template <class Layout>
void expect_ref() {
  using Table = HashGraph<std::uint64_t, Memory, Layout>;
  const Numbers keys = repeated_numbers(size, distinct, 5);
  const Kokkos::View<const std::uint64_t*, Memory> view = to_device(keys);
  Table table(Exec(), view);
  for (const bool erased : {false, true}) {
    if (erased) {
      const auto some = to_device(sequential_numbers(distinct / 2));
      table.erase(Exec(), some);
    }
    EXPECT_EQ(table.ref().num_buckets(), table.num_buckets());
    EXPECT_EQ(table.ref().has_lengths(), erased);
    const auto findings = ask(table, sequential_numbers(distinct + 50));
    for (std::uint64_t key = 0; key < findings.size(); ++key) {
      std::uint64_t count = 0, sum = 0;
      for (std::uint64_t row = 0; row < size; ++row) {
        if (keys[row] != key || (erased && key < distinct / 2)) continue;
        ++count;
        sum += row;
      }
      const Findings& found = findings[key];
      ASSERT_EQ(found.contains, count == 0 ? 0U : 1U) << key;
      ASSERT_EQ(found.count, count) << key;
      ASSERT_EQ(found.matches, count) << key;
      ASSERT_EQ(found.in_bucket, count) << key;
      ASSERT_EQ(found.row_sum, sum) << key;
      if (count == 0) {
        ASSERT_EQ(found.row, no_row<typename Table::row_type>) << key;
      } else {
        ASSERT_EQ(keys.at(found.row), key);
      }
    }
  }
}

TEST(HashGraphRef, AnswersInKernelsWithKeysAndRows) { expect_ref<KeyRow<std::uint32_t>>(); }
TEST(HashGraphRef, AnswersInKernelsWithPackedRows) { expect_ref<PackedRow>(); }

TEST(HashGraph, MovesWithItsTable) {
  using Table = HashGraph<std::uint64_t, Memory, KeyRow<std::uint32_t>>;
  static_assert(!std::is_copy_constructible_v<Table> && !std::is_copy_assignable_v<Table>);
  static_assert(std::is_nothrow_move_constructible_v<Table>);
  static_assert(std::is_nothrow_move_assignable_v<Table>);
  const Kokkos::View<const std::uint64_t*, Memory> keys = to_device(sequential_numbers(100));
  Table first(Exec(), keys);
  Table second(std::move(first));
  EXPECT_EQ(second.size(), 100U);
  Table third(Exec(), Kokkos::subview(keys, std::make_pair(0, 3)));
  third = std::move(second);
  const auto findings = ask(third, sequential_numbers(101));
  for (std::uint64_t key = 0; key <= 100; ++key)
    EXPECT_EQ(findings[key].count, key < 100 ? 1U : 0U);
}

TEST(HashGraph, WorkspaceServesSeveralBuilds) {
  const Kokkos::View<const std::uint64_t*, Memory> keys = to_device(random_numbers(20'000, 1));
  Workspace<Memory> workspace;
  const HashGraph<std::uint64_t, Memory> first(Exec(), keys, {}, workspace);
  const std::uint64_t bytes = workspace.bytes();
  EXPECT_GT(bytes, 0U);
  const HashGraph<std::uint64_t, Memory> second(Exec(), keys, {}, workspace);
  EXPECT_EQ(workspace.bytes(), bytes);
  EXPECT_EQ(second.size(), first.size());
}

}  // namespace
}  // namespace hashmill::test
