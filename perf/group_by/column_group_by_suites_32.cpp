#include <cstdint>

#include "column_group_bys.hpp"
#include "group_by_suite.hpp"
#include "group_by_suites.hpp"

namespace hashmill::perf {

std::vector<std::unique_ptr<Suite>> make_column_group_by_suites_32() {
  return make_group_by_suites<std::uint32_t, ColumnGroupBys>();
}

}  // namespace hashmill::perf
