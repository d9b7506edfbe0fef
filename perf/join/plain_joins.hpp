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
        return make_gathered<std::uint32_t, Strategy>(bench, expected);
      case JoinOutput::values_8:
        return make_gathered<std::uint64_t, Strategy>(bench, expected);
      case JoinOutput::values_16:
        return make_gathered<Key128, Strategy>(bench, expected);
    }
    return nullptr;
  }

  static std::unique_ptr<Operation> make_join_values(Bench& bench, const CompareCase& wanted,
                                                     const Tally& expected) {
    switch (wanted.result.output) {
      case JoinOutput::values_4:
        return make_carried<std::uint32_t>(bench, expected);
      case JoinOutput::values_8:
        return make_carried<std::uint64_t>(bench, expected);
      case JoinOutput::values_16:
        return make_carried<Key128>(bench, expected);
      case JoinOutput::count:
      case JoinOutput::rows:
        break;
    }
    return nullptr;
  }

 private:
  template <class Value, JoinStrategy Strategy>
  static std::unique_ptr<Operation> make_gathered(Bench& bench, const Tally& expected) {
    using Joined = GatheredPayloads<Bench, Value, Strategy>;
    return std::make_unique<HashJoinOperation<Bench, Joined>>(bench, expected);
  }
  template <class Value>
  static std::unique_ptr<Operation> make_carried(Bench& bench, const Tally& expected) {
    using Joined = CarriedPayloads<Bench, Value>;
    return std::make_unique<HashJoinOperation<Bench, Joined>>(bench, expected);
  }
};

}  // namespace hashmill::perf
