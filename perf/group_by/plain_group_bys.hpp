#pragma once

#include <memory>

#include "library_group_by.hpp"

namespace hashmill::perf {

/// Our group-by of a row, of keys in columns of that kind.
template <Aggregates Asked, KeyColumns Kind, class Bench>
std::unique_ptr<Operation> make_library_group_by(Bench& bench, const CompareCase& wanted) {
  if (wanted.algorithm->name == "group-rows")
    return std::make_unique<LibraryGroupBy<Bench, Asked, GroupWay::numbered, Kind>>(bench);
  if (wanted.algorithm->name == "group-in-rows")
    return std::make_unique<LibraryGroupBy<Bench, Asked, GroupWay::in_rows, Kind>>(bench);
  return std::make_unique<LibraryGroupBy<Bench, Asked, GroupWay::automatic, Kind>>(bench);
}

/// Our group-bys of keys in views.
template <class Bench>
struct PlainGroupBys {
  static constexpr bool takes_columns = false;

  static std::unique_ptr<Operation> make(Bench& bench, const CompareCase& wanted) {
    switch (wanted.result.aggregates) {
      case Aggregates::count:
        return make_library_group_by<Aggregates::count, KeyColumns::one>(bench, wanted);
      case Aggregates::sum:
        return make_library_group_by<Aggregates::sum, KeyColumns::one>(bench, wanted);
      case Aggregates::all:
        return make_library_group_by<Aggregates::all, KeyColumns::one>(bench, wanted);
    }
    return nullptr;
  }
};

}  // namespace hashmill::perf
