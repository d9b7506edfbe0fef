#include "algorithms/support/hashes.hpp"
#include "table_cases.hpp"
#include "typed_table.hpp"

namespace hashmill::test {

std::vector<TableCase> word_cases() {
  return {make_table_case<std::uint64_t, KeyRow<std::uint64_t>, Murmur3Hash>("u64_KeyRow64_Murmur3",
                                                                             plenty),
          make_table_case<std::uint64_t, KeyOnly<std::uint64_t>, ConstantHash>(
              "u64_KeyOnly64_Constant", for_constant)};
}

}  // namespace hashmill::test
