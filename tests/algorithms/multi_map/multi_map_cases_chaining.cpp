#include <hashmill/chaining.hpp>
#include <hashmill/multi_map.hpp>

#include "algorithms/support/hashes.hpp"
#include "multi_map_cases.hpp"
#include "typed_multi_map.hpp"

namespace hashmill::test {
namespace {

template <class Key, class Row, class Hash>
MultiMapCase chaining_case(const std::string& name, std::uint64_t most_keys) {
  using Table = Chaining<Key, Memory, Row, Hash>;
  static_assert(DynamicMultiMap<Table, Exec, typename KeyColumns<Key>::Source> &&
                RowMultiMapRef<typename Table::ref_type>);
  return make_multi_map_case<Key, Hash, Table, ChainingOptions>("Chaining_" + name, most_keys);
}

std::vector<MultiMapCase> chaining_cases() {
  return {chaining_case<std::uint32_t, std::uint32_t, Murmur3Hash>("u32_Murmur3", plenty),
          chaining_case<std::uint64_t, std::uint64_t, ConstantHash>("u64_Constant", for_constant),
          chaining_case<Key128, std::uint32_t, FourBitHash>("Key128_FourBit", for_four_bits)};
}

const MultiMapCases chainings(chaining_cases);

}  // namespace
}  // namespace hashmill::test
