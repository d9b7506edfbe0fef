#pragma once

#include <hashmill/group_by/detail/find_groups.hpp>

// Steps of group-bys that the library hashmill::instances has compiled: estimating and finding
// groups of numbers of 32 or 64 bits in contiguous views, with rows of 32 bits, on the default
// execution space. What depends on the aggregations is not among them.

#ifdef HASHMILL_DEFINE_GROUP_BYS
#define HASHMILL_INSTANCE template
#else
#define HASHMILL_INSTANCE extern template
#endif

namespace hashmill::detail {

#define HASHMILL_GROUP_INSTANCE(Exec, Memory, Key)                                            \
  HASHMILL_INSTANCE std::uint64_t estimate_groups(const Exec&, const KeyPointer<Key, false>&, \
                                                  const GroupHash<Key>&, Workspace<Memory>&); \
  HASHMILL_INSTANCE RowGroups<std::uint32_t, Memory> group_hashed(                            \
      const Exec&, const KeysOfRows<KeyPointer<Key, false>, std::uint32_t, Memory>&,          \
      std::uint64_t, const GroupHash<Key>&, Workspace<Memory>&);                              \
  HASHMILL_INSTANCE bool try_dense(const Exec&, const Kokkos::View<const Key*, Memory>&,      \
                                   GroupStrategy, RowGroups<std::uint32_t, Memory>&,          \
                                   Workspace<Memory>&)

HASHMILL_GROUP_INSTANCE(Kokkos::DefaultExecutionSpace, Kokkos::DefaultExecutionSpace::memory_space,
                        std::uint32_t);
HASHMILL_GROUP_INSTANCE(Kokkos::DefaultExecutionSpace, Kokkos::DefaultExecutionSpace::memory_space,
                        std::uint64_t);

#undef HASHMILL_GROUP_INSTANCE

}  // namespace hashmill::detail

#undef HASHMILL_INSTANCE
