#include <array>
#include <hashmill/hash_aggregation.hpp>
#include <map>

#include "algorithms/group_by/batch_groups.hpp"
#include "operations.hpp"

namespace hashmill::test {
namespace {

/// An aggregation without groups, by any strategy.
auto empty_aggregation(RandomSource& random) {
  const BatchStrategy strategy = random.pick(
      std::array{BatchStrategy::automatic, BatchStrategy::by_groups, BatchStrategy::by_rows});
  const NumberBatch none({}, 0);
  return with_summary(none.values, [&](const auto&... asked) {
    return hash_aggregation(Exec(), none.device_keys, HashAggregationOptions{strategy}, asked...);
  });
}

class HashAggregationModel {
  using Aggregation = decltype(empty_aggregation(std::declval<RandomSource&>()));
  static constexpr std::uint64_t most = 4000;

 public:
  explicit HashAggregationModel(RandomSource& random)
      : random_(random), aggregation_(empty_aggregation(random)) {}

  void run() {
    Operations operations;
    operations.add("add", [this] { add(); });
    operations.add("merge", [this] { merge(); });
    operations.add("find", [this] { find(); });
    operations.add("clear", [this] { clear(); });
    operations.add("move", [this] { move_away_and_back(aggregation_); });
    operations.run(random_, 1 + random_.below(16), [this] { require_groups(); });
  }

 private:
  void require_groups() {
    require_equal("size", aggregation_.size(), std::uint64_t{expected_.groups().size()});
    const auto found = aggregation_.results(Exec());
    const auto keys = to_host(std::get<0>(found.keys).values);
    const auto summaries = host_summaries(found.results);
    std::map<std::uint32_t, GroupSummary> actual;
    for (std::size_t g = 0; g < keys.size(); ++g) actual[keys[g]] = summaries[g];
    require_equal("groups, of which none twice", keys.size(), actual.size());
    require_equal("groups", actual, expected_.groups());
  }

  void add() { add_to(aggregation_); }
  /// Adds the groups of another aggregation, or their states, which may be none.
  void merge() {
    Aggregation other = empty_aggregation(random_);
    for (std::uint64_t batches = random_.below(3); batches != 0; --batches) add_to(other);
    if (random_.below(2) == 0) return aggregation_.merge(Exec(), other);
    const auto groups = other.export_partials(Exec());
    aggregation_.add_partials(Exec(), groups.key_columns(), groups.states);
  }
  void add_to(Aggregation& aggregation) {
    const NumberBatch batch(random_.numbers(most), random_.below(100));
    with_summary(batch.values, [&](const auto&... asked) {
      aggregation.add(Exec(), batch.device_keys, asked...);
    });
    expected_.add(batch.keys, batch.values);
  }
  void find() {
    const NumberBatch batch(random_.numbers(most), 0);
    const Kokkos::View<std::uint32_t*, Memory> numbers("hashmill::test::numbers",
                                                       batch.keys.size());
    aggregation_.find(Exec(), batch.device_keys, numbers);
    const auto groups = to_host(numbers);
    const auto keys = to_host(std::get<0>(aggregation_.results(Exec()).keys).values);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const bool is_there = expected_.groups().contains(batch.keys[i]);
      require_equal("found", groups[i] != no_row<std::uint32_t>, is_there);
      if (is_there) require_equal("key of the group", keys.at(groups[i]), batch.keys[i]);
    }
  }
  void clear() {
    aggregation_.clear(Exec());
    expected_ = {};
  }

  RandomSource& random_;
  Aggregation aggregation_;
  ExpectedSummaries<std::uint32_t> expected_;
};

void run_model(RandomSource& random) { HashAggregationModel(random).run(); }

}  // namespace

std::vector<FuzzStep> hash_aggregation_models() {
  return {{"operations, HashAggregation", run_model}};
}

}  // namespace hashmill::test
