#pragma once

#include "multi_map_table.hpp"

namespace hashmill::test {

/// The tables that the suites of all tables run over, of multi_map_cases_*.cpp: each file defines
/// one of these, so that a table joins with a file of its own.
class MultiMapCases {
 public:
  using Make = std::vector<MultiMapCase> (*)();

  /// Adds what `make` returns to the cases, before tests are registered.
  explicit MultiMapCases(Make make) { makers().push_back(make); }

  /// All cases.
  static std::vector<MultiMapCase> all() {
    std::vector<MultiMapCase> cases;
    for (const Make make : makers()) {
      for (auto& table_case : make()) cases.push_back(std::move(table_case));
    }
    return cases;
  }

  /// Those of tables that tell rows.
  static std::vector<MultiMapCase> with_rows() {
    std::vector<MultiMapCase> cases;
    for (auto& table_case : all()) {
      if (table_case.has_rows) cases.push_back(std::move(table_case));
    }
    return cases;
  }

 private:
  static std::vector<Make>& makers() {
    static std::vector<Make> makers;
    return makers;
  }
};

}  // namespace hashmill::test
