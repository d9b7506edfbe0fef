#include <hashmill/hash_graph.hpp>

#include "entries.hpp"
#include "fuzz/narrow_hash.hpp"
#include "operations.hpp"

namespace hashmill::test {
namespace {

template <class Key>
class HashGraphModel {
  using Table = HashGraph<Key, Memory, KeyRow<>, NarrowHash>;
  static constexpr std::uint64_t most = 3000;

 public:
  explicit HashGraphModel(RandomSource& random)
      : random_(random),
        hash_(random_hash(random)),
        buckets_(1 + random.below(2 * most)),
        table_(make(draw())) {}

  void run() {
    Operations operations;
    operations.add("merge", [this] { merge_batch(); });
    operations.add("erase", [this] { erase_some<Key>(table_, entries_, random_, most); });
    operations.add("compact", [this] { table_.compact(Exec()); });
    operations.add("rebuild", [this] { rebuild(); });
    operations.add("move", [this] { move_away_and_back(table_); });
    operations.run(random_, 1 + random_.below(16), [this] {
      require_entries(table_, entries_);
      require_answers(table_, entries_, some_queries(random_, entries_, 600));
    });
  }

 private:
  /// Few keys where they collide.
  Numbers draw() { return random_.numbers(hash_.bits < 8 ? 100 : most); }
  [[nodiscard]] HashGraphOptions options() {
    HashGraphOptions options{.buckets = buckets_, .row_base = next_row_};
    options.algorithm = random_.chance(2) ? BuildAlgorithm::v1 : BuildAlgorithm::v2;
    if (random_.chance(4)) options.bins = BinCount(1 + random_.below(200));
    return options;
  }
  void expect(const Numbers& numbers) {
    for (const std::uint64_t number : numbers) entries_.add(number, next_row_++);
  }
  /// A table of keys with the rows that follow those so far.
  Table make(const Numbers& numbers) {
    Table table(Exec(), KeyColumns<Key>(numbers).source(), options(), hash_);
    expect(numbers);
    return table;
  }

  void merge_batch() {
    const Table batch = make(draw());
    table_ = random_.chance(2) ? merge(Exec(), table_, batch) : merge(Exec(), batch, table_);
  }
  void rebuild() {
    const Numbers numbers = draw();
    table_.rebuild(Exec(), KeyColumns<Key>(numbers).source(), options(), workspace_);
    entries_.clear();
    expect(numbers);
  }

  RandomSource& random_;
  NarrowHash hash_;
  BucketCount buckets_;
  Entries<Key> entries_;
  std::uint64_t next_row_ = 0;
  Workspace<Memory> workspace_;
  Table table_;
};

template <class Key>
void run_model(RandomSource& random) {
  HashGraphModel<Key>(random).run();
}

}  // namespace

std::vector<FuzzStep> hash_graph_models() {
  return {{"operations, HashGraph", run_model<std::uint32_t>}};
}

}  // namespace hashmill::test
