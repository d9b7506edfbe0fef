#include "group_by_algorithms.hpp"

#include <utility>

namespace hashmill::perf {
namespace {

/// Why a group-by of ours cannot be run: of keys in columns, sums alone are compiled.
std::string columns_and_aggregates(const CompareCase& row) {
  const bool is_compiled =
      row.data.columns == KeyColumns::one || row.result.aggregates == Aggregates::sum;
  return is_compiled ? "" : "of --columns two, strings and nulls with --aggregate count and all";
}

OurGroupBy ours(std::string name, std::string structure, GroupWay way) {
  return {{.name = std::move(name),
           .kind = OperationKind::group,
           .structure = std::move(structure),
           .axes = {.groups = true},
           .left_out = columns_and_aggregates},
          way};
}

}  // namespace

const std::vector<OurGroupBy>& our_group_bys() {
  static const std::vector<OurGroupBy> all = {
      ours("group-by", "group_by", GroupWay::automatic),
      ours("group-rows", "group_rows, aggregate", GroupWay::numbered),
      ours("group-in-rows", "group_by, strategy tag_bucket", GroupWay::in_rows),
  };
  return all;
}

std::span<const Algorithm> group_by_algorithms() {
  static const std::vector<Algorithm> all = RegisteredGroupByPeer::list_after(our_group_bys());
  return all;
}

}  // namespace hashmill::perf
