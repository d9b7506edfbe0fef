#include "algorithms/support/failing_new.hpp"

#include <gtest/gtest.h>

#include <hashmill/hashmill.hpp>
#include <map>
#include <set>

#include "algorithms/group_by/values.hpp"
#include "algorithms/support/inputs.hpp"

namespace hashmill::test {
namespace {

using Key = std::uint32_t;
using Entries = std::multimap<Key, std::uint32_t>;

class EveryNew : public testing::Test {
 protected:
  void SetUp() override {
    if (backends::has_wide_teams<Exec>) GTEST_SKIP() << "Kokkos ends the program on devices";
    if (!FailingNew::can_spare_kokkos()) GTEST_SKIP() << "Kokkos is linked statically";
  }
};

/// The entries of a table, which its counts and look-ups must agree with.
template <class Table>
Entries entries_of(const Table& table) {
  const auto found = table.retrieve_all(Exec());
  const auto keys = to_host(found.keys);
  const auto rows = to_host(found.rows);
  Entries entries;
  for (std::size_t i = 0; i < keys.size(); ++i) entries.emplace(keys[i], rows[i]);
  EXPECT_EQ(entries.size(), table.size());
  const Kokkos::View<std::uint64_t*, Memory> counts("hashmill::test::counts", keys.size());
  table.count(Exec(), found.keys, counts);
  const auto there = to_host(counts);
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(there[i], entries.count(keys[i]));
  // As multimaps keep the order in which equal keys came, sort.
  std::set<std::pair<Key, std::uint32_t>> sorted(entries.begin(), entries.end());
  return Entries(sorted.begin(), sorted.end());
}

std::vector<Key> keys_of(const Numbers& numbers) {
  std::vector<Key> keys;
  for (const std::uint64_t number : numbers) keys.push_back(static_cast<Key>(number));
  return keys;
}

struct IsOdd {
  KOKKOS_FUNCTION bool operator()(std::uint32_t row) const { return row % 2 == 1; }
};

constexpr std::uint64_t small = 300;
/// The keys of a table, and those that a batch brings or takes away: some are in both.
const std::vector<Key>& old_keys() {
  static const std::vector<Key> keys = keys_of(repeated_numbers(small, small / 2, 91));
  return keys;
}
const std::vector<Key>& new_keys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> some = keys_of(random_numbers(2 * small, 92));
    std::copy_n(old_keys().begin(), 50, some.begin());
    return some;
  }();
  return keys;
}
std::vector<std::uint32_t> rows_from(std::uint32_t first, std::size_t count) {
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(first + static_cast<std::uint32_t>(i));
  return rows;
}

Entries without_new_keys(Entries entries) {
  for (const Key key : new_keys()) entries.erase(key);
  return entries;
}
template <class Table>
void erase_new_keys(Table& table) {
  (void)table.erase(Exec(), to_device(new_keys()));
}

TEST_F(EveryNew, LinearProbing) {
  using Table = LinearProbing<Key, Memory, RepeatedKeys>;
  const auto old = to_device(old_keys()), fresh = to_device(new_keys());
  const auto rows = to_device(rows_from(5000, new_keys().size()));
  const auto make = [&] { return Table(Exec(), old); };
  const auto insert = [&](Table& table) { (void)table.insert(Exec(), fresh, rows); };
  const auto inserted = [](Entries entries) {
    for (std::size_t i = 0; i < new_keys().size(); ++i) {
      entries.emplace(new_keys()[i], 5000 + static_cast<std::uint32_t>(i));
    }
    return entries;
  };
  const auto contents = entries_of<Table>;
  ASSERT_NO_FATAL_FAILURE(
      fail_everywhere(make, insert, contents, inserted, ShortOfMemory::in_part));
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(make, erase_new_keys<Table>, contents, without_new_keys));
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(
      make, [](Table& table) { table.rehash(Exec(), 9000); }, contents,
      [](Entries e) { return e; }));
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(
      make, [](Table& table) { table.clear(Exec()); }, contents,
      [](const Entries&) { return Entries(); }));
}

TEST_F(EveryNew, LinearProbingOfUniqueKeys) {
  using Table = LinearProbing<Key, Memory>;
  const std::vector<Key> distinct = keys_of(random_numbers(small, 93));
  const auto old = to_device(distinct), fresh = to_device(new_keys());
  const auto rows = to_device(rows_from(5000, new_keys().size()));
  const auto make = [&] { return Table(Exec(), old); };
  const auto assign = [&](Table& table) {
    (void)table.insert_or_assign(Exec(), old, Kokkos::subview(rows, std::make_pair(0, int(small))));
  };
  const auto assigned = [&](Entries entries) {
    entries.clear();
    for (std::size_t i = 0; i < small; ++i) {
      entries.emplace(distinct[i], 5000 + static_cast<std::uint32_t>(i));
    }
    return entries;
  };
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(make, assign, entries_of<Table>, assigned));
}

TEST_F(EveryNew, TagBucket) {
  using Table = TagBucket<Key, Memory>;
  std::vector<Key> all = old_keys();
  all.insert(all.end(), new_keys().begin(), new_keys().end());
  const auto keys = to_device(all);
  const auto make = [&] {
    return Table(Exec(), keys, {.buckets = BucketCount(24), .initial_rows = small});
  };
  const auto insert = [&](Table& table) { (void)table.insert(Exec(), small, 2 * small); };
  const auto inserted = [](Entries entries) {
    for (std::size_t i = 0; i < new_keys().size(); ++i) {
      entries.emplace(new_keys()[i], static_cast<std::uint32_t>(small + i));
    }
    return entries;
  };
  const auto same = [](Entries entries) { return entries; };
  const auto contents = entries_of<Table>;
  ASSERT_NO_FATAL_FAILURE(
      fail_everywhere(make, insert, contents, inserted, ShortOfMemory::in_part));
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(make, erase_new_keys<Table>, contents, without_new_keys));
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(
      make, [](Table& table) { (void)table.erase_if(Exec(), IsOdd{}); }, contents,
      [](Entries entries) {
        std::erase_if(entries, [](const auto& entry) { return entry.second % 2 == 1; });
        return entries;
      }));
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(
      make, [](Table& table) { table.rehash(Exec(), BucketCount(900)); }, contents, same));
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(
      make, [&](Table& table) { table.set_keys(Exec(), keys); }, contents, same));
}

TEST_F(EveryNew, Chaining) {
  using Table = Chaining<Key, Memory>;
  const auto old = to_device(old_keys()), fresh = to_device(new_keys());
  const auto make = [&] { return Table(Exec(), old); };
  const auto append = [&](Table& table) { (void)table.append(Exec(), fresh); };
  const auto appended = [](Entries entries) {
    const std::uint32_t first = entries.empty() ? 0 : small;
    for (std::size_t i = 0; i < new_keys().size(); ++i) {
      entries.emplace(new_keys()[i], first + static_cast<std::uint32_t>(i));
    }
    return entries;
  };
  const auto same = [](Entries entries) { return entries; };
  const auto contents = entries_of<Table>;
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(make, append, contents, appended));
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(make, erase_new_keys<Table>, contents, without_new_keys));
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(
      make, [](Table& table) { table.rehash(Exec(), BucketCount(5000)); }, contents, same));
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(
      make, [](Table& table) { table.clear(Exec()); }, contents,
      [](const Entries&) { return Entries(); }));
}

TEST_F(EveryNew, HashGraph) {
  using Table = HashGraph<Key, Memory>;
  const auto old = to_device(old_keys()), fresh = to_device(new_keys());
  const auto make = [&] { return Table(Exec(), old, {.buckets = BucketCount(512)}); };
  const auto contents = entries_of<Table>;
  const auto entries_from = [](const std::vector<Key>& keys) {
    Entries entries;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      entries.emplace(keys[i], static_cast<std::uint32_t>(i));
    }
    return entries;
  };
  const auto rebuild = [&](Table& table) {
    Workspace<Memory> workspace;
    table.rebuild(Exec(), fresh, {}, workspace);
  };
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(
      make, rebuild, contents, [&](const Entries&) { return entries_from(new_keys()); }));
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(make, erase_new_keys<Table>, contents, without_new_keys));
  const auto make_erased = [&] {
    Table table = make();
    erase_new_keys(table);
    return table;
  };
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(
      make_erased, [](Table& table) { table.compact(Exec()); }, contents,
      [](Entries entries) { return entries; }));
  const Table other(Exec(), fresh, {.buckets = BucketCount(512), .row_base = small});
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(
      make, [&](Table& table) { table = merge(Exec(), table, other); }, contents,
      [&](Entries entries) {
        entries.merge(entries_of(other));
        return entries;
      }));
}

TEST_F(EveryNew, ArrayTable) {
  using Table = ArrayTable<Key, Memory>;
  std::vector<Key> narrow;
  for (const Key key : old_keys()) narrow.push_back(key % 1000);
  const auto keys = to_device(narrow);
  const auto odd = to_device(std::vector<Key>{1, 3, 5, 77, 200, 999});
  ASSERT_NO_FATAL_FAILURE(fail_everywhere([&] { return Table(Exec(), keys); },
                                          [&](Table& table) { (void)table.erase(Exec(), odd); },
                                          entries_of<Table>,
                                          [](Entries entries) {
                                            for (const Key key : {1, 3, 5, 77, 200, 999})
                                              entries.erase(key);
                                            return entries;
                                          }));
}

/// Keys that were added stay, whatever fails.
TEST_F(EveryNew, BloomFilter) {
  const auto old = to_device(old_keys()), fresh = to_device(new_keys());
  const auto all_in = [](const auto& filter, const auto& keys) {
    const Kokkos::View<bool*, Memory> found("hashmill::test::found", keys.extent(0));
    filter.contains(Exec(), keys, found);
    const auto there = to_host(found);
    return std::count(there.begin(), there.end(), true) == std::ptrdiff_t(there.size());
  };
  for (std::int64_t call = 0;; ++call) {
    BloomFilter<Key, Memory> filter(Exec(), old);
    bool done = false;
    try {
      const FailingNew failing(call, false);
      filter.add(Exec(), fresh);
      done = true;
    } catch (const std::bad_alloc&) {
    }
    EXPECT_TRUE(all_in(filter, old));
    if (!done) filter.add(Exec(), fresh);
    EXPECT_TRUE(all_in(filter, fresh));
    if (!FailingNew::has_failed()) break;
  }
}

TEST_F(EveryNew, RowContainer) {
  using Rows = RowContainer<Memory, std::uint32_t, StringView>;
  using Contents = std::vector<std::pair<std::uint32_t, std::string>>;
  const std::vector<std::uint32_t> numbers = rows_from(7, 300);
  std::vector<std::int32_t> offsets{0};
  std::vector<char> bytes;
  for (const std::uint32_t number : numbers) {
    for (const char letter : std::to_string(number * 7919)) bytes.push_back(letter);
    offsets.push_back(static_cast<std::int32_t>(bytes.size()));
  }
  const auto device_numbers = to_device(numbers);
  const auto device_offsets = to_device(offsets);
  const auto device_bytes = to_device(bytes);
  const auto strings = string_column(device_offsets, device_bytes);
  const auto append = [&](Rows& rows) { (void)rows.append(Exec(), device_numbers, strings); };
  const auto make = [&] {
    Rows rows;
    append(rows);
    return rows;
  };
  const auto contents = [](const Rows& rows) {
    const Kokkos::View<std::uint32_t*, Memory> out("hashmill::test::out", rows.size());
    rows.template extract<0>(Exec(), rows.all_rows(), out);
    const auto texts = rows.template extract_strings<1>(Exec(), rows.all_rows());
    const auto starts = to_host(texts.offsets);
    const auto letters = to_host(texts.bytes);
    const auto values = to_host(out);
    Contents result;
    for (std::size_t i = 0; i < values.size(); ++i) {
      result.emplace_back(values[i],
                          std::string(letters.data() + starts[i], letters.data() + starts[i + 1]));
    }
    return result;
  };
  ASSERT_NO_FATAL_FAILURE(fail_everywhere(make, append, contents, [&](Contents rows) {
    for (const std::uint32_t number : numbers) {
      rows.emplace_back(number, std::to_string(number * 7919));
    }
    return rows;
  }));
}

TEST_F(EveryNew, HashAggregation) {
  using Counts = std::map<Key, std::pair<std::uint64_t, std::uint64_t>>;
  const auto old = to_device(old_keys()), fresh = to_device(new_keys());
  const auto add = [](auto& groups, const auto& keys) {
    groups.add(Exec(), keys, agg::count(), agg::sum(keys));
  };
  const auto contents = [](const auto& groups) {
    const auto found = groups.results(Exec());
    const auto keys = to_host(std::get<0>(found.keys).values);
    const auto counts = to_host(std::get<0>(found.results).values);
    const auto sums = to_host(std::get<1>(found.results).values);
    Counts result;
    for (std::size_t g = 0; g < keys.size(); ++g) result[keys[g]] = {counts[g], sums[g]};
    EXPECT_EQ(result.size(), groups.size());
    return result;
  };
  for (const BatchStrategy strategy : {BatchStrategy::by_groups, BatchStrategy::by_rows}) {
    const auto make = [&] {
      auto groups = hash_aggregation(Exec(), old, HashAggregationOptions{strategy}, agg::count(),
                                     agg::sum(old));
      add(groups, old);
      return groups;
    };
    ASSERT_NO_FATAL_FAILURE(fail_everywhere(
        make, [&](auto& groups) { add(groups, fresh); }, contents,
        [](Counts counts) {
          for (const Key key : new_keys()) {
            ++counts[key].first;
            counts[key].second += key;
          }
          return counts;
        }));
    ASSERT_NO_FATAL_FAILURE(fail_everywhere(
        make, [](auto& groups) { groups.clear(Exec()); }, contents,
        [](const Counts&) { return Counts(); }));
  }
}

}  // namespace
}  // namespace hashmill::test
