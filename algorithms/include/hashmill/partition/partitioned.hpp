#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace hashmill {

/// How `partition` works. The defaults are the fast choice.
struct PartitionOptions {
  /// Keep the input order within each part. On GPUs each warp votes on it, once per bit of the part
  /// number; on CPUs it costs nothing, since their engine is always stable. Without it the order
  /// within a part may change between runs on GPUs. The parts themselves and their offsets never
  /// change.
  bool stable = false;
};

/// The parts of a partitioned input: part p has positions offsets(p) to offsets(p + 1) - 1.
template <class Key, class Payload, class MemorySpace>
struct Partitioned {
  Kokkos::View<Key*, MemorySpace> keys;
  Kokkos::View<Payload*, MemorySpace> payloads;
  Kokkos::View<std::uint64_t*, MemorySpace> offsets;  ///< number of parts + 1
};

/// The parts of partitioned keys without payloads.
template <class Key, class MemorySpace>
struct PartitionedKeys {
  Kokkos::View<Key*, MemorySpace> keys;
  Kokkos::View<std::uint64_t*, MemorySpace> offsets;  ///< number of parts + 1
};

/// A key or payload type that partitioning moves: trivially copyable, 1 to 16 bytes.
template <class T>
concept Partitionable = std::is_trivially_copyable_v<T> && sizeof(T) >= 1 && sizeof(T) <= 16;

}  // namespace hashmill
