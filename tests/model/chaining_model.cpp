#include <hashmill/chaining.hpp>

#include "entries.hpp"
#include "fuzz/narrow_hash.hpp"
#include "operations.hpp"

namespace hashmill::test {
namespace {

template <class Key>
class ChainingModel {
  using Table = Chaining<Key, Memory, std::uint32_t, NarrowHash>;
  static constexpr std::uint64_t most = 3000;

 public:
  explicit ChainingModel(RandomSource& random)
      : random_(random),
        options_(random_options(random)),
        hash_(random_hash(random)),
        table_(Exec(), KeyColumns<Key>({}).source(), options_, hash_) {}

  void run() {
    Operations operations;
    operations.add("append", [this] { append(); });
    operations.add("append_async", [this] { append_async(); });
    operations.add("erase", [this] { erase_some<Key>(table_, entries_, random_, most); });
    operations.add("rehash",
                   [this] { table_.rehash(Exec(), BucketCount(1 + random_.below(most))); });
    operations.add("reserve", [this] { table_.reserve(Exec(), random_.below(4 * most)); });
    operations.add("compact", [this] { compact(); });
    operations.add("clear", [this] { clear(); });
    operations.add("move", [this] { move_away_and_back(table_); });
    operations.run(random_, 1 + random_.below(24), [this] {
      require_entries(table_, entries_);
      require_answers(table_, entries_, some_queries(random_, entries_, 600));
    });
  }

 private:
  static ChainingOptions random_options(RandomSource& random) {
    constexpr double averages[] = {0.25, 1, 16};
    return {.rows_per_bucket = RowsPerBucket(random.pick(averages)),
            .row_base = random.below(1000)};
  }
  /// Few keys where they collide.
  Numbers draw() { return random_.numbers(hash_.bits < 8 ? 100 : most); }
  void expect_appended(const Numbers& numbers, std::uint64_t first) {
    require_equal("first row", first, options_.row_base + appended_);
    for (const std::uint64_t number : numbers)
      entries_.add(number, options_.row_base + appended_++);
    require_equal("rows", table_.num_nodes(), appended_);
  }

  void append() {
    const Numbers numbers = draw();
    expect_appended(numbers, table_.append(Exec(), KeyColumns<Key>(numbers).source()));
  }
  void append_async() {
    const Exec exec;
    const Numbers first = draw(), second = draw();
    const KeyColumns<Key> first_keys(first), second_keys(second);
    expect_appended(first, table_.append_async(exec, first_keys.source()));
    expect_appended(second, table_.append_async(exec, second_keys.source()));
    exec.fence("hashmill::test: keys may go");
  }
  void compact() {
    const auto compacted = table_.compact(Exec());
    require_entries(compacted, entries_);
    require_answers(compacted, entries_, some_queries(random_, entries_, 600));
  }
  void clear() {
    table_.clear(Exec());
    entries_.clear();
    appended_ = 0;
  }

  RandomSource& random_;
  ChainingOptions options_;
  NarrowHash hash_;
  Table table_;
  Entries<Key> entries_;
  std::uint64_t appended_ = 0;
};

template <class Key>
void run_model(RandomSource& random) {
  ChainingModel<Key>(random).run();
}

}  // namespace

std::vector<FuzzStep> chaining_models() {
  return {{"operations, Chaining", run_model<std::uint64_t>}};
}

}  // namespace hashmill::test
