#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../execution_spaces.hpp"
#include "../suite.hpp"
#include "../workbench.hpp"
#include "count_join.hpp"
#include "join_algorithms.hpp"

namespace hashmill::perf {

/// The strategy of `hash_join` that a row stands for.
inline JoinStrategy join_strategy(std::string_view algorithm) {
  if (algorithm == "look-up") return JoinStrategy::look_up;
  if (algorithm == "intersect") return JoinStrategy::intersect;
  if (algorithm == "partitioned") return JoinStrategy::partitioned;
  if (algorithm == "unique-keys") return JoinStrategy::unique_keys;
  if (algorithm == "tag-bucket") return JoinStrategy::tag_bucket;
  if (algorithm == "array") return JoinStrategy::array;
  return JoinStrategy::automatic;
}

/// The joins of one execution space and key type: ours, and on hosts the peers'.
template <class Exec, class Key>
class JoinSuite : public Suite {
 public:
  std::string backend() const override { return Exec::name(); }
  unsigned key_bits() const override { return 8 * sizeof(Key); }
  void clear() override {
    held_.reset();
    bench_.clear();
  }

  std::unique_ptr<Operation> make_operation(const CompareCase& wanted) override {
    use_data(wanted);
    const Tally expected = bench_.expected_pairs(wanted.result.kind);
    if constexpr (is_host_space<Exec>) {
      if (const JoinPeer* const peer = RegisteredJoinPeer::find(wanted.algorithm->name))
        return peer->make(host_join(wanted, expected));
    }
    const JoinStrategy strategy = join_strategy(wanted.algorithm->name);
    switch (wanted.result.output) {
      case JoinOutput::count:
        return std::make_unique<CountJoinOperation<Bench>>(bench_, expected, wanted.result.kind,
                                                           strategy);
      case JoinOutput::rows:
        return std::make_unique<HashJoinOperation<Bench, JoinedRows<Bench>>>(
            bench_, expected, wanted.result.kind, strategy);
      case JoinOutput::values_4:
        return make_value_join<std::uint32_t>(wanted, expected, strategy);
      case JoinOutput::values_8:
        return make_value_join<std::uint64_t>(wanted, expected, strategy);
      case JoinOutput::values_16:
        return make_value_join<Key128>(wanted, expected, strategy);
    }
    return nullptr;
  }

 private:
  using Bench = Workbench<Exec, Key>;

  /// Makes the sides of a case, unless they are there. Asks for the memory of all of it before:
  /// sides that would leave none for the join take minutes to make.
  void use_data(const CompareCase& wanted) {
    if (held_ != wanted.data) {
      clear();
      const std::uint64_t rows = wanted.data.num_keys + wanted.data.num_queries;
      const auto output = static_cast<std::uint64_t>(wanted.result.output);
      const std::uint64_t payload_bytes = output >= 4 ? output : 0;
      const double pairs = static_cast<double>(wanted.data.num_queries) * wanted.data.hit_rate *
                           static_cast<double>(wanted.data.multiplicity);
      const double result_bytes = pairs * static_cast<double>(output == 1 ? 8 : 2 * payload_bytes);
      require_free_memory<typename Exec::memory_space>(
          rows * sizeof(Key) + join_work_bytes<Key>(rows, payload_bytes) +
              static_cast<std::uint64_t>(result_bytes),
          "join");
    }
    bench_.use(wanted);
    held_ = wanted.data;
  }

  template <class Value>
  std::unique_ptr<Operation> make_value_join(const CompareCase& wanted, const Tally& expected,
                                             JoinStrategy strategy) {
    using Joined = JoinedPayloads<Bench, Value>;
    using Gathered = GatheredPayloads<Bench, Value>;
    if (wanted.algorithm->name == "join-values")
      return std::make_unique<HashJoinOperation<Bench, Joined>>(bench_, expected);
    return std::make_unique<HashJoinOperation<Bench, Gathered>>(bench_, expected, strategy);
  }

  HostJoin host_join(const CompareCase& wanted, const Tally& expected) const {
    return {8 * sizeof(Key),         bench_.keys().data(),
            bench_.queries().data(), bench_.exec().concurrency(),
            bench_.traffic_sizes(),  wanted.result.kind,
            wanted.result.output,    expected};
  }

  Bench bench_;
  std::optional<DataAxes> held_;
};

/// The suites of one key type, one for each execution space compiled in.
template <class Key>
std::vector<std::unique_ptr<Suite>> make_join_suites() {
  std::vector<std::unique_ptr<Suite>> suites;
  for_each_execution_space([&]<class Exec>(TypeTag<Exec>) {
    suites.push_back(std::make_unique<JoinSuite<Exec, Key>>());
  });
  return suites;
}

}  // namespace hashmill::perf
