#pragma once

#include <hashmill/hash.hpp>
#include <hashmill/hash_graph/detail/storage.hpp>

// Builds of HashGraphs that the library hashmill::instances has compiled: of numbers of 32 or 64
// bits with the default layout, on the default execution space.

#ifdef HASHMILL_DEFINE_HASH_GRAPHS
#define HASHMILL_INSTANCE template
#else
#define HASHMILL_INSTANCE extern template
#endif

namespace hashmill::detail {

template <class Memory, class Key>
using InstanceKeys = Kokkos::View<const Key*, Memory>;
template <class Memory, class Key>
using InstanceLayout =
    TableLayout<KeyRow<std::uint32_t>, Key, Murmur3Hash, KeyEqual, InstanceKeys<Memory, Key>>;

#define HASHMILL_BUILD_INSTANCE(Exec, Memory, Key)                                       \
  HASHMILL_INSTANCE void HashGraphStorage<InstanceLayout<Memory, Key>, Memory>::build(   \
      const Exec&, const InstanceLayout<Memory, Key>&, const InstanceKeys<Memory, Key>&, \
      const HashGraphOptions&, Workspace<Memory>&)

HASHMILL_BUILD_INSTANCE(Kokkos::DefaultExecutionSpace, Kokkos::DefaultExecutionSpace::memory_space,
                        std::uint32_t);
HASHMILL_BUILD_INSTANCE(Kokkos::DefaultExecutionSpace, Kokkos::DefaultExecutionSpace::memory_space,
                        std::uint64_t);

#undef HASHMILL_BUILD_INSTANCE

}  // namespace hashmill::detail

#undef HASHMILL_INSTANCE
