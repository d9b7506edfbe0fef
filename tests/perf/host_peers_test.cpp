#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "peers/host_map.hpp"
#include "peers/kokkos_unordered_map.hpp"
#ifdef HASHMILL_PERF_HAS_TBB
#include "peers/tbb_concurrent_hash_map.hpp"
#include "peers/tbb_concurrent_unordered_multimap.hpp"
#endif
#ifdef HASHMILL_PERF_HAS_CONCURRENT_BOOST
#include "peers/boost_concurrent_flat_map.hpp"
#endif

namespace hashmill::perf {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Keys = Kokkos::View<std::uint32_t*, Kokkos::HostSpace>;

template <class Peer>
Peer make(const Exec& exec, const Keys& keys) {
  if constexpr (std::is_constructible_v<Peer, Exec, Keys, TableAxes>) {
    return Peer(exec, keys, TableAxes());
  } else {
    return Peer(exec, keys);
  }
}

template <class Peer>
class HostPeer : public testing::Test {};

using Peers = testing::Types<
    StdUnorderedMultimap<Exec, std::uint32_t>, KokkosUnorderedMap<Exec, std::uint32_t>
#ifdef HASHMILL_PERF_HAS_TBB
    ,
    TbbConcurrentUnorderedMultimap<Exec, std::uint32_t>, TbbConcurrentHashMap<Exec, std::uint32_t>
#endif
#ifdef HASHMILL_PERF_HAS_CONCURRENT_BOOST
    ,
    BoostConcurrentFlatMap<Exec, std::uint32_t>
#endif
#ifdef HASHMILL_PERF_HAS_ABSL
    ,
    AbslFlatHashMap<Exec, std::uint32_t>
#endif
#ifdef HASHMILL_PERF_HAS_BOOST
    ,
    BoostUnorderedFlatMap<Exec, std::uint32_t>
#endif
    >;
TYPED_TEST_SUITE(HostPeer, Peers);

TYPED_TEST(HostPeer, FindsSomeOfTheQueriesInAnyOrder) {
  const Exec exec;
  const Keys keys("keys", 1000);
  for (std::uint32_t i = 0; i < 1000; ++i) keys(i) = 2 * i;
  const TypeParam peer = make<TypeParam>(exec, keys);
  const Keys queries("queries", 3001);
  for (std::uint32_t i = 0; i < 3001; ++i) queries(i) = i * 7919 % 3001 / 2;  // most of them twice
  const Kokkos::View<std::uint32_t*, Kokkos::HostSpace> rows("rows", 3001);
  peer.find(exec, queries, rows);
  exec.fence();
  for (std::uint32_t i = 0; i < 3001; ++i) {
    const bool is_there = queries(i) % 2 == 0 && queries(i) < 2000;
    ASSERT_EQ(rows(i), is_there ? queries(i) / 2 : no_row<std::uint32_t>) << queries(i);
  }
}

TYPED_TEST(HostPeer, HoldsFewKeysAsWellAsMany) {
  const Exec exec;
  for (const std::uint32_t size : {0, 1, 2, 7, 8, 10, 31, 32, 33, 5000}) {
    const Keys keys("keys", size);
    for (std::uint32_t i = 0; i < size; ++i) keys(i) = 3 * i + 1;
    TypeParam peer = make<TypeParam>(exec, keys);
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(peer.tally_entries(exec, keys).count, size);
      EXPECT_EQ(peer.tally_entries(exec, keys).faults, 0u);
      const Kokkos::View<std::uint32_t*, Kokkos::HostSpace> rows("rows", size);
      peer.find(exec, keys, rows);
      exec.fence();
      for (std::uint32_t i = 0; i < size; ++i) ASSERT_EQ(rows(i), i);
      peer.clear(exec);
      EXPECT_EQ(peer.size(exec), 0u);
      peer.insert(exec, keys, 0);
    }
  }
}

}  // namespace
}  // namespace hashmill::perf
