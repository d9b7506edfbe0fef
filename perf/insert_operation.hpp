#pragma once

#include <string>

#include "build_operation.hpp"

namespace hashmill::perf {

/// Inserts all keys, in bulk, into a table of ours or a peer's that is there and was emptied, so
/// that it has all the room it needs; temporary memory of ours is kept from run to run.
template <class Bench, class Table>
class InsertOperation : public Operation {
 public:
  InsertOperation(Bench& bench, const TableAxes& axes) : build_(bench, axes), bench_(bench) {}

  void prepare() override {
    if (!build_.table()) build_.run();
    build_.table()->clear(bench_.exec());
    bench_.exec().fence("hashmill::perf::InsertOperation: the clock starts");
  }
  void run() override {
    if constexpr (requires { requires Table::takes_workspace; }) {
      build_.table()->insert_all(bench_.exec(), bench_.keys(), bench_.workspace());
    } else {
      build_.table()->insert(bench_.exec(), bench_.keys(), 0);
    }
    bench_.exec().fence("hashmill::perf::InsertOperation: the clock stops");
  }
  std::string verify() override { return build_.verify(); }
  std::uint64_t num_items() const override { return build_.num_items(); }
  ByteBudget traffic() const override { return build_.traffic(); }

 private:
  BuildOperation<Bench, Table> build_;
  Bench& bench_;
};

}  // namespace hashmill::perf
