#include <cstdint>

#include "column_joins.hpp"
#include "join_suite.hpp"
#include "join_suites.hpp"

namespace hashmill::perf {

std::vector<std::unique_ptr<Suite>> make_column_join_suites_32() {
  return make_join_suites<std::uint32_t, ColumnJoins>();
}

}  // namespace hashmill::perf
