#include "table_cases.hpp"

namespace hashmill::test {

std::vector<TableCase> table_cases() {
  std::vector<TableCase> all;
  for (const auto& some : {narrow_cases(), packed_cases(), signed_cases(), word_cases(),
                           double_word_cases(), wide_cases()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace hashmill::test
