#pragma once

#include <memory>
#include <string>
#include <vector>

#include "case/suite.hpp"
#include "group_bench.hpp"
#include "group_by_algorithms.hpp"
#include "machine/execution_spaces.hpp"

namespace hashmill::perf {

/// The group-bys of one execution space and key type: ours, which `GroupBys` makes, and on hosts
/// the peers'.
template <class Exec, class Key, template <class> class GroupBys>
class GroupBySuite : public Suite {
 public:
  std::string backend() const override { return Exec::name(); }
  unsigned key_bits() const override { return 8 * sizeof(Key); }
  bool takes_columns() const override { return GroupBys<Bench>::takes_columns; }
  void clear() override { bench_.clear(); }

  std::unique_ptr<Operation> make_operation(const CompareCase& wanted) override {
    bench_.use(wanted);
    if constexpr (is_host_space<Exec>) {
      if (const auto* const peer = RegisteredGroupByPeer::find(wanted.algorithm->name))
        return peer->make(host_group_by(wanted));
    }
    const OurGroupBy* const ours = find_row(our_group_bys(), wanted.algorithm->name);
    if (ours == nullptr)
      throw InvalidArgument(wanted.algorithm->name + " does not run on " + backend());
    return GroupBys<Bench>::make(bench_, ours->way, wanted);
  }

 private:
  using Bench = GroupBench<Exec, Key>;

  HostGroupBy host_group_by(const CompareCase& wanted) const {
    return {8 * sizeof(Key),          wanted.data.columns,  bench_.keys().data(),
            bench_.values().data(),   bench_.keys().size(), bench_.exec().concurrency(),
            wanted.result.aggregates, bench_.expected()};
  }

  Bench bench_;
};

/// The suites of one key type, one for each execution space compiled in.
template <class Key, template <class> class GroupBys>
std::vector<std::unique_ptr<Suite>> make_group_by_suites() {
  std::vector<std::unique_ptr<Suite>> suites;
  for_each_execution_space([&]<class Exec>(TypeTag<Exec>) {
    suites.push_back(std::make_unique<GroupBySuite<Exec, Key, GroupBys>>());
  });
  return suites;
}

}  // namespace hashmill::perf
