#pragma once

#include <memory>

#include "plain_group_bys.hpp"

namespace hashmill::perf {

/// Our group-bys of keys that are spread over columns: sums and counts.
template <class Bench>
struct ColumnGroupBys {
  static constexpr bool takes_columns = true;

  static std::unique_ptr<Operation> make(Bench& bench, GroupWay way, const CompareCase& wanted) {
    switch (wanted.data.columns) {
      case KeyColumns::two:
        return make_library_group_by<Aggregates::sum, KeyColumns::two>(bench, way);
      case KeyColumns::strings:
        return make_library_group_by<Aggregates::sum, KeyColumns::strings>(bench, way);
      case KeyColumns::nulls:
        return make_library_group_by<Aggregates::sum, KeyColumns::nulls>(bench, way);
      case KeyColumns::one:
        break;
    }
    return nullptr;
  }
};

}  // namespace hashmill::perf
