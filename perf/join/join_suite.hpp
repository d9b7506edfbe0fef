#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "case/suite.hpp"
#include "hash_join_operation.hpp"
#include "join_algorithms.hpp"
#include "machine/execution_spaces.hpp"
#include "run/workbench.hpp"

namespace hashmill::perf {

/// The most bytes that the columns of a key take beside it.
constexpr std::uint64_t column_bytes(KeyColumns columns) {
  return columns == KeyColumns::one ? 0 : columns == KeyColumns::nulls ? 1 : 24;
}

/// Calls `make.template operator()<Strategy>()` for a strategy.
template <class Make>
std::unique_ptr<Operation> by_strategy(JoinStrategy strategy, const Make& make) {
  using enum JoinStrategy;
  switch (strategy) {
    case automatic:
      return make.template operator()<automatic>();
    case look_up:
      return make.template operator()<look_up>();
    case intersect:
      return make.template operator()<intersect>();
    case partitioned:
      return make.template operator()<partitioned>();
    case unique_keys:
      return make.template operator()<unique_keys>();
    case tag_bucket:
      return make.template operator()<tag_bucket>();
    case array:
      return make.template operator()<array>();
  }
  return nullptr;
}

/// The joins of one execution space and key type: ours, which `Joins` makes, and on hosts the
/// peers'.
template <class Exec, class Key, template <class> class Joins>
class JoinSuite : public Suite {
 public:
  std::string backend() const override { return Exec::name(); }
  unsigned key_bits() const override { return 8 * sizeof(Key); }
  bool takes_columns() const override { return Joins<Bench>::takes_columns; }
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
    const OurJoin* const ours = find_row(our_joins(), wanted.algorithm->name);
    if (ours == nullptr)
      throw InvalidArgument(wanted.algorithm->name + " does not run on " + backend());
    if (!ours->strategy) return Joins<Bench>::make_join_values(bench_, wanted, expected);
    return by_strategy(*ours->strategy, [&]<JoinStrategy Strategy>() {
      return Joins<Bench>::template make<Strategy>(bench_, wanted, expected);
    });
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
      const double pairs =
          static_cast<double>(wanted.data.num_queries) * wanted.data.hit_rate *
          (wanted.data.multiplicity + (is_left_to_chance(wanted.data.order) ? 1 : 0));
      const double result_bytes = pairs * static_cast<double>(output == 1 ? 8 : 2 * payload_bytes);
      require_free_memory<typename Exec::memory_space>(
          rows * (sizeof(Key) + column_bytes(wanted.data.columns)) +
              join_work_bytes<Key>(rows, payload_bytes) + static_cast<std::uint64_t>(result_bytes),
          "join");
    }
    bench_.use(wanted);
    held_ = wanted.data;
  }

  HostJoin host_join(const CompareCase& wanted, const Tally& expected) const {
    return {8 * sizeof(Key),         wanted.data.columns,         bench_.keys().data(),
            bench_.queries().data(), bench_.exec().concurrency(), bench_.traffic_sizes(),
            wanted.result.kind,      wanted.result.output,        expected};
  }

  Bench bench_;
  std::optional<DataAxes> held_;
};

/// The suites of one key type, one for each execution space compiled in.
template <class Key, template <class> class Joins>
std::vector<std::unique_ptr<Suite>> make_join_suites() {
  std::vector<std::unique_ptr<Suite>> suites;
  for_each_execution_space([&]<class Exec>(TypeTag<Exec>) {
    suites.push_back(std::make_unique<JoinSuite<Exec, Key, Joins>>());
  });
  return suites;
}

}  // namespace hashmill::perf
