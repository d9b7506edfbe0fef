#pragma once

#include <memory>
#include <string>

#include "count_join.hpp"
#include "hash_join_operation.hpp"
#include "keys/key_columns.hpp"

namespace hashmill::perf {

/// A bench whose keys and queries are spread over columns, as operations see it.
template <class PlainBench, KeyColumns Kind>
class ColumnBench {
 public:
  using Exec = typename PlainBench::Exec;
  using Key = typename PlainBench::Key;
  using memory_space = typename PlainBench::memory_space;

  explicit ColumnBench(PlainBench& plain)
      : plain_(plain),
        keys_(Columns::split(plain.exec(), plain.keys())),
        queries_(Columns::split(plain.exec(), plain.queries())) {}

  const Exec& exec() const { return plain_.exec(); }
  Workspace<memory_space>& workspace() { return plain_.workspace(); }
  auto keys() const { return keys_.source(); }
  auto queries() const { return queries_.source(); }
  TrafficSizes traffic_sizes() const {
    TrafficSizes sizes = plain_.traffic_sizes();
    sizes.key_bytes = keys_.bytes_a_key();
    return sizes;
  }
  static void require_memory(std::uint64_t bytes, const std::string& what) {
    PlainBench::require_memory(bytes, what);
  }

 private:
  using Columns = KeyColumnsOf<Kind, Key, memory_space>;
  PlainBench& plain_;
  Columns keys_, queries_;
};

/// An operation with the columns that it works on.
template <class Bench, class Work>
class OperationOnColumns : public Operation {
 public:
  template <class PlainBench, class... Arguments>
  explicit OperationOnColumns(PlainBench& plain, const Arguments&... arguments)
      : bench_(plain), work_(bench_, arguments...) {}

  bool runs_in(RunMemory memory) const override { return work_.runs_in(memory); }
  void prepare(RunMemory memory) override { work_.prepare(memory); }
  void run() override { work_.run(); }
  std::string verify() override { return work_.verify(); }
  std::uint64_t num_items() const override { return work_.num_items(); }
  ByteBudget traffic() const override { return work_.traffic(); }

 private:
  Bench bench_;
  Work work_;
};

/// Our joins of keys that are spread over columns: counted, or row pairs.
template <class PlainBench>
struct ColumnJoins {
  static constexpr bool takes_columns = true;

  template <JoinStrategy Strategy>
  static std::unique_ptr<Operation> make(PlainBench& bench, const CompareCase& wanted,
                                         const Tally& expected) {
    switch (wanted.data.columns) {
      case KeyColumns::two:
        return make_of<KeyColumns::two, Strategy>(bench, wanted, expected);
      case KeyColumns::strings:
        return make_of<KeyColumns::strings, Strategy>(bench, wanted, expected);
      case KeyColumns::nulls:
        return make_of<KeyColumns::nulls, Strategy>(bench, wanted, expected);
      case KeyColumns::one:
        break;
    }
    return nullptr;
  }

  /// It takes no columns.
  static std::unique_ptr<Operation> make_join_values(PlainBench&, const CompareCase&,
                                                     const Tally&) {
    return nullptr;
  }

 private:
  template <KeyColumns Kind, JoinStrategy Strategy>
  static std::unique_ptr<Operation> make_of(PlainBench& plain, const CompareCase& wanted,
                                            const Tally& expected) {
    using Bench = ColumnBench<PlainBench, Kind>;
    using Count = CountJoinOperation<Bench, Strategy>;
    using Pairs = HashJoinOperation<Bench, JoinedRows<Bench, Strategy>>;
    const JoinKind kind = wanted.result.kind;
    if (wanted.result.output == JoinOutput::count)
      return std::make_unique<OperationOnColumns<Bench, Count>>(plain, expected, kind);
    return std::make_unique<OperationOnColumns<Bench, Pairs>>(plain, expected, kind);
  }
};

}  // namespace hashmill::perf
