#include "group_by_algorithms.hpp"

namespace hashmill::perf {

namespace {

/// Why a group-by of ours cannot be run: of keys in columns, sums alone are compiled.
std::string columns_and_aggregates(const CompareCase& row) {
  const bool is_compiled =
      row.data.columns == KeyColumns::one || row.result.aggregates == Aggregates::sum;
  return is_compiled ? "" : "of --columns two, strings and nulls with --aggregate count and all";
}

Algorithm ours(std::string_view name, std::string_view structure) {
  Algorithm algorithm{
      name, OperationKind::group, structure, RunsOn::every_backend, {.groups = true}};
  algorithm.left_out = columns_and_aggregates;
  return algorithm;
}

}  // namespace

std::span<const Algorithm> group_by_algorithms() {
  static const std::vector<Algorithm> all = RegisteredGroupByPeer::list_after({
      ours("group-by", "group_by"),
      ours("group-rows", "group_rows, aggregate"),
      ours("group-in-rows", "group_by, strategy tag_bucket"),
  });
  return all;
}

}  // namespace hashmill::perf
