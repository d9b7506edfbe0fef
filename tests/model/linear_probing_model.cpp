#include <hashmill/linear_probing.hpp>

#include "entries.hpp"
#include "operations.hpp"

namespace hashmill::test {
namespace {

struct Larger {
  template <class Row>
  KOKKOS_FUNCTION Row operator()(Row a, Row b) const {
    return a < b ? b : a;
  }
};

/// Inserts the keys at even positions and erases those at odd ones, all at once.
template <class Ref>
struct InsertAndErase {
  Ref ref;
  Kokkos::View<const typename Ref::key_type*, Memory> keys;
  Kokkos::View<const std::uint32_t*, Memory> rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i % 2 == 0) {
      ref.insert(keys(i), rows(i));
    } else {
      ref.erase(keys(i));
    }
  }
};

template <class Key, class Kind, class Hash>
class LinearProbingModel {
  using Table = LinearProbing<Key, Memory, Kind, std::uint32_t, Hash>;
  static constexpr bool unique = Table::unique;
  static constexpr std::uint64_t most = 3000;

 public:
  explicit LinearProbingModel(RandomSource& random)
      : random_(random), table_(Exec(), random.below(100), random_options(random)) {}

  void run() {
    Operations operations;
    operations.add("insert", [this] { insert(); });
    operations.add("insert_if", [this] { insert_if(); });
    if constexpr (unique) {
      operations.add("insert_or_assign", [this] { insert_or_assign(); });
      operations.add("insert_or_apply", [this] { insert_or_apply(); });
      operations.add("find_or_insert", [this] { find_or_insert(); });
    }
    operations.add("insert and erase in a kernel", [this] { insert_and_erase(); });
    operations.add("erase", [this] { erase_some<Key>(table_, entries_, random_, most); });
    operations.add("erase_if", [this] { erase_some_if(table_, entries_, random_); });
    operations.add("rehash", [this] { table_.rehash(Exec(), random_.below(2 * most)); });
    operations.add("reserve", [this] { table_.reserve(Exec(), random_.below(2 * most)); });
    operations.add("clear", [this] { clear(); });
    operations.add("move", [this] { move_away_and_back(table_); });
    operations.run(random_, 1 + random_.below(24), [this] {
      require_entries(table_, entries_);
      require_answers(table_, entries_, some_queries(random_, entries_, 600));
    });
  }

 private:
  /// Keys and the row of each, the same for equal keys, so that it does not matter which is kept.
  struct Batch {
    Batch(const Numbers& drawn, std::uint64_t salt) : numbers(drawn), columns(drawn) {
      for (const std::uint64_t number : numbers)
        rows.push_back(murmur3_fmix64(normal_number<Key>(number) + salt) & 0xFFFFFF);
      device_rows = to_device(rows);
    }
    [[nodiscard]] auto keys() const { return columns.source(); }
    Numbers numbers;
    KeyColumns<Key> columns;
    std::vector<std::uint32_t> rows;
    Kokkos::View<std::uint32_t*, Memory> device_rows;
  };
  static LinearProbingOptions random_options(RandomSource& random) {
    constexpr double loads[] = {0.25, 0.5, 0.9};
    return {.load_factor = LoadFactor(random.pick(loads))};
  }
  Batch draw() { return Batch(random_.numbers(most), random_.below(1000)); }

  /// What inserting row i comes to.
  InsertOutcome expect_insert(const Batch& batch, std::uint64_t i) {
    if (unique && !entries_.rows(batch.numbers[i]).empty()) return InsertOutcome::existing;
    entries_.add(batch.numbers[i], batch.rows[i]);
    return InsertOutcome::inserted;
  }
  InsertResult expect_inserts(const Batch& batch) {
    InsertResult expected;
    for (std::uint64_t i = 0; i < batch.rows.size(); ++i) {
      const bool is_new = expect_insert(batch, i) == InsertOutcome::inserted;
      ++(is_new ? expected.inserted : expected.existing);
    }
    return expected;
  }
  static void require_result(const InsertResult& result, const InsertResult& expected) {
    require_equal("inserted", result.inserted, expected.inserted);
    require_equal("existing", result.existing, expected.existing);
    require_equal("failed", result.failed, expected.failed);
  }

  void insert() {
    const Batch batch = draw();
    const InsertResult result = table_.insert(Exec(), batch.keys(), batch.device_rows);
    require_result(result, expect_inserts(batch));
  }
  void insert_if() {
    const Batch batch = draw();
    const HasBit wanted{1U << random_.below(4)};
    const Kokkos::View<InsertOutcome*, Memory> outcomes("hashmill::test::outcomes",
                                                        batch.rows.size());
    table_.insert_if(Exec(), batch.keys(), batch.device_rows, wanted, outcomes);
    std::map<std::uint64_t, int> inserted, expected;  // of equal keys any one is the new one
    const auto told = to_host(outcomes);
    for (std::uint64_t i = 0; i < told.size(); ++i) {
      const std::uint64_t number = normal_number<Key>(batch.numbers[i]);
      require_equal("skipped", told[i] == InsertOutcome::skipped, !wanted(i));
      inserted[number] += told[i] == InsertOutcome::inserted;
      expected[number] += wanted(i) && expect_insert(batch, i) == InsertOutcome::inserted;
    }
    require_equal("rows inserted of each key", inserted, expected);
  }
  void insert_or_assign() {
    const Batch batch = draw();
    const InsertResult result = table_.insert_or_assign(Exec(), batch.keys(), batch.device_rows);
    require_result(result, expect_inserts(batch));
    for (std::uint64_t i = 0; i < batch.rows.size(); ++i) replace(batch.numbers[i], batch.rows[i]);
  }
  void insert_or_apply() {
    const Batch batch = draw();
    const InsertResult result =
        table_.insert_or_apply(Exec(), batch.keys(), batch.device_rows, Larger());
    require_result(result, expect_inserts(batch));
    for (std::uint64_t i = 0; i < batch.rows.size(); ++i) {
      const std::uint64_t row = *entries_.rows(batch.numbers[i]).begin();
      replace(batch.numbers[i], std::max<std::uint64_t>(row, batch.rows[i]));
    }
  }
  void replace(std::uint64_t number, std::uint64_t row) {
    entries_.erase({number});
    entries_.add(number, row);
  }
  void find_or_insert() {
    const Batch batch = draw();
    const Kokkos::View<std::uint32_t*, Memory> there("hashmill::test::there", batch.rows.size());
    const InsertResult result =
        table_.find_or_insert(Exec(), batch.keys(), batch.device_rows, there);
    require_result(result, expect_inserts(batch));
    const auto rows = to_wide_host(there);
    for (std::uint64_t i = 0; i < rows.size(); ++i)
      require_equal("row that is there", rows[i], *entries_.rows(batch.numbers[i]).begin());
  }

  void insert_and_erase() {
    const Numbers drawn = random_.numbers(most);
    Numbers numbers;
    for (std::uint64_t i = 0; i < drawn.size(); ++i)
      numbers.push_back(drawn[i] / 2 * 2 + i % 2);  // none is inserted and erased
    const Batch batch(numbers, random_.below(1000));
    table_.reserve(Exec(), table_.size() + table_.num_tombstones() + batch.rows.size());
    Kokkos::parallel_for(
        "hashmill::test::insert_and_erase",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, batch.rows.size()),
        InsertAndErase<typename Table::ref_type>{table_.ref(), batch.keys(), batch.device_rows});
    table_.recount(Exec());
    for (std::uint64_t i = 0; i < batch.rows.size(); ++i) {
      if (i % 2 == 0) {
        expect_insert(batch, i);
      } else {
        entries_.erase({batch.numbers[i]});
      }
    }
  }
  void clear() {
    table_.clear(Exec());
    entries_.clear();
  }

  RandomSource& random_;
  Table table_;
  Entries<Key> entries_;
};

template <class Key, class Kind, class Hash>
void run_model(RandomSource& random) {
  LinearProbingModel<Key, Kind, Hash>(random).run();
}

}  // namespace

std::vector<FuzzStep> linear_probing_models() {
  return {{"operations, LinearProbing unique", run_model<std::uint32_t, UniqueKeys, Murmur3Hash>},
          {"operations, LinearProbing repeated", run_model<Key128, RepeatedKeys, Murmur3Hash>}};
}

}  // namespace hashmill::test
