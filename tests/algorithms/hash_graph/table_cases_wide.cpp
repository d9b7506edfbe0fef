#include "algorithms/support/hashes.hpp"
#include "table_cases.hpp"
#include "typed_table.hpp"

namespace hashmill::test {

std::vector<TableCase> wide_cases() {
  return {make_table_case<WideKey, FingerprintRow<std::uint32_t>, WideHash, WideEqual>(
              "Wide_FingerprintRow32_WideHash", plenty),
          make_table_case<WideKey, PackedRow, FourBitHash, WideEqual>("Wide_PackedRow_FourBit",
                                                                      for_four_bits)};
}

}  // namespace hashmill::test
