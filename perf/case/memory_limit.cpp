#include "memory_limit.hpp"

#include "compare_case.hpp"
#include "topology/topology_report.hpp"

namespace hashmill::perf {

std::string to_string(const MemoryLimit& limit) {
  return limit.percent > 0 ? plain_number(limit.percent) + "%" : readable_bytes(limit.bytes);
}

}  // namespace hashmill::perf
