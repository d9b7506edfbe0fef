#include <gtest/gtest.h>

#include <hashmill/hashmill.hpp>

#include "algorithms/support/inputs.hpp"
#include "algorithms/support/views.hpp"
#include "core/message_of.hpp"

namespace hashmill::test {
namespace {

using Keys = Kokkos::View<const std::uint32_t*, Memory>;
using Rows = Kokkos::View<std::uint32_t*, Memory>;
using Flags = Kokkos::View<bool*, Memory>;
using Counts = Kokkos::View<std::uint64_t*, Memory>;
using Outcomes = Kokkos::View<InsertOutcome*, Memory>;

/// Views of another length than the keys have: one less, none, one more.
constexpr std::uint64_t num_keys = 10;
const std::vector<std::uint64_t> wrong_lengths = {9, 0, 11};

Keys ten_keys() { return to_device(std::vector<std::uint32_t>{3, 1, 4, 15, 9, 2, 6, 5, 35, 8}); }

/// A callable of any length, as rows, predicates and operations may be.
struct Doubled {
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint64_t i) const {
    return static_cast<std::uint32_t>(2 * i);
  }
};
struct Larger {
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return a < b ? b : a;
  }
};

template <class F>
void expect_message(const F& f, const std::string& message) {
  EXPECT_EQ(message_of<InvalidArgument>(f), message);
}
std::string text(std::uint64_t n) { return std::to_string(n); }

TEST(Lengths, InsertsRefuseAnotherNumberOfRows) {
  using Table = LinearProbing<std::uint32_t, Memory>;
  const Keys keys = ten_keys();
  Table table(Exec(), 100);
  for (const std::uint64_t m : wrong_lengths) {
    const Rows rows("rows", m), there("there", num_keys);
    const Flags predicate("predicate", num_keys);
    const Outcomes outcomes("outcomes", num_keys);
    const Kokkos::View<InsertResult, Memory> result("result");
    Workspace<Memory> workspace;
    const std::string tail = ": 10 keys but " + text(m) + " rows";
    const auto refused = [&](const std::string& name, const auto& f) {
      expect_message(f, "LinearProbing::" + name + tail);
    };
    refused("insert", [&] { (void)table.insert(Exec(), keys, rows); });
    refused("insert_async", [&] { table.insert_async(Exec(), keys, rows, result, workspace); });
    refused("insert_if", [&] { (void)table.insert_if(Exec(), keys, rows, predicate, outcomes); });
    refused("insert_or_assign", [&] { (void)table.insert_or_assign(Exec(), keys, rows); });
    refused("insert_or_apply", [&] { (void)table.insert_or_apply(Exec(), keys, rows, Larger{}); });
    refused("find_or_insert", [&] { (void)table.find_or_insert(Exec(), keys, rows, there); });
  }
  EXPECT_EQ(table.size(), 0U);
  table.recount(Exec());
  EXPECT_EQ(table.size(), 0U);
}

TEST(Lengths, InsertsRefuseOtherResultsAndPredicates) {
  const Keys keys = ten_keys();
  LinearProbing<std::uint32_t, Memory> table(Exec(), 100);
  TagBucket<std::uint32_t, Memory> bucket(Exec(), keys, {.initial_rows = 0});
  const Rows rows("rows", num_keys);
  const Flags all("all", num_keys);
  const Outcomes fits("fits", num_keys);
  for (const std::uint64_t m : wrong_lengths) {
    const Rows there("there", m);
    const Flags predicate("predicate", m);
    const Outcomes outcomes("outcomes", m);
    expect_message([&] { (void)table.insert_if(Exec(), keys, rows, predicate, fits); },
                   "LinearProbing::insert_if: 10 keys but " + text(m) + " predicates");
    expect_message([&] { (void)table.insert_if(Exec(), keys, rows, all, outcomes); },
                   "LinearProbing::insert_if: 10 keys but room for " + text(m) + " results");
    expect_message([&] { (void)table.find_or_insert(Exec(), keys, rows, there); },
                   "LinearProbing::find_or_insert: 10 keys but room for " + text(m) + " results");
    expect_message([&] { (void)bucket.insert_if(Exec(), 0, 10, predicate, fits); },
                   "TagBucket::insert_if: 10 rows but " + text(m) + " predicates");
    expect_message([&] { (void)bucket.insert_if(Exec(), 0, 10, all, outcomes); },
                   "TagBucket::insert_if: 10 rows but room for " + text(m) + " results");
    expect_message([&] { (void)bucket.find_or_insert(Exec(), 0, 10, there); },
                   "TagBucket::find_or_insert: 10 rows but room for " + text(m) + " results");
  }
  EXPECT_EQ(table.size() + bucket.size(), 0U);
}

TEST(Lengths, CallablesGoWithAnyLength) {
  const Keys keys = ten_keys();
  LinearProbing<std::uint32_t, Memory> table(Exec(), 100);
  const Outcomes outcomes("outcomes", num_keys);
  EXPECT_EQ(table.insert(Exec(), keys, Doubled{}).inserted, 10U);
  EXPECT_EQ(table.insert_if(Exec(), keys, Doubled{}, Doubled{}, outcomes).existing, 9U);
  const Rows found("found", num_keys);
  table.find_if(Exec(), keys, Doubled{}, found);
  EXPECT_EQ(to_host(found),
            (std::vector<std::uint32_t>{no_row<std::uint32_t>, 2, 4, 6, 8, 10, 12, 14, 16, 18}));
}

template <class Table>
void expect_look_ups_checked(const Table& table) {
  const Keys keys = ten_keys();
  const Flags all("all", num_keys), flags("flags", num_keys);
  const Counts counts("counts", num_keys);
  const Rows found("found", num_keys);
  for (const std::uint64_t m : wrong_lengths) {
    const Flags few_flags("few", m);
    const Counts few_counts("few", m);
    const Rows few("few", m);
    const auto room = [&](const std::string& name, const auto& f) {
      expect_message(f, name + ": 10 queries but room for " + text(m) + " results");
    };
    room("contains", [&] { table.contains(Exec(), keys, few_flags); });
    room("contains", [&] { table.contains_async(Exec(), keys, few_flags); });
    room("count", [&] { table.count(Exec(), keys, few_counts); });
    room("count", [&] { table.count_async(Exec(), keys, few_counts); });
    room("find", [&] { table.find(Exec(), keys, few); });
    room("find", [&] { table.find_async(Exec(), keys, few); });
    room("contains_if", [&] { table.contains_if(Exec(), keys, all, few_flags); });
    room("count_if", [&] { table.count_if(Exec(), keys, all, few_counts); });
    room("find_if", [&] { table.find_if(Exec(), keys, all, few); });
    room("contains", [&] { mark_join(Exec(), keys, table, few_flags); });
    const auto asked = [&](const std::string& name, const auto& f) {
      expect_message(f, name + ": 10 queries but " + text(m) + " predicates");
    };
    asked("contains_if", [&] { table.contains_if(Exec(), keys, few_flags, flags); });
    asked("contains_if", [&] { table.contains_if_async(Exec(), keys, few_flags, flags); });
    asked("count_if", [&] { table.count_if(Exec(), keys, few_flags, counts); });
    asked("count_if", [&] { table.count_if_async(Exec(), keys, few_flags, counts); });
    asked("find_if", [&] { table.find_if(Exec(), keys, few_flags, found); });
    asked("find_if", [&] { table.find_if_async(Exec(), keys, few_flags, found); });
  }
}

TEST(Lengths, LookUpsOfEveryTableRefuseOtherResultsAndPredicates) {
  const Keys keys = ten_keys();
  expect_look_ups_checked(HashGraph<std::uint32_t, Memory>(Exec(), keys));
  expect_look_ups_checked(Chaining<std::uint32_t, Memory>(Exec(), keys));
  expect_look_ups_checked(LinearProbing<std::uint32_t, Memory>(Exec(), keys));
  expect_look_ups_checked(TagBucket<std::uint32_t, Memory>(Exec(), keys));
  expect_look_ups_checked(ArrayTable<std::uint32_t, Memory>(Exec(), keys));
}

TEST(Lengths, FilterRefusesOtherResults) {
  const BloomFilter<std::uint32_t, Memory> filter(Exec(), ten_keys());
  for (const std::uint64_t m : wrong_lengths) {
    const Flags few("few", m);
    expect_message([&] { filter.contains(Exec(), ten_keys(), few); },
                   "contains: 10 queries but room for " + text(m) + " results");
  }
}

TEST(Lengths, ErasingRefusesPredicatesThatDoNotReachTheLastRow) {
  const Keys keys = ten_keys();
  TagBucket<std::uint32_t, Memory> table(Exec(), keys, {.row_base = 5});
  const Flags few("few", 14), enough("enough", 15);
  expect_message([&] { (void)table.erase_if(Exec(), few); },
                 "TagBucket::erase_if: rows are numbered up to 14 but there are 14 predicates");
  Kokkos::deep_copy(Kokkos::subview(enough, std::make_pair(12, 15)), true);
  EXPECT_EQ(table.erase_if(Exec(), enough), 3U);
}

TEST(Lengths, ColumnsThatAreReadTogetherAreEquallyLong) {
  const Keys keys = ten_keys();
  const Rows values("values", num_keys);
  const auto groups = group_rows(Exec(), keys);
  auto batches = hash_aggregation(Exec(), keys, agg::sum(values));
  batches.add(Exec(), keys, agg::sum(values));
  auto distinct = distinct_counts(Exec(), values);
  for (const std::uint64_t m : wrong_lengths) {
    const Rows few("few", m);
    const std::string aggregated = "aggregate: 10 rows but " + text(m) + " values in a column";
    expect_message([&] { (void)aggregate(Exec(), groups, agg::sum(few)); }, aggregated);
    expect_message([&] { (void)group_by(Exec(), keys, agg::count(), agg::max(few)); }, aggregated);
    for (const GroupStrategy strategy :
         {GroupStrategy::hash, GroupStrategy::dense, GroupStrategy::tag_bucket}) {
      expect_message([&] { (void)group_by(Exec(), keys, GroupOptions{strategy}, agg::max(few)); },
                     aggregated);
    }
    expect_message([&] { batches.add(Exec(), keys, agg::sum(few)); }, aggregated);
    expect_message([&] { distinct.add(Exec(), batches, keys, few); },
                   "DistinctCounts::add: 10 keys but " + text(m) + " values");
    expect_message([&] { (void)count_distinct(Exec(), groups, few); },
                   "count_distinct: 10 rows but " + text(m) + " values");
    expect_message([&] { (void)columns(keys, few); },
                   "columns: 10 rows in column 0 but " + text(m) + " in column 1");
    RowContainer<Memory, std::uint32_t, std::uint32_t> container;
    expect_message([&] { (void)container.append(Exec(), keys, few); },
                   "RowContainer::append: 10 rows in column 0 but " + text(m) + " in column 1");
    expect_message([&] { batches.find(Exec(), keys, few); },
                   "HashAggregation::find: 10 queries but room for " + text(m) + " results");
  }
}

TEST(Lengths, JoinsPartitionsAndGathersNameBothLengths) {
  const Keys keys = ten_keys();
  const Rows values("values", num_keys);
  Workspace<Memory> workspace;
  const KeyNormalizer<2> normalizer({KeyRange{0, 100}, KeyRange{0, 100}});
  for (const std::uint64_t m : wrong_lengths) {
    const Rows few("few", m);
    expect_message(
        [&] { (void)join_values(Exec(), keys, few, keys, values, JoinOptions{}, workspace); },
        "join_values: the left side: 10 keys but " + text(m) + " values");
    expect_message(
        [&] { (void)join_values(Exec(), keys, values, keys, few, JoinOptions{}, workspace); },
        "join_values: the right side: 10 keys but " + text(m) + " values");
    expect_message([&] { (void)partition(Exec(), keys, few, Doubled{}, PartCount(1 << 20)); },
                   "partition: 10 keys but " + text(m) + " payloads");
    expect_message([&] { gather(Exec(), values, values, few); },
                   "gather: 10 rows but room for " + text(m) + " values");
    expect_message(
        [&] { (void)NormalizedColumns(keys, few, normalizer); },
        "NormalizedColumns: 10 keys of the first column but " + text(m) + " of the second");
  }
}

TEST(Lengths, RowsTakenOutHaveRoom) {
  const Rows values("values", num_keys);
  RowContainer<Memory, std::uint32_t> container;
  container.append(Exec(), values);
  for (const std::uint64_t m : wrong_lengths) {
    const Rows few("few", m);
    expect_message([&] { container.extract<0>(Exec(), container.all_rows(), few); },
                   "RowContainer::extract: 10 rows but room for " + text(m) + " values");
  }
}

TEST(Lengths, RelationsAreMadeOfEquallyLongColumns) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const Kokkos::View<std::uint32_t*, Kokkos::HostSpace> keys("keys", 10), few("few", 9);
  expect_message([&] { (void)mc_hash::tuples_of(Host(), keys, few); },
                 "mc_hash::tuples_of: 10 keys but 9 payloads");
}

}  // namespace
}  // namespace hashmill::test
