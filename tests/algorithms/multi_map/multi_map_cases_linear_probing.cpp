#include <hashmill/linear_probing.hpp>
#include <hashmill/multi_map.hpp>

#include "algorithms/support/hashes.hpp"
#include "multi_map_cases.hpp"
#include "typed_multi_map.hpp"

namespace hashmill::test {
namespace {

template <class Key, class Kind, class Row, class Hash>
MultiMapCase linear_probing_case(const std::string& name, std::uint64_t most_keys) {
  using Table = LinearProbing<Key, Memory, Kind, Row, Hash>;
  static_assert(DynamicMultiMap<Table, Exec, typename KeyColumns<Key>::Source> &&
                RowMultiMapRef<typename Table::ref_type>);
  auto table_case = make_multi_map_case<Key, Hash, Table, LinearProbingOptions>(
      "LinearProbing_" + name, most_keys);
  table_case.loads = {0.125, 0.5, 0.95};
  table_case.unique_keys = Table::unique;
  return table_case;
}

std::vector<MultiMapCase> linear_probing_cases() {
  return {linear_probing_case<std::uint32_t, RepeatedKeys, std::uint32_t, Murmur3Hash>(
              "u32_multi_Murmur3", plenty),
          linear_probing_case<std::uint32_t, UniqueKeys, std::uint32_t, FourBitHash>(
              "u32_unique_FourBit", for_four_bits),
          linear_probing_case<std::uint64_t, UniqueKeys, std::uint64_t, ConstantHash>(
              "u64_unique_Constant", for_constant),
          linear_probing_case<Key128, UniqueKeys, std::uint32_t, Murmur3Hash>(
              "Key128_unique_Murmur3", plenty)};
}

const MultiMapCases linear_probings(linear_probing_cases);

}  // namespace
}  // namespace hashmill::test
