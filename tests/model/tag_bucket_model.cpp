#include <hashmill/tag_bucket.hpp>

#include "entries.hpp"
#include "operations.hpp"

namespace hashmill::test {
namespace {

/// A table of some rows of columns that become longer.
template <class Key>
class TagBucketModel {
  using Table = TagBucket<Key, Memory>;
  static constexpr std::uint64_t most = 2000;

 public:
  explicit TagBucketModel(RandomSource& random)
      : random_(random),
        numbers_(random.numbers(most)),
        columns_(numbers_),
        options_(random_options(random, numbers_.size())),
        table_(Exec(), columns_.source(), options_) {
    for (std::uint64_t i = 0; i < *options_.initial_rows; ++i) expect_insert(i);
  }

  void run() {
    Operations operations;
    operations.add("insert", [this] { insert(); });
    operations.add("insert_async", [this] { insert_async(); });
    operations.add("insert_if", [this] { insert_if(); });
    operations.add("find_or_insert", [this] { find_or_insert(); });
    operations.add("set_keys", [this] { lengthen(); });
    operations.add("erase", [this] { erase_some<Key>(table_, entries_, random_, most); });
    operations.add("erase_if", [this] { erase_some_if(table_, entries_, random_); });
    operations.add("reserve", [this] { table_.reserve(Exec(), random_.below(2 * most)); });
    operations.add("rehash",
                   [this] { table_.rehash(Exec(), BucketCount(1 + random_.below(200))); });
    operations.add("clear", [this] { clear(); });
    operations.add("move", [this] { move_away_and_back(table_); });
    operations.run(random_, 1 + random_.below(24), [this] {
      require_equal("keys", table_.num_keys(), std::uint64_t{entries_.all().size()});
      require_entries(table_, entries_);
      require_answers(table_, entries_, some_queries(random_, entries_, 600));
    });
  }

 private:
  /// Rows of the columns, from `first` on.
  struct Range {
    std::uint64_t first, count;
  };
  Range draw() {
    const std::uint64_t first = random_.below(numbers_.size() + 1);
    return {first, random_.below(numbers_.size() - first + 1)};
  }
  static TagBucketOptions random_options(RandomSource& random, std::uint64_t rows) {
    constexpr double loads[] = {0.25, 0.5, 0.875};
    return {.load_factor = LoadFactor(random.pick(loads)),
            .initial_rows = random.below(rows + 1),
            .row_base = random.below(1000)};
  }

  /// Whether inserting the row at position i adds it.
  bool expect_insert(std::uint64_t i) {
    const std::uint64_t row = options_.row_base + i;
    if (entries_.rows(numbers_[i]).contains(row)) return false;
    entries_.add(numbers_[i], row);
    return true;
  }
  InsertResult expect_inserts(const Range& range) {
    InsertResult expected;
    for (std::uint64_t i = range.first; i < range.first + range.count; ++i)
      ++(expect_insert(i) ? expected.inserted : expected.existing);
    return expected;
  }
  static void require_result(const InsertResult& result, const InsertResult& expected) {
    require_equal("inserted", result.inserted, expected.inserted);
    require_equal("existing", result.existing, expected.existing);
    require_equal("failed", result.failed, expected.failed);
  }

  void insert() {
    const Range range = draw();
    require_result(table_.insert(Exec(), range.first, range.count), expect_inserts(range));
  }
  void insert_async() {
    const Range range = draw();
    const Exec exec;
    const Kokkos::View<InsertResult, Memory> result("hashmill::test::result");
    Workspace<Memory> workspace;
    table_.insert_async(exec, range.first, range.count, result, workspace);
    table_.recount(exec);
    InsertResult told;
    Kokkos::deep_copy(told, result);
    require_result(told, expect_inserts(range));
  }
  void insert_if() {
    const Range range = draw();
    const HasBit wanted{1U << random_.below(4)};
    const Kokkos::View<InsertOutcome*, Memory> outcomes("hashmill::test::outcomes", range.count);
    table_.insert_if(Exec(), range.first, range.count, wanted, outcomes);
    const auto told = to_host(outcomes);
    for (std::uint64_t i = 0; i < range.count; ++i) {
      InsertOutcome expected = InsertOutcome::skipped;
      if (wanted(i)) {
        const bool is_new = expect_insert(range.first + i);
        expected = is_new ? InsertOutcome::inserted : InsertOutcome::existing;
      }
      require_equal("outcome", static_cast<int>(told[i]), static_cast<int>(expected));
    }
  }
  /// Which of new rows stands for their key is the table's choice.
  void find_or_insert() {
    const Range range = draw();
    const Kokkos::View<std::uint32_t*, Memory> there("hashmill::test::there", range.count);
    const InsertResult result = table_.find_or_insert(Exec(), range.first, range.count, there);
    const auto rows = to_wide_host(there);
    InsertResult expected;
    for (std::uint64_t i = 0; i < range.count; ++i) {
      const std::uint64_t number = numbers_[range.first + i];
      const bool is_new = entries_.rows(number).empty();
      if (is_new) {
        const std::uint64_t position = rows[i] - options_.row_base;
        require_equal("a row of the range", position - range.first < range.count, true);
        require_equal("its key", normal_number<Key>(numbers_[position]),
                      normal_number<Key>(number));
        entries_.add(number, rows[i]);
      }
      require_equal("a row of the key", entries_.rows(number).contains(rows[i]), true);
      ++(is_new ? expected.inserted : expected.existing);
    }
    require_result(result, expected);
  }

  void lengthen() {
    const Numbers more = random_.numbers(most);
    numbers_.insert(numbers_.end(), more.begin(), more.end());
    columns_ = KeyColumns<Key>(numbers_);
    table_.set_keys(Exec(), columns_.source());
  }
  void clear() {
    table_.clear(Exec());
    entries_.clear();
  }

  RandomSource& random_;
  Numbers numbers_;
  KeyColumns<Key> columns_;
  TagBucketOptions options_;
  Table table_;
  Entries<Key> entries_;
};

template <class Key>
void run_model(RandomSource& random) {
  TagBucketModel<Key>(random).run();
}

}  // namespace

std::vector<FuzzStep> tag_bucket_models() {
  return {{"operations, TagBucket, 32 bits", run_model<std::uint32_t>},
          {"operations, TagBucket, 64 bits", run_model<std::uint64_t>}};
}

}  // namespace hashmill::test
