#include "algorithms/support/hashes.hpp"
#include "table_cases.hpp"
#include "typed_table.hpp"

namespace hashmill::test {

std::vector<TableCase> packed_cases() {
  return {make_table_case<std::uint32_t, PackedRow, ConstantHash>("u32_PackedRow_Constant",
                                                                  for_constant),
          make_table_case<std::uint64_t, PackedRow, Murmur3Hash>("u64_PackedRow_Murmur3", plenty)};
}

}  // namespace hashmill::test
