#pragma once

#include <string>
#include <vector>

namespace hashmill::perf {

/// One execution space of this program on this machine.
struct BackendInfo {
  std::string name;    ///< as Kokkos names it
  std::string device;  ///< processor and number of threads, or the GPU's name
  bool is_host = false;
  int num_threads = 0;                 ///< host only
  double copy_bytes_per_second = 0;    ///< read + written, best of several copies of a large array
  double random_reads_per_second = 0;  ///< of 8 bytes of 1 GiB; best of several rounds
};

/// Describes every execution space and measures how fast it copies and reads at random. Takes about
/// a second each.
std::vector<BackendInfo> describe_backends();

}  // namespace hashmill::perf
