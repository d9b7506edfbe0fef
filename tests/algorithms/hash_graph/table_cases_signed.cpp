#include "algorithms/support/hashes.hpp"
#include "table_cases.hpp"
#include "typed_table.hpp"

namespace hashmill::test {

std::vector<TableCase> signed_cases() {
  return {make_table_case<std::int32_t, FingerprintRow<std::uint32_t>, Murmur3Hash>(
              "i32_FingerprintRow32_Murmur3", plenty),
          make_table_case<std::int64_t, FingerprintRow<std::uint64_t>, ConstantHash>(
              "i64_FingerprintRow64_Constant", for_constant),
          make_table_case<std::int64_t, KeyRow<std::uint32_t>, FourBitHash>("i64_KeyRow32_FourBit",
                                                                            for_four_bits)};
}

}  // namespace hashmill::test
