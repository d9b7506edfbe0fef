#include <cstdint>

#include "typed_suite.hpp"

namespace hashmill::perf {

std::vector<std::unique_ptr<Suite>> make_suites_64() { return make_suites<std::uint64_t>(); }

}  // namespace hashmill::perf
