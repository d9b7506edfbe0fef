#include <cstdint>

#include "join_suite.hpp"
#include "join_suites.hpp"
#include "plain_joins.hpp"

namespace hashmill::perf {

std::vector<std::unique_ptr<Suite>> make_join_suites_64() {
  return make_join_suites<std::uint64_t, PlainJoins>();
}

}  // namespace hashmill::perf
