#include <cstdint>

#include "typed_suite.hpp"

namespace hashmill::perf {

std::vector<std::unique_ptr<Suite>> make_suites_32() { return make_suites<std::uint32_t>(); }

}  // namespace hashmill::perf
