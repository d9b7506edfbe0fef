#include "backend_info.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <hashmill/backends/memory_cache.hpp>
#include <hashmill/backends/numa_placement.hpp>

#include "execution_spaces.hpp"
#include "random_reads.hpp"

namespace hashmill::perf {
namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "CPU";
}

#ifdef HASHMILL_QUICK_BENCHMARKS
constexpr const char* quality = " (compiled for tests: its times mean nothing)";
#else
constexpr const char* quality = "";
#endif

template <class Exec>
std::string device_name(const Exec& exec) {
  if constexpr (requires { exec.cuda_device_prop().name; }) {
    return exec.cuda_device_prop().name;
  } else if constexpr (requires { exec.hip_device_prop().name; }) {
    return exec.hip_device_prop().name;
  } else if constexpr (is_host_space<Exec>) {
    const int threads = exec.concurrency();
    const backends::NumaPlan& plan = backends::numa_plan();
    return processor_name() + ", " + std::to_string(threads) +
           (threads == 1 ? " thread" : " threads") +
           (plan.places() ? std::string(", NUMA ") + to_string(plan.mode()) + " on " +
                                std::to_string(plan.num_nodes()) + " nodes"
                          : std::string());
  } else {
    return Exec::name();
  }
}

/// Best of several copies from one large array to another, after one that warms the memory.
template <class Exec>
double measure_copy(const Exec& exec) {
  using Memory = typename Exec::memory_space;
  constexpr std::uint64_t wanted_bytes = is_host_space<Exec> ? 256ULL << 20 : 2ULL << 30;
  const std::uint64_t num_bytes = std::min(wanted_bytes, backends::free_bytes<Memory>() / 8);
  const Kokkos::View<std::uint64_t*, Memory> from("hashmill::perf::copy_from", num_bytes / 8);
  const Kokkos::View<std::uint64_t*, Memory> to("hashmill::perf::copy_to", num_bytes / 8);
  double best = 0;
  for (int round = 0; round < 6; ++round) {
    exec.fence("hashmill::perf::measure_copy: the clock starts");
    const Kokkos::Timer timer;
    Kokkos::deep_copy(exec, to, from);
    exec.fence("hashmill::perf::measure_copy: the clock stops");
    best = std::max(best, 2.0 * static_cast<double>(num_bytes) / timer.seconds());
  }
  return best;
}

}  // namespace

std::vector<BackendInfo> describe_backends() {
  std::vector<BackendInfo> infos;
  for_each_execution_space([&]<class Exec>(TypeTag<Exec>) {
    const Exec exec;
    const int num_threads = is_host_space<Exec> ? exec.concurrency() : 0;
    infos.push_back({Exec::name(), device_name(exec) + quality, is_host_space<Exec>, num_threads,
                     measure_copy(exec), measure_random_reads(exec)});
  });
  return infos;
}

}  // namespace hashmill::perf
