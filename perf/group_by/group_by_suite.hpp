#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../execution_spaces.hpp"
#include "../suite.hpp"
#include "group_by_algorithms.hpp"
#include "library_group_by.hpp"

namespace hashmill::perf {

/// The group-bys of one execution space and key type: ours, and on hosts the peers'.
template <class Exec, class Key>
class GroupBySuite : public Suite {
 public:
  std::string backend() const override { return Exec::name(); }
  unsigned key_bits() const override { return 8 * sizeof(Key); }
  void clear() override { bench_.clear(); }

  std::unique_ptr<Operation> make_operation(const CompareCase& wanted) override {
    bench_.use(wanted);
    if constexpr (is_host_space<Exec>) {
      if (const auto* const peer = RegisteredGroupByPeer::find(wanted.algorithm->name))
        return peer->make(host_group_by(wanted.result.aggregates));
    }
    switch (wanted.result.aggregates) {
      case Aggregates::count:
        return make<Aggregates::count>(wanted);
      case Aggregates::sum:
        return make<Aggregates::sum>(wanted);
      case Aggregates::all:
        return make<Aggregates::all>(wanted);
    }
    return nullptr;
  }

 private:
  using Bench = GroupBench<Exec, Key>;

  template <Aggregates Asked>
  std::unique_ptr<Operation> make(const CompareCase& wanted) {
    if (wanted.algorithm->name == "group-rows")
      return std::make_unique<LibraryGroupBy<Bench, Asked, GroupWay::numbered>>(bench_);
    if (wanted.algorithm->name == "group-in-rows")
      return std::make_unique<LibraryGroupBy<Bench, Asked, GroupWay::in_rows>>(bench_);
    return std::make_unique<LibraryGroupBy<Bench, Asked, GroupWay::automatic>>(bench_);
  }

  HostGroupBy host_group_by(Aggregates aggregates) const {
    return {8 * sizeof(Key),      bench_.keys().data(),        bench_.values().data(),
            bench_.keys().size(), bench_.exec().concurrency(), aggregates,
            bench_.expected()};
  }

  Bench bench_;
};

/// The suites of one key type, one for each execution space compiled in.
template <class Key>
std::vector<std::unique_ptr<Suite>> make_group_by_suites() {
  std::vector<std::unique_ptr<Suite>> suites;
  for_each_execution_space([&]<class Exec>(TypeTag<Exec>) {
    suites.push_back(std::make_unique<GroupBySuite<Exec, Key>>());
  });
  return suites;
}

}  // namespace hashmill::perf
