#pragma once

#include <hashmill/join/detail/run_hash_join.hpp>

// Hash joins that the library hashmill::instances has compiled: `automatic` joins of numbers of 32
// or 64 bits in views, without a condition, whose rows have 32 bits, on the default execution
// space.

#ifdef HASHMILL_DEFINE_JOINS
#define HASHMILL_INSTANCE template
#else
#define HASHMILL_INSTANCE extern template
#endif

namespace hashmill::detail {

/// Sides of one type of keys, as every contiguous view becomes one.
template <class Exec, class Key>
using InstanceView =
    Kokkos::View<const Key*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Exec, class Key>
using InstanceRequest = JoinRequest<Exec, InstanceView<Exec, Key>, InstanceView<Exec, Key>,
                                    EveryPair, Murmur3Hash, KeyEqual>;
template <class Exec>
using InstancePairs = RowPairs<std::uint32_t, std::uint32_t, typename Exec::memory_space>;

#define HASHMILL_JOIN_INSTANCE(Exec, Key)                                                 \
  HASHMILL_INSTANCE std::uint64_t run_join_of<std::uint32_t>(                             \
      const InstanceRequest<Exec, Key>&, const HashJoinOptions<JoinStrategy::automatic>&, \
      InstancePairs<Exec>*, Workspace<Exec::memory_space>&)

HASHMILL_JOIN_INSTANCE(Kokkos::DefaultExecutionSpace, std::uint32_t);
HASHMILL_JOIN_INSTANCE(Kokkos::DefaultExecutionSpace, std::uint64_t);

#undef HASHMILL_JOIN_INSTANCE

}  // namespace hashmill::detail

#undef HASHMILL_INSTANCE
