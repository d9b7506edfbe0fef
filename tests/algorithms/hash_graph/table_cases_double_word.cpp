#include "algorithms/support/hashes.hpp"
#include "table_cases.hpp"
#include "typed_table.hpp"

namespace hashmill::test {

std::vector<TableCase> double_word_cases() {
  return {make_table_case<Key128, KeyRow<std::uint32_t>, Murmur3Hash>("Key128_KeyRow32_Murmur3",
                                                                      plenty),
          make_table_case<Key128, KeyRow<std::uint64_t>, FourBitHash>("Key128_KeyRow64_FourBit",
                                                                      for_four_bits)};
}

}  // namespace hashmill::test
