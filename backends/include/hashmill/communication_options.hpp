#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace hashmill {

/// Whether MPI is given addresses of device memory.
enum class GpuAware {
  automatic,  ///< where HASHMILL_MPI_GPU_AWARE=1 or, without that variable, MPI says that it can
  yes,        ///< always
  no          ///< never: device memory goes through host memory
};

/// Options of a communicator. All may differ between ranks, but `ranks_per_node`.
struct CommunicationOptions {
  /// The longest wait in which nothing arrives. Then the call throws.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
  /// Lets so many consecutive ranks count as one node, in place of what is found. For tests.
  std::optional<int> ranks_per_node{};
  /// What a rank can send in a second, which decides whether columns are compressed on their way.
  /// Where it is not given, the first large call measures it.
  std::optional<double> bytes_per_second{};
  /// How MPI sends and receives device memory.
  GpuAware gpu_aware = GpuAware::automatic;
  /// Pinned host memory for each exchange under way of device memory that MPI cannot reach; at
  /// least 1024 bytes. Messages of all ranks then have at most a quarter of it.
  std::uint64_t staging_bytes = std::uint64_t{64} << 20;
};

}  // namespace hashmill
