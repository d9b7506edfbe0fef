#pragma once

#include <string>
#include <vector>

namespace hashmill::perf {

/// One execution space of this program on this machine.
struct BackendInfo {
  std::string name;    ///< as Kokkos names it
  std::string device;  ///< processor and number of threads, or the GPU's name
  bool is_host = false;
  int num_threads = 0;               ///< host only
  double copy_bytes_per_second = 0;  ///< read + written, best of several copies of a large array
};

/// Describes every execution space and measures how fast it copies. Takes a fraction of a second
/// each.
std::vector<BackendInfo> describe_backends();

}  // namespace hashmill::perf
