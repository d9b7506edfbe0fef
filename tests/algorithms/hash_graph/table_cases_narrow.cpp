#include "algorithms/support/hashes.hpp"
#include "table_cases.hpp"
#include "typed_table.hpp"

namespace hashmill::test {

std::vector<TableCase> narrow_cases() {
  return {make_table_case<std::uint32_t, KeyRow<std::uint32_t>, Murmur3Hash>("u32_KeyRow32_Murmur3",
                                                                             plenty),
          make_table_case<std::uint32_t, KeyOnly<std::uint32_t>, FourBitHash>(
              "u32_KeyOnly32_FourBit", for_four_bits)};
}

}  // namespace hashmill::test
