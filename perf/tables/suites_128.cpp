#include <cstdint>

#include "typed_suite.hpp"

namespace hashmill::perf {

std::vector<std::unique_ptr<Suite>> make_suites_128() { return make_suites<Key128>(); }

}  // namespace hashmill::perf
