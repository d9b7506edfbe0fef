#pragma once

#include <memory>

#include "count_join.hpp"
#include "hash_join_operation.hpp"

namespace hashmill::perf {

/// Our joins of keys in views.
template <class Bench>
struct PlainJoins {
  static constexpr bool takes_columns = false;

  template <JoinStrategy Strategy>
  static std::unique_ptr<Operation> make(Bench& bench, const CompareCase& wanted,
                                         const Tally& expected) {
    const JoinKind kind = wanted.result.kind;
    switch (wanted.result.output) {
      case JoinOutput::count:
        return std::make_unique<CountJoinOperation<Bench, Strategy>>(bench, expected, kind);
      case JoinOutput::rows:
        return std::make_unique<HashJoinOperation<Bench, JoinedRows<Bench, Strategy>>>(
            bench, expected, kind);
      case JoinOutput::values_4:
        return make_of_values<std::uint32_t, Strategy>(bench, wanted, expected);
      case JoinOutput::values_8:
        return make_of_values<std::uint64_t, Strategy>(bench, wanted, expected);
      case JoinOutput::values_16:
        return make_of_values<Key128, Strategy>(bench, wanted, expected);
    }
    return nullptr;
  }

 private:
  template <class Value, JoinStrategy Strategy>
  static std::unique_ptr<Operation> make_of_values(Bench& bench, const CompareCase& wanted,
                                                   const Tally& expected) {
    using Joined = CarriedPayloads<Bench, Value>;
    using Gathered = GatheredPayloads<Bench, Value, Strategy>;
    if (wanted.algorithm->name == "join-values")
      return std::make_unique<HashJoinOperation<Bench, Joined>>(bench, expected);
    return std::make_unique<HashJoinOperation<Bench, Gathered>>(bench, expected);
  }
};

}  // namespace hashmill::perf
