#include <cstdint>

#include "group_by_suite.hpp"
#include "group_by_suites.hpp"

namespace hashmill::perf {

std::vector<std::unique_ptr<Suite>> make_group_by_suites_64() {
  return make_group_by_suites<std::uint64_t>();
}

}  // namespace hashmill::perf
