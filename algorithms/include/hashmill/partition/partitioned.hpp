#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace hashmill {

/// How `partition` works; the defaults are the fast choice.
struct PartitionOptions {
  /// Keep the input order within each part. Costs a scratch sort a tile on GPUs, nothing on CPUs,
  /// whose engine is stable anyway. Without it the order within a part may change between runs on
  /// GPUs; the parts themselves and their offsets never do.
  bool stable = false;
};

/// The parts of a partitioned input: part p is [offsets(p), offsets(p + 1)).
template <class Key, class Payload, class MemorySpace>
struct Partitioned {
  Kokkos::View<Key*, MemorySpace> keys;
  Kokkos::View<Payload*, MemorySpace> payloads;
  Kokkos::View<std::uint64_t*, MemorySpace> offsets;  ///< number of parts + 1
};

/// The parts of partitioned keys that have no payload.
template <class Key, class MemorySpace>
struct PartitionedKeys {
  Kokkos::View<Key*, MemorySpace> keys;
  Kokkos::View<std::uint64_t*, MemorySpace> offsets;  ///< number of parts + 1
};

/// A record type that partitioning moves: trivially copyable, 1 to 16 bytes.
template <class T>
concept Partitionable = std::is_trivially_copyable_v<T> && sizeof(T) >= 1 && sizeof(T) <= 16;

}  // namespace hashmill
