#pragma once

#include <hashmill/error.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "case/suite.hpp"
#include "machine/execution_spaces.hpp"
#include "run/workbench.hpp"
#include "table_makers.hpp"

namespace hashmill::perf {

/// What makes the rows of table_list.hpp that can run on a bench, by their names.
template <class Bench>
class MakersOf {
 public:
  using Make = std::unique_ptr<Operation> (*)(Bench&, const TableAxes&);

  MakersOf() { list_tables(*this); }

  template <class Maker, RunsOn Where, unsigned WidestKey>
  void add(const Algorithm& algorithm) {
    constexpr bool is_host = is_host_space<typename Bench::Exec>;
    constexpr bool is_there = Where == RunsOn::every_backend || (Where == RunsOn::gpu) != is_host;
    if constexpr (is_there && 8 * sizeof(typename Bench::Key) <= WidestKey)
      makers_.emplace(algorithm.name, &Maker::template make<Bench>);
  }

  /// Throws `InvalidArgument` where the algorithm cannot run.
  Make find(const std::string& name) const {
    const auto found = makers_.find(name);
    if (found != makers_.end()) return found->second;
    throw InvalidArgument(name + " does not run on " + Bench::Exec::name());
  }

 private:
  std::map<std::string, Make> makers_;
};

/// The tables of one execution space and key type.
template <class Exec, class Key>
class TypedSuite : public Suite {
 public:
  std::string backend() const override { return Exec::name(); }
  unsigned key_bits() const override { return 8 * sizeof(Key); }
  void clear() override { bench_.clear(); }
  std::uint64_t planned_bins(const CompareCase& wanted) const override {
    return Bench::Graph::planned_bins(bench_.exec(), wanted.data.num_keys,
                                      graph_options(wanted.table, BuildAlgorithm::v2));
  }

  std::unique_ptr<Operation> make_operation(const CompareCase& wanted) override {
    const auto make = makers_.find(wanted.algorithm->name);
    bench_.use(wanted);
    return make(bench_, wanted.table);
  }

 private:
  using Bench = Workbench<Exec, Key>;

  MakersOf<Bench> makers_;
  Bench bench_;
};

/// The suites of one key type, one for each execution space compiled in.
template <class Key>
std::vector<std::unique_ptr<Suite>> make_suites() {
  std::vector<std::unique_ptr<Suite>> suites;
  for_each_execution_space([&]<class Exec>(TypeTag<Exec>) {
    suites.push_back(std::make_unique<TypedSuite<Exec, Key>>());
  });
  return suites;
}

}  // namespace hashmill::perf
