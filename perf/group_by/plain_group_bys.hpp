#pragma once

#include <memory>

#include "library_group_by.hpp"

namespace hashmill::perf {

/// A group-by of ours, of keys in columns of that kind.
template <Aggregates Asked, KeyColumns Kind, class Bench>
std::unique_ptr<Operation> make_library_group_by(Bench& bench, GroupWay way) {
  switch (way) {
    case GroupWay::automatic:
      return std::make_unique<LibraryGroupBy<Bench, Asked, GroupWay::automatic, Kind>>(bench);
    case GroupWay::numbered:
      return std::make_unique<LibraryGroupBy<Bench, Asked, GroupWay::numbered, Kind>>(bench);
    case GroupWay::in_rows:
      return std::make_unique<LibraryGroupBy<Bench, Asked, GroupWay::in_rows, Kind>>(bench);
  }
  return nullptr;
}

/// Our group-bys of keys in views.
template <class Bench>
struct PlainGroupBys {
  static constexpr bool takes_columns = false;

  static std::unique_ptr<Operation> make(Bench& bench, GroupWay way, const CompareCase& wanted) {
    switch (wanted.result.aggregates) {
      case Aggregates::count:
        return make_library_group_by<Aggregates::count, KeyColumns::one>(bench, way);
      case Aggregates::sum:
        return make_library_group_by<Aggregates::sum, KeyColumns::one>(bench, way);
      case Aggregates::all:
        return make_library_group_by<Aggregates::all, KeyColumns::one>(bench, way);
    }
    return nullptr;
  }
};

}  // namespace hashmill::perf
