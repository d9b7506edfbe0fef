#include "algorithm.hpp"

namespace hashmill::perf {

std::string_view to_string(OperationKind kind) {
  using enum OperationKind;
  switch (kind) {
    case build:
      return "build";
    case insert:
      return "insert";
    case churn:
      return "churn";
    case partition_8:
      return "partition, 2^8";
    case partition_16:
      return "partition, 2^16";
    case contains:
      return "contains";
    case find:
      return "find";
    case count:
      return "count";
    case retrieve:
      return "retrieve";
    case join_count:
      return "join, count";
    case join_pairs:
      return "join, pairs";
    case both_sides:
      return "join, both sides";
    case group:
      return "group by";
  }
  return "";
}

}  // namespace hashmill::perf
