#include "partition_typed_test.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

using WideTypes =
    SampledTypes<KeyAndPayload<std::uint64_t, std::uint64_t>, KeyAndPayload<Key128, std::uint32_t>,
                 KeyAndPayload<Bytes12, std::uint16_t>, KeyAndPayload<Bytes16, Bytes16>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Wide, Partition, WideTypes);

}  // namespace
}  // namespace hashmill::test
