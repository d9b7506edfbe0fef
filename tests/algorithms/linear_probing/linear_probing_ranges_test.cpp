#include <map>

#include "linear_probing_fixture.hpp"

// Inserts by ranges of windows in team scratch, which GPUs use for many rows, forced on this
// machine's execution space: on hosts their teams have one thread.

namespace hashmill::test {
namespace {

template <class KeyType, class HashType, class KindType, class RowType>
struct RangeTypes {
  using Key = KeyType;
  using Hash = HashType;
  using Kind = KindType;
  using Row = RowType;
};

/// What a table holds: the rows of each key, ascending.
using Entries = std::map<std::uint64_t, std::vector<std::uint64_t>>;

template <class Types>
class LinearProbingRanges : public testing::Test {
 protected:
  using Key = typename Types::Key;
  using Row = typename Types::Row;
  using Table = Probing<Key, typename Types::Kind, Row, typename Types::Hash>;
  using Ref = typename Table::ref_type;
  using Slots = typename Ref::Slots;
  using Window = typename Table::Window;

  static std::uint64_t range_slots() { return detail::range_windows<Slots>(Exec()) * Window::size; }
  /// A table of so many ranges and a short one.
  static Table make_table(std::uint64_t ranges = 5) {
    return Table(Exec(), (ranges * range_slots() + 3 * Window::size) / 2);
  }
  /// A row for each number. Far rows need all bits of 64-bit numbers.
  static std::vector<Row> rows_of(const Numbers& numbers, std::uint64_t first = 0) {
    std::vector<Row> rows(numbers.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<Row>(first + i) | Row{1} << (sizeof(Row) * 8 - 2);
    }
    return rows;
  }

  /// Inserts by the team engine. Expects the plan to choose ranges.
  static InsertResult insert(Table& table, const Numbers& numbers, const std::vector<Row>& rows,
                             bool fresh) {
    const Exec exec;
    const Ref ref = table.ref();
    const auto plan =
        detail::plan_insert<Slots, detail::Engine::team>(Exec(), ref.num_windows(), numbers.size());
    EXPECT_EQ(plan.path, detail::InsertPath::ranges);
    const KeyColumns<Key> keys(numbers);
    const auto row_view = to_device(rows);
    const Kokkos::View<InsertResult, Memory> counts("hashmill::test::counts");
    Workspace<Memory> workspace;
    using Source = detail::KeyRowSource<Key, Row, typename KeyColumns<Key>::Source,
                                        Kokkos::View<Row*, Memory>>;
    detail::bulk_insert<detail::Engine::team>(exec, ref, Source{keys.source(), row_view},
                                              numbers.size(), fresh, {counts.data()}, workspace);
    exec.fence("hashmill::test: the rows are inserted");
    InsertResult result;
    Kokkos::deep_copy(result, counts);
    table.recount(exec);
    return result;
  }

  /// Reads the windows of a table. Expects that each entry can be found: that no empty slot is
  /// between its home and itself.
  static Entries entries_of(const Table& table) {
    const Ref ref = table.ref();
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    const auto windows =
        to_host(Kokkos::View<const Window*, Memory, Unmanaged>(ref.window(0), ref.num_windows()));
    Entries entries;
    for (std::uint64_t w = 0; w < windows.size(); ++w) {
      bool ended = false;
      for (const auto& slot : windows[w].slots) {
        EXPECT_FALSE(ended && !Slots::is_empty(slot))
            << "an empty slot before another, window " << w;
        ended = ended || Slots::is_empty(slot);
        if (!Slots::is_live(slot)) continue;
        const Key key = Slots::key(slot);
        entries[number_of(key)].push_back(Slots::row(slot));
        for (std::uint64_t v = ref.home(key); v != w; v = ref.next(v)) {
          if (!Slots::is_empty(windows[v].slots[Window::size - 1])) continue;
          ADD_FAILURE() << "window " << v << " hides an entry in window " << w;
          break;
        }
      }
    }
    for (auto& [number, rows] : entries) std::sort(rows.begin(), rows.end());
    return entries;
  }
  static std::uint64_t size_of(const Entries& entries) {
    std::uint64_t size = 0;
    for (const auto& [number, rows] : entries) size += rows.size();
    return size;
  }

  /// Expects the outcome of an insert into a table of unique keys that held `before`.
  static void expect_unique(const Entries& before, const Entries& given, const Entries& after,
                            const InsertResult& result, std::uint64_t refused, bool full) {
    std::uint64_t lost = 0;
    for (const auto& [number, rows] : given) {
      const auto entry = after.find(number);
      if (entry == after.end()) {
        ASSERT_TRUE(full) << "key " << number << " is lost";
        lost += rows.size();
      } else if (before.count(number) == 0) {
        ASSERT_TRUE(std::binary_search(rows.begin(), rows.end(), entry->second.front()));
      }
    }
    for (const auto& [number, rows] : after) {
      ASSERT_EQ(rows.size(), 1U) << "key " << number;
      ASSERT_TRUE(before.count(number) != 0 || given.count(number) != 0) << "key " << number;
    }
    EXPECT_EQ(result.failed, refused + lost);
    EXPECT_EQ(result.existing, size_of(given) - lost - result.inserted);
  }
  /// As above, of a table that takes any number of rows of a key.
  static void expect_repeated(const Entries& before, const Entries& given, const Entries& after,
                              const InsertResult& result, std::uint64_t refused, bool full) {
    Entries all = before;
    for (const auto& [number, rows] : given) {
      auto& of_key = all[number];
      of_key.insert(of_key.end(), rows.begin(), rows.end());
      std::sort(of_key.begin(), of_key.end());
    }
    for (const auto& [number, rows] : after) {
      const auto& of_key = all[number];
      ASSERT_TRUE(std::includes(of_key.begin(), of_key.end(), rows.begin(), rows.end()));
    }
    ASSERT_TRUE(full || after == all);
    EXPECT_EQ(result.failed, refused + size_of(given) - result.inserted);
    EXPECT_EQ(result.existing, 0U);
  }

  /// Inserts rows and expects what std containers tell of them.
  static void expect_insert(Table& table, const Numbers& numbers, const std::vector<Row>& rows,
                            bool fresh) {
    const Entries before = fresh ? Entries() : entries_of(table);
    const std::uint64_t tombstones = fresh ? 0 : table.num_tombstones();
    const InsertResult result = insert(table, numbers, rows, fresh);
    const Entries after = entries_of(table);
    Entries given;
    std::uint64_t refused = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] >= detail::slot_rows_end<Row>) {
        ++refused;
      } else {
        given[normal_number<Key>(numbers[i])].push_back(rows[i]);
      }
    }
    for (auto& [number, of_key] : given) std::sort(of_key.begin(), of_key.end());
    for (const auto& [number, of_key] : before) {
      const auto entry = after.find(number);
      ASSERT_NE(entry, after.end());
      ASSERT_TRUE(
          std::includes(entry->second.begin(), entry->second.end(), of_key.begin(), of_key.end()));
    }
    EXPECT_EQ(table.size(), size_of(after));
    EXPECT_EQ(table.num_tombstones(), tombstones);
    EXPECT_EQ(result.inserted, size_of(after) - size_of(before));
    const bool full = size_of(after) + tombstones == table.num_slots();
    Table::unique ? expect_unique(before, given, after, result, refused, full)
                  : expect_repeated(before, given, after, result, refused, full);
  }
};

/// Slots of 8, 16 and 32 bytes, good and bad hashes.
using RangeCombinations =
    SampledTypes<RangeTypes<std::uint32_t, Murmur3Hash, UniqueKeys, std::uint32_t>,
                 RangeTypes<std::uint32_t, FourBitHash, RepeatedKeys, std::uint32_t>,
                 RangeTypes<std::uint64_t, Murmur3Hash, RepeatedKeys, std::uint32_t>,
                 RangeTypes<std::uint32_t, ConstantHash, UniqueKeys, std::uint64_t>,
                 RangeTypes<std::uint64_t, FourBitHash, UniqueKeys, std::uint64_t>,
                 RangeTypes<Key128, ConstantHash, RepeatedKeys, std::uint32_t>,
                 RangeTypes<Key128, Murmur3Hash, UniqueKeys, std::uint64_t>>;
TYPED_TEST_SUITE(LinearProbingRanges, RangeCombinations);

TYPED_TEST(LinearProbingRanges, BuildsFromEveryShape) {
  using Fixture = LinearProbingRanges<TypeParam>;
  for (const double load : {0.15, 0.5, 0.93}) {
    auto table = Fixture::make_table();
    const auto count = static_cast<std::uint64_t>(load * static_cast<double>(table.num_slots()));
    for (const NamedNumbers& shape : every_shape(count, 7)) {
      SCOPED_TRACE(shape.name + " at load factor " + std::to_string(load));
      // The table still holds the last shape: a fresh one must not depend on what is there.
      ASSERT_NO_FATAL_FAILURE(
          Fixture::expect_insert(table, shape.numbers, Fixture::rows_of(shape.numbers), true));
    }
  }
}

TYPED_TEST(LinearProbingRanges, AddsToEntriesAndTombstones) {
  using Fixture = LinearProbingRanges<TypeParam>;
  auto table = Fixture::make_table();
  const std::uint64_t quarter = table.num_slots() / 4;
  const Numbers first = sequential_numbers(quarter), second = sequential_numbers(quarter, quarter);
  ASSERT_NO_FATAL_FAILURE(Fixture::expect_insert(table, first, Fixture::rows_of(first), true));
  table.erase(Exec(),
              KeyColumns<typename TypeParam::Key>(sequential_numbers(quarter / 2)).source());
  ASSERT_EQ(table.num_tombstones(), quarter / 2);
  ASSERT_NO_FATAL_FAILURE(
      Fixture::expect_insert(table, second, Fixture::rows_of(second, 1'000'000), false));
  const Numbers both = repeated_numbers(quarter, 3 * quarter, 5);  // present, erased and new
  ASSERT_NO_FATAL_FAILURE(
      Fixture::expect_insert(table, both, Fixture::rows_of(both, 2'000'000), false));
  ASSERT_NO_FATAL_FAILURE(
      Fixture::expect_insert(table, second, Fixture::rows_of(second, 3'000'000), false));
}

TYPED_TEST(LinearProbingRanges, TellsWhatAFullTableHasNoRoomFor) {
  using Fixture = LinearProbingRanges<TypeParam>;
  auto table = Fixture::make_table();
  const Numbers many = sequential_numbers(table.num_slots() + 99);
  ASSERT_NO_FATAL_FAILURE(Fixture::expect_insert(table, many, Fixture::rows_of(many), true));
  EXPECT_EQ(table.size(), table.num_slots());
  const Numbers others = sequential_numbers(table.num_slots() / 8, many.size() - 300);
  ASSERT_NO_FATAL_FAILURE(Fixture::expect_insert(table, others, Fixture::rows_of(others), false));
  EXPECT_EQ(table.size(), table.num_slots());
}

TYPED_TEST(LinearProbingRanges, RefusesRowsThatSlotsNeed) {
  using Fixture = LinearProbingRanges<TypeParam>;
  using Row = typename TypeParam::Row;
  auto table = Fixture::make_table();
  const Numbers numbers = repeated_numbers(table.num_slots() / 2, table.num_slots() / 3, 3);
  auto rows = Fixture::rows_of(numbers);
  for (std::size_t i = 0; i < rows.size(); i += 5) rows[i] = no_row<Row> - static_cast<Row>(i % 3);
  rows[1] = no_row<Row> - 3;  // the largest that is taken
  ASSERT_NO_FATAL_FAILURE(Fixture::expect_insert(table, numbers, rows, true));
  ASSERT_NO_FATAL_FAILURE(Fixture::expect_insert(table, numbers, rows, false));
}

TYPED_TEST(LinearProbingRanges, DefersTheFirstOfVeryManyRecordsOfARange) {
  using Fixture = LinearProbingRanges<TypeParam>;
  auto table = Fixture::make_table();
  const std::uint64_t most =
      detail::InsertRangeTeam<Exec, decltype(table.ref())>::most_records_per_slot;
  Numbers numbers = equal_numbers(most * Fixture::range_slots() + 1000, 42);
  for (std::uint64_t i = 0; i < numbers.size(); i += 100) numbers[i] = i;
  ASSERT_NO_FATAL_FAILURE(Fixture::expect_insert(table, numbers, Fixture::rows_of(numbers), true));
}

/// More ranges than partitioning takes at one level.
class ManyProbingRanges : public LinearProbingRanges<
                              RangeTypes<std::uint64_t, Murmur3Hash, UniqueKeys, std::uint32_t>> {};

TEST_F(ManyProbingRanges, TakeTwoLevels) {
  auto table = make_table(600);
  const Numbers numbers = repeated_numbers(table.num_slots() / 2, table.num_slots() / 2, 8);
  ASSERT_NO_FATAL_FAILURE(expect_insert(table, numbers, rows_of(numbers), true));
}

TEST(LinearProbingRanges, OtherRowsDoNotComeByRanges) {
  using Slots = Probing<std::uint32_t, UniqueKeys>::ref_type::Slots;
  const std::uint64_t windows = 10 * detail::range_windows<Slots>(Exec());
  const auto path = [](std::uint64_t num_windows, std::uint64_t rows) {
    return detail::plan_insert<Slots, detail::Engine::team>(Exec(), num_windows, rows).path;
  };
  EXPECT_EQ(path(windows, windows / 2), detail::InsertPath::ranges);
  EXPECT_NE(path(windows, windows / 2 - 1), detail::InsertPath::ranges);
  EXPECT_NE(path(windows, 0), detail::InsertPath::ranges);
  EXPECT_NE(path(windows / 10 * 4, windows), detail::InsertPath::ranges);
  EXPECT_EQ(path(0, 100), detail::InsertPath::each);
}

}  // namespace
}  // namespace hashmill::test
