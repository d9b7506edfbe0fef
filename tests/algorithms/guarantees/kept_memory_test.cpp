#include <gtest/gtest.h>

#include <hashmill/chaining.hpp>
#include <hashmill/group_by.hpp>
#include <hashmill/hash_graph.hpp>
#include <hashmill/hash_join.hpp>
#include <hashmill/linear_probing.hpp>
#include <hashmill/row_container.hpp>
#include <hashmill/tag_bucket.hpp>

#include "algorithms/support/inputs.hpp"
#include "algorithms/support/kokkos_recorder.hpp"
#include "algorithms/support/memory_cache_limit.hpp"
#include "algorithms/support/views.hpp"

// That calls and tables take the memory which earlier ones left.

namespace hashmill::test {
namespace {

using Key = std::uint64_t;
using Keys = Kokkos::View<const Key*, Memory>;
using Cache = backends::MemoryCache<Memory>;

Keys some_keys(std::uint64_t seed) { return to_device(random_numbers(2'500'000, seed)); }

/// Bytes of the library's allocations that a cache could have spared. Hosts do not keep short ones.
std::uint64_t allocated_bytes(const KokkosRecorder& recorder) {
  std::uint64_t sum = 0;
  for (const KokkosEvent& event : recorder.events()) {
    const bool counts = event.kind == KokkosEvent::Kind::allocation &&
                        is_library_label(event.label) && event.bytes >= Cache::least_bytes;
    sum += counts ? event.bytes : 0;
  }
  return sum;
}

/// The bytes that the second of two runs takes from the system.
template <class Run>
std::uint64_t bytes_taken_again(const Run& run) {
  const KokkosRecorder recorder;
  const MemoryCacheLimit limit(std::uint64_t{4} << 30);
  run();
  const std::uint64_t once = allocated_bytes(recorder);
  EXPECT_GT(once, 0U);
  run();
  return allocated_bytes(recorder) - once;
}

template <class Table>
void expect_built_in_kept_memory() {
  const Keys keys = some_keys(1), others = some_keys(2);
  EXPECT_EQ(bytes_taken_again([&] { EXPECT_EQ(Table(Exec(), keys).size(), keys.size()); }), 0U);
  EXPECT_EQ(bytes_taken_again([&] {
              Table table(Exec(), others);
              EXPECT_EQ(table.erase(Exec(), others), others.size());
            }),
            0U);
}

TEST(KeptMemory, ServesTheNextTable) {
  expect_built_in_kept_memory<HashGraph<Key, Memory>>();
  expect_built_in_kept_memory<LinearProbing<Key, Memory>>();
  expect_built_in_kept_memory<Chaining<Key, Memory>>();
  expect_built_in_kept_memory<TagBucket<Key, Memory>>();
}

TEST(KeptMemory, ServesTablesThatGrow) {
  const Keys keys = some_keys(3);
  EXPECT_EQ(bytes_taken_again([&] {
              LinearProbing<Key, Memory> table(Exec(), std::uint64_t{100});
              EXPECT_EQ(table.insert(Exec(), keys, RowsFrom{0}).inserted, keys.size());
            }),
            0U);
  EXPECT_EQ(bytes_taken_again([&] {
              RowContainer<Memory, Key> container;
              container.append(Exec(), keys);
              container.append(Exec(), keys);
              EXPECT_EQ(container.size(), 2 * keys.size());
            }),
            0U);
}

TEST(KeptMemory, ServesTheNextCallAndItsResults) {
  const Keys keys = some_keys(4);
  EXPECT_EQ(bytes_taken_again([&] {
              const auto pairs = hash_join(Exec(), JoinKind::inner, keys, keys);
              EXPECT_EQ(pairs.size(), keys.size());
            }),
            0U);
  EXPECT_EQ(bytes_taken_again([&] {
              const auto groups = group_by(Exec(), keys, agg::count());
              EXPECT_EQ(groups.size(), keys.size());
            }),
            0U);
}

/// Results that the caller keeps are not written again.
TEST(KeptMemory, IsNotOfResultsThatAreHeld) {
  const Keys keys = some_keys(6), others = some_keys(7);
  const MemoryCacheLimit limit(std::uint64_t{4} << 30);
  const auto groups = group_rows(Exec(), keys);
  const auto before = to_host(groups.group_of);
  static_cast<void>(group_rows(Exec(), others));
  static_cast<void>(group_rows(Exec(), others));
  EXPECT_EQ(to_host(groups.group_of), before);
}

TEST(KeptMemory, IsNotTheBudgetsOfOperators) {
  const Keys keys = some_keys(5);
  const MemoryCacheLimit limit(std::uint64_t{4} << 30);
  HashGraph<Key, Memory>(Exec(), keys);
  const std::uint64_t kept = Cache::instance().unused_bytes();
  EXPECT_GT(kept, 0U);
  {
    const backends::WithoutMemoryCache budget;
    HashGraph<Key, Memory>(Exec(), keys);
  }
  EXPECT_EQ(Cache::instance().unused_bytes(), kept);
}

}  // namespace
}  // namespace hashmill::test
