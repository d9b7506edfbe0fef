#include <hashmill/partition/detail/known_parts.hpp>

#include "expect_partition.hpp"

namespace hashmill::test {

struct PartOfFirst {
  PartOfKey part_of;
  template <class Record>
  KOKKOS_FUNCTION std::uint64_t operator()(const Record& record) const {
    return part_of(detail::first_of(record));
  }
};

namespace {

/// Partitions to parts whose sizes are known, and expects those of std::stable_sort.
template <detail::Engine Engine, class Offset, class Key, class Payload>
void expect_known_parts(const Columns<Key, Payload>& input, const PartOfKey& part_of,
                        std::uint64_t parts) {
  SCOPED_TRACE(std::to_string(input.keys.size()) + " keys in " + std::to_string(parts) + " parts");
  const SortedParts<Key, Payload> sorted(input, part_of, parts);
  const auto keys = to_device(input.keys);
  const auto payloads = to_device(input.payloads);
  const std::uint64_t n = input.keys.size();
  Partitioned<Key, Payload, Memory> found;
  found.keys = decltype(found.keys)("keys", n);
  found.payloads = decltype(found.payloads)("payloads", n);
  found.offsets = to_device(sorted.offsets);
  Workspace<Memory> workspace;
  using Keys = detail::KeyAccess<decltype(keys)>;
  using Payloads = detail::KeyAccess<decltype(payloads)>;
  detail::partition_to_known_parts<Engine>(
      Exec(), n, std::vector<Offset>(sorted.offsets.begin(), sorted.offsets.end()),
      PartOfFirst{part_of},
      detail::ColumnSource<Keys, Payloads>{detail::key_access(keys), detail::key_access(payloads)},
      detail::ColumnSink<Key, Payload>{found.keys.data(), found.payloads.data()}, workspace);
  expect_parts(found, sorted, false);
}

template <class Key, class Payload, class Offset>
void expect_known_parts_of_any_size() {
  for (const std::uint64_t size : {0, 1, 15, 16, 4097, 30'011}) {
    const Columns<Key, Payload> input(random_numbers(size, size + 1));
    for (const std::uint64_t parts : {1, 2, 7, 256, 257, 512, 513}) {
      ASSERT_NO_FATAL_FAILURE(
          (expect_known_parts<detail::Engine::automatic, Offset>(input, {parts}, parts)));
      ASSERT_NO_FATAL_FAILURE(
          (expect_known_parts<detail::Engine::team, Offset>(input, {parts}, parts)));
    }
    // All in one of the parts.
    ASSERT_NO_FATAL_FAILURE(
        (expect_known_parts<detail::Engine::team, Offset>(input, {1, 300}, 512)));
  }
}

TEST(PartitionKnownParts, GroupsPairsOf8Bytes) {
  expect_known_parts_of_any_size<std::uint32_t, std::uint32_t, std::uint32_t>();
}

TEST(PartitionKnownParts, GroupsPairsOf32BytesWithWideOffsets) {
  expect_known_parts_of_any_size<Bytes16, Bytes16, std::uint64_t>();
}

}  // namespace
}  // namespace hashmill::test
