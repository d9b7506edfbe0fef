#include "table_algorithms.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "table_list.hpp"

namespace hashmill::perf {
namespace {

/// Takes a list without what makes its rows, which is not compiled then.
class AlgorithmRows {
 public:
  template <class Maker, RunsOn, unsigned WidestKey>
  void add(Algorithm algorithm) {
    rows_.push_back(std::move(algorithm));
  }
  std::vector<Algorithm> by_operation() && {
    std::ranges::stable_sort(rows_, {}, &Algorithm::kind);
    return std::move(rows_);
  }

 private:
  std::vector<Algorithm> rows_;
};

std::vector<Algorithm> all_listed() {
  AlgorithmRows rows;
  list_tables(rows);
  return std::move(rows).by_operation();
}

}  // namespace

std::span<const Algorithm> table_algorithms() {
  static const std::vector<Algorithm> all = all_listed();
  return all;
}

const Algorithm* find_table_algorithm(std::string_view name) {
  const auto all = table_algorithms();
  const auto found = std::ranges::find(all, name, &Algorithm::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace hashmill::perf
