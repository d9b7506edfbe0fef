#include "algorithms/hash_graph/table.hpp"
#include "multi_map_cases.hpp"

namespace hashmill::test {
namespace {

std::vector<MultiMapCase> hash_graph_cases() {
  std::vector<MultiMapCase> cases;
  for (const auto& table_case : table_cases()) cases.push_back(table_case);
  return cases;
}

const MultiMapCases hash_graphs(hash_graph_cases);

}  // namespace
}  // namespace hashmill::test
