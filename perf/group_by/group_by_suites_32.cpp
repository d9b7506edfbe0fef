#include <cstdint>

#include "group_by_suite.hpp"
#include "group_by_suites.hpp"
#include "plain_group_bys.hpp"

namespace hashmill::perf {

std::vector<std::unique_ptr<Suite>> make_group_by_suites_32() {
  return make_group_by_suites<std::uint32_t, PlainGroupBys>();
}

}  // namespace hashmill::perf
