#include <gtest/gtest.h>

#include <hashmill/hashmill.hpp>
#include <memory>
#include <numeric>

#include "algorithms/support/views.hpp"

namespace hashmill::test {
namespace {

using Key = std::uint32_t;
using Keys = Kokkos::View<const Key*, Memory>;

Keys numbers(Key first, Key count) {
  std::vector<Key> keys(count);
  for (Key i = 0; i < count; ++i) keys[i] = first + i;
  return to_device(keys);
}

/// How many of the numbers 0 to 999 a table has.
template <class Table>
std::uint64_t found_in(const Table& table) {
  const Kokkos::View<bool*, Memory> out("hashmill::test::out", 1000);
  table.contains(Exec(), numbers(0, 1000), out);
  std::uint64_t count = 0;
  for (const bool is_there : to_host(out)) count += is_there ? 1 : 0;
  return count;
}

struct AddOne {
  std::uint64_t* sum;
  template <class Position, class Row>
  KOKKOS_FUNCTION void operator()(Position, Row) const {
    ++*sum;
  }
};

/// Asks a reference in a kernel, as users do.
template <class Ref>
struct AskRef {
  Ref ref;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& sum) const {
    const auto key = static_cast<Key>(i);
    sum += ref.count(key) + (ref.contains(key) ? 1 : 0);
    sum += ref.find(key) == no_row<typename Ref::row_type> ? 0 : 1;
    if constexpr (requires { ref.for_each_position(key, AddOne{&sum}); }) {
      ref.for_each_position(key, AddOne{&sum});
    }
  }
};

/// All that a table without entries answers.
template <class Table>
void expect_empty(const Table& table) {
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.bytes(), 0U);
  EXPECT_EQ(found_in(table), 0U);
  const Keys queries = numbers(0, 1000);
  const Kokkos::View<std::uint64_t*, Memory> counts("hashmill::test::counts", 1000);
  const Kokkos::View<typename Table::row_type*, Memory> rows("hashmill::test::rows", 1000);
  table.count(Exec(), queries, counts);
  table.find(Exec(), queries, rows);
  EXPECT_EQ(to_host(counts), std::vector<std::uint64_t>(1000, 0));
  EXPECT_EQ(to_wide_host(rows), std::vector<std::uint64_t>(1000, ~std::uint64_t{0}));
  EXPECT_EQ(table.retrieve(Exec(), queries).size(), 0U);
  EXPECT_EQ(table.retrieve_all(Exec()).size(), 0U);
  for (const JoinKind kind : {JoinKind::inner, JoinKind::left}) {
    const bool keeps_left = kind == JoinKind::left;
    EXPECT_EQ(join_size(Exec(), kind, queries, table), keeps_left ? 1000U : 0U);
  }
  EXPECT_EQ(anti_join(Exec(), queries, table).size(), 1000U);
  if constexpr (!requires { requires Table::unique; }) {
    EXPECT_EQ(join_size(Exec(), JoinKind::right, queries, table), 0U);
    EXPECT_EQ(join_size(Exec(), JoinKind::full, queries, table), 1000U);
  }
}

/// Moves a table of 0 to 99 around: sources are empty, targets have everything, nothing is freed
/// twice or used after it was, which sanitizers see.
template <class Table, class Make, class Use>
void expect_moves(const Make& make, const Use& use) {
  auto first = std::make_unique<Table>(make(0));
  Table second(std::move(*first));
  EXPECT_EQ(found_in(second), 100U);
  expect_empty(*first);
  EXPECT_EQ(first->erase(Exec(), numbers(0, 1000)), 0U);
  use(*first);
  EXPECT_EQ(found_in(second), 100U) << "the source changed what it gave away";
  Table third(make(500));
  third = std::move(second);
  EXPECT_EQ(found_in(third), 100U);
  expect_empty(second);
  first.reset();
  Table& itself = third;
  third = std::move(itself);
  EXPECT_EQ(found_in(third), 100U);
  EXPECT_EQ(third.size(), 100U);
  second = std::move(third);
  EXPECT_EQ(found_in(second), 100U);
  use(third);
  EXPECT_EQ(second.erase(Exec(), numbers(0, 10)), 10U);
  EXPECT_EQ(found_in(second), 90U);
}

TEST(MovedFrom, LinearProbingIsEmptyAndUsable) {
  using Table = LinearProbing<Key, Memory>;
  const auto make = [](Key first) { return Table(Exec(), numbers(first, 100)); };
  expect_moves<Table>(make, [](Table& table) {
    EXPECT_EQ(table.num_slots(), 0U);
    table.clear(Exec());
    table.recount(Exec());
    EXPECT_EQ(table.statistics(Exec()).num_entries, 0U);
    EXPECT_EQ(table.insert(Exec(), numbers(7, 20), numbers(0, 20)).inserted, 20U);
    EXPECT_EQ(found_in(table), 20U);
  });
  expect_moves<Table>(make, [](Table& table) {
    table.reserve(Exec(), 50);
    EXPECT_EQ(table.insert_or_assign(Exec(), numbers(7, 20), numbers(0, 20)).inserted, 20U);
  });
  expect_moves<Table>(make, [](Table& table) {
    const Kokkos::View<InsertResult, Memory> result("hashmill::test::result");
    Workspace<Memory> workspace;
    table.insert_async(Exec(), numbers(7, 20), numbers(0, 20), result, workspace);
    table.rehash(Exec());
    EXPECT_EQ(found_in(table), 20U);
  });
  expect_moves<LinearProbing<Key, Memory, RepeatedKeys>>(
      [](Key first) {
        return LinearProbing<Key, Memory, RepeatedKeys>(Exec(), numbers(first, 100));
      },
      [](auto& table) {
        EXPECT_EQ(table.insert(Exec(), numbers(7, 20), numbers(0, 20)).inserted, 20U);
      });
}

TEST(MovedFrom, LinearProbingThatMayNotGrowIsFull) {
  LinearProbing<Key, Memory> table(Exec(), 100'000, {.growth = false});
  const auto taken = std::move(table);
  EXPECT_EQ(table.insert(Exec(), numbers(0, 50), numbers(0, 50)).failed, 50U);
  EXPECT_EQ(table.size(), 0U);
  table.rehash(Exec(), 100);
  EXPECT_EQ(table.insert(Exec(), numbers(0, 50), numbers(0, 50)).inserted, 50U);
}

TEST(MovedFrom, ChainingIsEmptyAndUsable) {
  using Table = Chaining<Key, Memory>;
  const auto make = [](Key first) { return Table(Exec(), numbers(first, 100)); };
  expect_moves<Table>(make, [](Table& table) {
    table.clear(Exec());
    EXPECT_EQ(table.compact(Exec()).size(), 0U);
    EXPECT_EQ(table.append(Exec(), numbers(7, 20)), 0U);
    EXPECT_EQ(found_in(table), 20U);
  });
  expect_moves<Table>(make, [](Table& table) {
    table.rehash(Exec(), BucketCount(5));
    EXPECT_EQ(table.statistics(Exec()).num_entries, 0U);
    EXPECT_EQ(table.append(Exec(), numbers(7, 20)), 0U);
    EXPECT_EQ(found_in(table), 20U);
  });
}

TEST(MovedFrom, TagBucketIsEmptyAndUsable) {
  using Table = TagBucket<Key, Memory>;
  const Keys low = numbers(0, 100), high = numbers(500, 100);
  const auto make = [&](Key first) { return Table(Exec(), first == 0 ? low : high); };
  expect_moves<Table>(make, [](Table& table) {
    EXPECT_EQ(table.statistics(Exec()).num_rows, 0U);
    table.clear(Exec());
    EXPECT_EQ(table.insert(Exec(), 10, 20).inserted, 20U);
    EXPECT_EQ(found_in(table), 20U);
  });
  expect_moves<Table>(make, [](Table& table) {
    table.rehash(Exec());
    const Kokkos::View<Key*, Memory> there("hashmill::test::there", 20);
    EXPECT_EQ(table.find_or_insert(Exec(), 10, 20, there).inserted, 20U);
    EXPECT_EQ(table.size(), 20U);
  });
  expect_moves<Table>(make, [](Table& table) {
    const Kokkos::View<InsertResult, Memory> result("hashmill::test::result");
    Workspace<Memory> workspace;
    table.insert_async(Exec(), 10, 20, result, workspace);
    table.recount(Exec());
    EXPECT_EQ(found_in(table), 20U);
  });
  expect_moves<Table>(make, [&](Table& table) {
    table.set_keys(Exec(), numbers(200, 300));
    table.reserve(Exec(), 300);
    EXPECT_EQ(table.insert(Exec(), 0, 300).inserted, 300U);
    EXPECT_EQ(found_in(table), 300U);
  });
}

TEST(MovedFrom, HashGraphIsEmptyAndUsable) {
  using Table = HashGraph<Key, Memory>;
  const auto make = [](Key first) { return Table(Exec(), numbers(first, 100)); };
  expect_moves<Table>(make, [](Table& table) {
    table.compact(Exec());
    EXPECT_EQ(table.statistics(Exec()).num_entries, 0U);
    Workspace<Memory> workspace;
    EXPECT_EQ(intersect_count(Exec(), numbers(0, 10), table, workspace), 0U);
    table.rebuild(Exec(), numbers(7, 20), {}, workspace);
    EXPECT_EQ(found_in(table), 20U);
    EXPECT_EQ(table.size(), 20U);
  });
  const Keys keys = numbers(0, 100);  // row tables leave their columns with the caller
  auto rows = row_table(Exec(), columns(keys));
  const auto taken = std::move(rows);
  EXPECT_EQ(rows.size(), 0U);
  EXPECT_EQ(join_size(Exec(), JoinKind::inner, columns(keys), rows), 0U);
  EXPECT_EQ(join_size(Exec(), JoinKind::inner, columns(keys), taken), 100U);
}

TEST(MovedFrom, ArrayTableIsEmpty) {
  using Table = ArrayTable<Key, Memory>;
  expect_moves<Table>([](Key first) { return Table(Exec(), numbers(first, 100)); },
                      [](Table& table) { table = Table(Exec(), numbers(7, 20)); });
}

TEST(MovedFrom, ReferencesFindNothing) {
  const auto ask = [](const auto& ref) {
    std::uint64_t sum = 1;
    Kokkos::parallel_reduce("hashmill::test::ask", Kokkos::RangePolicy<Exec>(0, 100),
                            AskRef<std::decay_t<decltype(ref)>>{ref}, sum);
    return sum;
  };
  const Keys keys = numbers(0, 100);
  Chaining<Key, Memory> chaining(Exec(), keys);
  LinearProbing<Key, Memory> probing(Exec(), keys);
  TagBucket<Key, Memory> bucket(Exec(), keys);
  ArrayTable<Key, Memory> array(Exec(), keys);
  HashGraph<Key, Memory> graph(Exec(), keys);
  const auto a = std::move(chaining);
  const auto b = std::move(probing);
  const auto c = std::move(bucket);
  const auto d = std::move(array);
  const auto e = std::move(graph);
  EXPECT_EQ(ask(chaining.ref()) + ask(bucket.ref()) + ask(array.ref()), 0U);
  EXPECT_EQ(ask(probing.ref()) + ask(graph.ref()), 0U);
  EXPECT_EQ(ask(a.ref()) + ask(c.ref()) + ask(d.ref()), 3 * 300U);
  EXPECT_EQ(ask(b.ref()) + ask(e.ref()), 2 * 400U);  // with the positions
}

TEST(MovedFrom, FilterIsEmptyAndUsable) {
  using Filter = BloomFilter<Key, Memory>;
  auto first = std::make_unique<Filter>(Exec(), numbers(0, 100));
  Filter second(std::move(*first));
  EXPECT_EQ(first->bytes(), 0U);
  EXPECT_EQ(found_in(*first), 0U);
  first->clear(Exec());
  first->add(Exec(), numbers(500, 100));
  EXPECT_GE(found_in(*first), 100U);
  EXPECT_LT(found_in(*first), 200U);
  first.reset();
  EXPECT_GE(found_in(second), 100U);
  second = Filter(Exec(), numbers(0, 1000));
  EXPECT_EQ(found_in(second), 1000U);
}

TEST(MovedFrom, RowContainerIsEmptyAndUsable) {
  RowContainer<Memory, Key> first;
  first.append(Exec(), numbers(0, 100));
  RowContainer<Memory, Key> second(std::move(first));
  EXPECT_EQ(first.size() + first.bytes(), 0U);
  EXPECT_EQ(first.append(Exec(), numbers(7, 20)), 0U);
  EXPECT_EQ(first.size(), 20U);
  const Kokkos::View<Key*, Memory> out("hashmill::test::out", 100);
  second.extract<0>(Exec(), second.all_rows(), out);
  EXPECT_EQ(to_host(out), to_host(numbers(0, 100)));
  second = std::move(first);
  EXPECT_EQ(second.size(), 20U);
  EXPECT_EQ(first.size(), 0U);
  first.clear();
}

TEST(MovedFrom, HashAggregationIsEmptyAndUsable) {
  const Keys keys = numbers(0, 100);
  auto first = hash_aggregation(Exec(), keys, agg::sum(keys));
  first.add(Exec(), keys, agg::sum(keys));
  auto second = std::move(first);
  EXPECT_EQ(first.size(), 0U);
  EXPECT_EQ(first.results(Exec()).size(), 0U);
  const Keys others = numbers(500, 5000);
  first.add(Exec(), others, agg::sum(others));
  EXPECT_EQ(first.size(), 5000U);
  EXPECT_EQ(second.size(), 100U);
  const auto sums = to_host(std::get<0>(second.results(Exec()).results).values);
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}), 4950U);
  second = std::move(first);
  EXPECT_EQ(second.size(), 5000U);
  first.clear(Exec());
  first.add(Exec(), keys, agg::sum(keys));
  EXPECT_EQ(first.size(), 100U);
}

TEST(MovedFrom, WorkspaceAndResultsHoldNothing) {
  Workspace<Memory> first;
  first.reserve(Exec(), 4096);
  Workspace<Memory> second(std::move(first));
  EXPECT_EQ(first.bytes(), 0U);
  EXPECT_GE(second.bytes(), 4096U);
  {
    const Workspace<Memory>::Frame frame(first);
    EXPECT_EQ(first.take<int>(Exec(), 10).extent(0), 10U);
  }
  second = std::move(first);
  EXPECT_EQ(first.bytes(), 0U);

  const Chaining<Key, Memory> table(Exec(), numbers(0, 100));
  Workspace<Memory> workspace;
  auto pairs = join(Exec(), JoinKind::inner, numbers(0, 100), table);
  const auto kept = std::move(pairs);
  EXPECT_EQ(pairs.size(), 0U);
  join(Exec(), JoinKind::inner, numbers(50, 50), table, EveryPair{}, JoinOptions{}, pairs,
       workspace);
  EXPECT_EQ(to_host(kept.left), to_host(numbers(0, 100))) << "the second result is in its memory";
  EXPECT_EQ(to_host(pairs.right), to_host(numbers(50, 50)));
  auto csr = table.retrieve(Exec(), numbers(0, 10));
  const auto held = std::move(csr);
  EXPECT_EQ(csr.num_queries() + csr.size(), 0U);
  table.retrieve(Exec(), numbers(90, 10), csr, workspace);
  EXPECT_EQ(to_host(held.rows), to_host(numbers(0, 10)));
}

}  // namespace
}  // namespace hashmill::test
