#include <gtest/gtest.h>

#include <hashmill/hashmill.hpp>

#include "algorithms/partition/partition_columns.hpp"

// Every public class template, whole: members that no other test calls must compile too.

namespace hashmill {

using test::Memory;

template class Workspace<Memory>;
template class HashGraph<float, Memory, KeyOnly<std::uint64_t>, Murmur2Hash>;
template class HashGraph<float, Memory, KeyRow<std::uint32_t>, Murmur2Hash>;
template class HashGraph<float, Memory, FingerprintRow<std::uint32_t>, Murmur2Hash>;
template class HashGraph<float, Memory, PackedRow, Murmur2Hash>;
template class Chaining<float, Memory, std::uint32_t, Murmur2Hash>;
template class ArrayTable<int, Memory>;
template class BloomFilter<float, Memory, Murmur2Hash>;
template class JoinFilter<float, Memory, Murmur2Hash>;
template class JoinFilter<int, Memory>;
template class TagBucket<float, Memory, std::uint32_t, Murmur2Hash>;
template class RowContainer<Memory, float, StringView>;
template class RowContainerRef<Memory, float, StringView>;
template class ConstantColumn<float, Memory>;
template class HashAggregation<std::uint64_t, RowHash, Columns<ValueColumn<float, Memory>>,
                               decltype(agg::count())>;
template class DistinctCounts<std::uint64_t, ValueColumn<float, Memory>>;
template struct CsrRows<std::uint32_t, Memory>;
template struct TableEntries<Key128, std::uint64_t, Memory>;
template struct RowPairs<std::uint32_t, std::uint64_t, Memory>;
template struct Partitioned<Key128, float, Memory>;
template struct PartitionedKeys<Key128, Memory>;

}  // namespace hashmill

namespace hashmill::test {
namespace {

// A caller's types, which have what the documentation asks of them and no more.

struct OwnHash {
  explicit OwnHash(std::uint64_t own_factor) : factor(own_factor) {}
  KOKKOS_FUNCTION std::uint64_t operator()(int key) const {
    return (static_cast<std::uint64_t>(key) + 1) * factor;
  }
  std::uint64_t factor;
};

struct OwnEqual {
  explicit OwnEqual(int own_mask) : mask(own_mask) {}
  KOKKOS_FUNCTION bool operator()(int a, int b) const { return ((a ^ b) & mask) == 0; }
  int mask;
};

struct OwnKeys {
  OwnKeys(int first_key, std::uint64_t number_of_keys) : first(first_key), count(number_of_keys) {}
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FUNCTION int operator()(std::uint64_t i) const { return first + static_cast<int>(i); }
  int first;
  std::uint64_t count;
};

TEST(Instantiation, CallersTypesNeedNoDefault) {
  using Table = HashGraph<int, Memory, FingerprintRow<>, OwnHash, OwnEqual, OwnKeys>;
  const Exec exec;
  const HashGraphOptions options{.buckets = BucketCount(128)};
  const OwnHash hash(0x9e3779b97f4a7c15);
  Table table(exec, OwnKeys(0, 100), options, hash, OwnEqual(~0));
  const Table other(exec, OwnKeys(80, 100), options, hash, OwnEqual(~0));
  EXPECT_EQ(intersect(exec, table, other).size(), 20U);
  EXPECT_EQ(table.erase(exec, OwnKeys(90, 100)), 10U);
  table.compact(exec);
  EXPECT_EQ(table.size(), 90U);
  EXPECT_EQ(table.retrieve(exec, OwnKeys(85, 10)).size(), 5U);
  Workspace<Memory> workspace;
  table.rebuild(exec, OwnKeys(0, 50), options, workspace);
  EXPECT_EQ(intersect_count(exec, table, other), 0U);
}

TEST(Instantiation, CallersTypesNeedNoDefaultInChaining) {
  const Exec exec;
  Chaining<int, Memory, std::uint64_t, OwnHash, OwnEqual> table(
      exec, OwnKeys(0, 100), {}, OwnHash(0x9e3779b97f4a7c15), OwnEqual(~0));
  EXPECT_EQ(table.append(exec, OwnKeys(50, 100)), 100U);
  EXPECT_EQ(table.erase(exec, OwnKeys(140, 20)), 10U);
  EXPECT_EQ(table.retrieve(exec, OwnKeys(0, 100)).size(), 150U);
  EXPECT_EQ(table.compact(exec).size(), 190U);
}

using Table = HashGraph<std::uint16_t, Memory, KeyRow<>, IdentityHash>;
using Keys = Kokkos::View<const std::uint16_t*, Memory>;

/// Calls every public function template once.
std::uint64_t call_everything(const Exec& exec, const Keys& keys) {
  const std::uint64_t n = keys.extent(0);
  const Kokkos::View<bool*, Memory> flags("hashmill::test::flags", n);
  const Kokkos::View<std::uint64_t*, Memory> counts("hashmill::test::counts", n);
  const Kokkos::View<std::uint32_t*, Memory> rows("hashmill::test::rows", n);
  Workspace<Memory> workspace;
  Table table(exec, keys, {}, IdentityHash(16));
  Table other(exec, keys, {}, workspace, IdentityHash(16));
  other.rebuild(exec, keys, {}, workspace);
  table.contains(exec, keys, flags);
  table.contains_async(exec, keys, flags);
  table.count(exec, keys, counts);
  table.count_async(exec, keys, counts);
  table.find(exec, keys, rows);
  table.find_async(exec, keys, rows);
  std::uint64_t sum = table.retrieve(exec, keys).size() + table.retrieve_all(exec).size();
  sum += merge(exec, table, other).size();
  sum += intersect_count(exec, table, other) + intersect(exec, table, other).size();
  sum += partition(exec, keys, rows, PartOfKey{3}, PartCount(3)).keys.extent(0);
  sum += partition(exec, keys, rows, PartOfKey{3}, PartCount(3), {}, workspace).keys.extent(0);
  sum += partition(exec, keys, PartOfKey{3}, PartCount(3)).keys.extent(0);
  sum += table.statistics(exec).num_entries;
  sum += table.erase(exec, keys);
  table.compact(exec);
  return sum + table.size();
}

TEST(Instantiation, EveryPublicTemplateIsUsedOnce) {
  std::vector<std::uint16_t> numbers(1000);
  for (std::uint16_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  // retrieve, retrieve_all, merge (both), two intersections, three partitions, statistics, erase
  EXPECT_EQ(call_everything(Exec(), to_device(numbers)), 11U * 1000U);
}

}  // namespace
}  // namespace hashmill::test
