#include "group_by_algorithms.hpp"

namespace hashmill::perf {

std::span<const Algorithm> group_by_algorithms() {
  constexpr auto kind = OperationKind::group;
  constexpr auto everywhere = RunsOn::every_backend;
  constexpr UsedAxes groups{.groups = true};
  static const std::vector<Algorithm> all = RegisteredGroupByPeer::list_after({
      {"group-by", kind, "group_by", everywhere, groups},
      {"group-rows", kind, "group_rows, aggregate", everywhere, groups},
      {"group-in-rows", kind, "group_by, strategy tag_bucket", everywhere, groups},
  });
  return all;
}

}  // namespace hashmill::perf
