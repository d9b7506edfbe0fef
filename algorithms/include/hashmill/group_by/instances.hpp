#pragma once

#include <hashmill/group_by/detail/accumulate_groups.hpp>

// Steps of group-bys that the library hashmill::instances has compiled, for keys of 32 or 64 bits
// in contiguous views and rows of 32 bits, on the default execution space. What depends on the
// aggregations is not among them.

#ifdef HASHMILL_DEFINE_GROUP_BYS
#define HASHMILL_INSTANCE template
#else
#define HASHMILL_INSTANCE extern template
#endif

namespace hashmill::detail {

using InstanceExec = Kokkos::DefaultExecutionSpace;
using InstanceMemory = InstanceExec::memory_space;
using InstanceWorkspace = Workspace<InstanceMemory>;
using InstanceGroups = RowGroups<std::uint32_t, InstanceMemory>;
using InstancePartialRows = PartialRows<std::uint32_t, InstanceMemory>;
using InstanceRepresentatives = Kokkos::View<std::uint32_t*, InstanceMemory>;
template <class Key>
using InstanceRows = KeysOfRows<KeyPointer<Key, false>, std::uint32_t, InstanceMemory>;

// What does not depend on the keys.
HASHMILL_INSTANCE InstancePartialRows take_partial_rows(const InstanceExec&, std::uint64_t,
                                                        std::uint64_t, std::uint64_t,
                                                        InstanceWorkspace&);
HASHMILL_INSTANCE PartialCounts fetch_counts(const InstanceExec&, const InstancePartialRows&);
HASHMILL_INSTANCE void list_spilled(const InstanceExec&, const InstancePartialRows&,
                                    const PartialCounts&);
HASHMILL_INSTANCE InstanceRepresentatives copy_representatives(const InstanceExec&,
                                                               const InstancePartialRows&,
                                                               std::uint64_t);
HASHMILL_INSTANCE InstanceRepresentatives gather_representatives(const InstanceExec&,
                                                                 const InstancePartialRows&,
                                                                 const InstanceGroups&);
HASHMILL_INSTANCE ScratchShare share_scratch(const InstanceExec&, std::uint64_t, std::uint64_t,
                                             std::size_t);

// How groups are found.
#define HASHMILL_GROUP_INSTANCE(Key)                                                           \
  HASHMILL_INSTANCE std::uint64_t estimate_groups(const InstanceExec&,                         \
                                                  const KeyPointer<Key, false>&,               \
                                                  const GroupHash<Key>&, InstanceWorkspace&);  \
  HASHMILL_INSTANCE InstanceGroups group_hashed(const InstanceExec&, const InstanceRows<Key>&, \
                                                std::uint64_t, const GroupHash<Key>&,          \
                                                InstanceWorkspace&);                           \
  HASHMILL_INSTANCE bool try_dense(const InstanceExec&, const KeyPointer<Key, false>&,         \
                                   GroupStrategy, InstanceGroups&, InstanceWorkspace&);        \
  HASHMILL_INSTANCE InstanceGroups dense_or_hashed(                                            \
      const InstanceExec&, const KeyPointer<Key, false>&, GroupStrategy,                       \
      std::optional<std::uint64_t>, const GroupHash<Key>&, InstanceWorkspace&)

HASHMILL_GROUP_INSTANCE(std::uint32_t);
HASHMILL_GROUP_INSTANCE(std::uint64_t);
#undef HASHMILL_GROUP_INSTANCE

// How rows are partitioned: by themselves, or on hosts with values of 32 or 64 bits.
template <class Key, class Bits>
using InstanceSource = CarriedSource<KeyPointer<Key, false>, std::uint32_t, Bits>;
#define HASHMILL_PARTITION_INSTANCE(Exec, Key, Bits)                                        \
  HASHMILL_INSTANCE CarriedParts<InstanceSource<Key, Bits>::record_type> partition_carried( \
      const Exec&, const InstanceSource<Key, Bits>&, const GroupHash<Key>&, unsigned,       \
      Workspace<Exec::memory_space>&)

HASHMILL_PARTITION_INSTANCE(InstanceExec, std::uint32_t, void);
HASHMILL_PARTITION_INSTANCE(InstanceExec, std::uint64_t, void);

// What is compiled for hosts only. Devices carry values too, but compile that where it is used.
using InstanceHost = Kokkos::DefaultHostExecutionSpace;
HASHMILL_PARTITION_INSTANCE(InstanceHost, std::uint32_t, std::uint32_t);
HASHMILL_PARTITION_INSTANCE(InstanceHost, std::uint32_t, std::uint64_t);
HASHMILL_PARTITION_INSTANCE(InstanceHost, std::uint64_t, std::uint32_t);
HASHMILL_PARTITION_INSTANCE(InstanceHost, std::uint64_t, std::uint64_t);
#undef HASHMILL_PARTITION_INSTANCE

HASHMILL_INSTANCE SharePlan plan_host_shares(const InstanceHost&, std::uint64_t, std::uint64_t,
                                             bool, std::size_t);
HASHMILL_INSTANCE void launch_host_tiles(
    const char*, const InstanceHost&, std::uint64_t, std::size_t,
    const backends::HostKernel<const Kokkos::TeamPolicy<InstanceHost>::member_type&>&);

}  // namespace hashmill::detail

namespace hashmill::backends {

HASHMILL_INSTANCE void launch_shares(const char*, const detail::InstanceHost&, std::uint64_t,
                                     HostKernel<std::int64_t, std::int64_t>);

}  // namespace hashmill::backends

#undef HASHMILL_INSTANCE
