#pragma once

#include <string>

#include "build_operation.hpp"

namespace hashmill::perf {

/// Inserts all keys, in bulk, into an existing table of ours or of a peer that was emptied, so that
/// it has all the room it needs. Whether memory is new or kept concerns the temporary memory of
/// ours.
template <class Bench, class Table>
class InsertOperation : public Operation {
 public:
  InsertOperation(Bench& bench, const TableAxes& axes) : build_(bench, axes), bench_(bench) {}

  bool runs_in(RunMemory memory) const override {
    return memory == RunMemory::kept || takes_workspace;
  }
  void prepare(RunMemory memory) override {
    if (!build_.table()) build_.run();
    build_.table()->clear(bench_.exec());
    if (memory == RunMemory::fresh) bench_.workspace() = {};
    bench_.exec().fence("hashmill::perf::InsertOperation: the clock starts");
  }
  void run() override {
    build_.insert_all();
    bench_.exec().fence("hashmill::perf::InsertOperation: the clock stops");
  }
  std::string verify() override { return build_.verify(); }
  std::uint64_t num_items() const override { return build_.num_items(); }
  ByteBudget traffic() const override { return build_.traffic(); }

 private:
  static constexpr bool takes_workspace = requires { requires Table::takes_workspace; };

  BuildOperation<Bench, Table> build_;
  Bench& bench_;
};

}  // namespace hashmill::perf
