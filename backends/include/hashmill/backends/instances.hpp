#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/index_loop.hpp>

// What the library hashmill::instances has compiled of the backends: how memory is measured,
// allocated for numbers and bytes, and placed on NUMA nodes.

#ifdef HASHMILL_DEFINE_BACKENDS
#define HASHMILL_INSTANCE template
#else
#define HASHMILL_INSTANCE extern template
#endif

namespace hashmill::backends {

using InstanceMemory = Kokkos::DefaultExecutionSpace::memory_space;

HASHMILL_INSTANCE std::uint64_t require_array_bytes<InstanceMemory>(std::string_view, std::uint64_t,
                                                                    std::uint64_t);
HASHMILL_INSTANCE void throw_out_of_memory<InstanceMemory>(std::string_view, std::uint64_t);
HASHMILL_INSTANCE void place_array<InstanceMemory>(const Kokkos::DefaultExecutionSpace&, void*,
                                                   std::uint64_t);

template <class T>
using InstanceArray = Kokkos::View<T*, InstanceMemory>;
HASHMILL_INSTANCE InstanceArray<std::byte> allocate_roomy(const Kokkos::DefaultExecutionSpace&,
                                                          std::string_view, std::uint64_t,
                                                          std::uint64_t, ArrayUsers);
HASHMILL_INSTANCE InstanceArray<std::byte> allocate(const Kokkos::DefaultExecutionSpace&,
                                                    std::string_view, std::uint64_t);
HASHMILL_INSTANCE InstanceArray<std::uint32_t> allocate(const Kokkos::DefaultExecutionSpace&,
                                                        std::string_view, std::uint64_t);
HASHMILL_INSTANCE InstanceArray<std::uint64_t> allocate(const Kokkos::DefaultExecutionSpace&,
                                                        std::string_view, std::uint64_t);

}  // namespace hashmill::backends

#undef HASHMILL_INSTANCE
