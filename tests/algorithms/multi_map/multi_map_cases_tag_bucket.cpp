#include <hashmill/multi_map.hpp>
#include <hashmill/tag_bucket.hpp>

#include "algorithms/support/hashes.hpp"
#include "multi_map_cases.hpp"
#include "typed_multi_map.hpp"

namespace hashmill::test {
namespace {

template <class Key, class Row, class Hash, class Equal = KeyEqual>
MultiMapCase tag_bucket_case(const std::string& name, std::uint64_t most_keys) {
  using Table = TagBucket<Key, Memory, Row, Hash, Equal, typename KeyColumns<Key>::Source>;
  static_assert(DynamicMultiMap<Table, Exec, typename KeyColumns<Key>::Source> &&
                RowMultiMapRef<typename Table::ref_type>);
  auto table_case =
      make_multi_map_case<Key, Hash, Table, TagBucketOptions>("TagBucket_" + name, most_keys);
  table_case.loads = {0.125, 0.5, 0.875};
  return table_case;
}

std::vector<MultiMapCase> tag_bucket_cases() {
  return {tag_bucket_case<std::uint32_t, std::uint32_t, Murmur3Hash>("u32_Murmur3", plenty),
          tag_bucket_case<std::uint64_t, std::uint64_t, ConstantHash>("u64_Constant", for_constant),
          tag_bucket_case<WideKey, std::uint32_t, WideHash, WideEqual>("Wide_WideHash", plenty),
          tag_bucket_case<Key128, std::uint64_t, FourBitHash>("Key128_FourBit", for_four_bits)};
}

const MultiMapCases tag_buckets(tag_bucket_cases);

}  // namespace
}  // namespace hashmill::test
