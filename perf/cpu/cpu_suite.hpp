#pragma once

#include <memory>
#include <string>
#include <utility>

#include "case/suite.hpp"

namespace hashmill::perf {

/// The tables and the joins of one execution space and key type together. Each has data of its own,
/// so that one at a time holds any.
class CpuSuite : public Suite {
 public:
  CpuSuite(std::unique_ptr<Suite> tables, std::unique_ptr<Suite> joins)
      : tables_(std::move(tables)), joins_(std::move(joins)) {}

  std::string backend() const override { return tables_->backend(); }
  unsigned key_bits() const override { return tables_->key_bits(); }
  void clear() override {
    tables_->clear();
    joins_->clear();
  }
  std::unique_ptr<Operation> make_operation(const CompareCase& wanted) override {
    const bool joins = wanted.algorithm->kind == OperationKind::both_sides;
    (joins ? tables_ : joins_)->clear();
    return (joins ? joins_ : tables_)->make_operation(wanted);
  }

 private:
  std::unique_ptr<Suite> tables_, joins_;
};

}  // namespace hashmill::perf
