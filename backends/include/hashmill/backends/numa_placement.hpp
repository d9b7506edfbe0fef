#pragma once

#include <hashmill/backends/execution.hpp>
#include <hashmill/backends/huge_pages.hpp>
#include <hashmill/backends/machine_topology.hpp>
#include <hashmill/backends/numa_plan.hpp>
#include <utility>

#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace hashmill::backends {

/// Whether the threads of Kokkos's host space stay on their cores, as `NumaMode::local` requires.
/// Known for OpenMP only; else false.
[[nodiscard]] inline bool host_threads_are_bound() {
#ifdef KOKKOS_ENABLE_OPENMP
  if (std::is_same_v<Kokkos::DefaultHostExecutionSpace, Kokkos::OpenMP>) {
    return omp_get_proc_bind() != omp_proc_bind_false;
  }
#endif
  return false;
}

/// Storage of the plan in force. `numa_plan` reads it and `ScopedNumaPlan` changes it.
[[nodiscard]] inline NumaPlan& numa_plan_storage() {
  static NumaPlan plan(machine_topology(), numa_mode_of_environment(),
                       static_cast<unsigned>(Kokkos::DefaultHostExecutionSpace().concurrency()));
  return plan;
}

/// The plan by which host arrays are placed and partitioned. By default it is made from this
/// machine, the threads of Kokkos's host space and the mode that HASHMILL_NUMA names. A
/// ScopedNumaPlan replaces it. Throws InvalidArgument while HASHMILL_NUMA names no mode.
[[nodiscard]] inline const NumaPlan& numa_plan() { return numa_plan_storage(); }

/// Puts another plan in force during its lifetime: for an option of a program, or to test a plan
/// for another machine. They nest. None may begin or end while another thread works.
class ScopedNumaPlan {
 public:
  /// Puts `plan` in force.
  explicit ScopedNumaPlan(NumaPlan plan)
      : before_(std::exchange(numa_plan_storage(), std::move(plan))) {}
  ~ScopedNumaPlan() { numa_plan_storage() = std::move(before_); }
  ScopedNumaPlan(const ScopedNumaPlan&) = delete;
  ScopedNumaPlan& operator=(const ScopedNumaPlan&) = delete;

 private:
  NumaPlan before_;
};

/// Arrays of fewer bytes are not placed.
inline constexpr std::uint64_t placed_array_bytes = 2 * huge_page_bytes;

/// The smallest page in which the system provides memory, in bytes.
inline constexpr std::uint64_t small_page_bytes = 4096;

/// Writes one byte of each page of a thread's slice, so that the system provides the page next to
/// that thread.
struct TouchSlice {
  std::byte* data;
  std::uint64_t pages;
  std::uint64_t slices;

  KOKKOS_FUNCTION void operator()(const std::int64_t slice) const {
    const auto i = static_cast<std::uint64_t>(slice);
    const std::uint64_t end = slice_begin(i + 1, slices, pages);
    for (std::uint64_t page = slice_begin(i, slices, pages); page < end; ++page) {
      data[page * small_page_bytes] = std::byte{0};
    }
  }
};

/// Touches memory without contents yet: each thread of `exec` touches the slice that a static
/// schedule gives it later. There is one slice per thread, because schedules of more iterations
/// than threads differ between compilers. Asynchronous on `exec`; writes 1 byte of every 4096.
template <ExecutionSpace Exec>
void touch_slices(const Exec& exec, void* data, std::uint64_t bytes) {
  const std::uint64_t pages = (bytes + small_page_bytes - 1) / small_page_bytes;
  const auto threads = static_cast<std::uint64_t>(exec.concurrency());
  Kokkos::parallel_for("hashmill::numa::first_touch", range(exec, threads),
                       TouchSlice{static_cast<std::byte*>(data), pages, threads});
}

#ifdef HASHMILL_ENABLE_HWLOC
/// The nodes of a plan, as a set of hwloc.
[[nodiscard]] inline HwlocSet hwloc_nodes(const NumaPlan& plan) {
  HwlocSet nodes = make_hwloc_set();
  for (unsigned k = 0; k < plan.num_nodes(); ++k) hwloc_bitmap_set(nodes.get(), plan.node(k));
  return nodes;
}
#endif

/// Asks the system to spread memory that was not touched yet over the plan's nodes, page by page in
/// turn. Returns whether it will. It will not where the machine lacks those nodes or forbids it, or
/// the library was built without hwloc.
inline bool interleave_pages([[maybe_unused]] const NumaPlan& plan, [[maybe_unused]] void* data,
                             [[maybe_unused]] std::uint64_t bytes) {
#ifdef HASHMILL_ENABLE_HWLOC
  // Whole pages only: the first and the last page may be shared with other data.
  const PageRange pages = whole_pages(data, bytes, small_page_bytes);
  return pages.bytes != 0 &&
         hwloc_set_area_membind(machine_hwloc().handle(), pages.data, pages.bytes,
                                hwloc_nodes(plan).get(), HWLOC_MEMBIND_INTERLEAVE,
                                HWLOC_MEMBIND_BYNODESET) == 0;
#else
  return false;
#endif
}

/// The NUMA nodes, as the system numbers them, on which the pages of an array lie. Pages that
/// nobody touched lie on none. Empty where the system does not tell. The library places arrays
/// without asking; this is for programs and tests that check where they lie.
[[nodiscard]] inline std::vector<unsigned> nodes_of([[maybe_unused]] const void* data,
                                                    [[maybe_unused]] std::uint64_t bytes) {
  std::vector<unsigned> nodes;
#ifdef HASHMILL_ENABLE_HWLOC
  const HwlocSet found = make_hwloc_set();
  if (hwloc_get_area_memlocation(machine_hwloc().handle(), data, bytes, found.get(),
                                 HWLOC_MEMBIND_BYNODESET) != 0) {
    return nodes;
  }
  for (int node = hwloc_bitmap_first(found.get()); node >= 0;
       node = hwloc_bitmap_next(found.get(), node)) {
    nodes.push_back(static_cast<unsigned>(node));
  }
#endif
  return nodes;
}

/// Places a large host array without contents yet on `exec`, as the plan in force says. This is a
/// hint and never fails. Does nothing on machines with one node, for arrays below
/// `placed_array_bytes`, and for other memory spaces.
template <class MemorySpace, ExecutionSpace Exec>
void place_array([[maybe_unused]] const Exec& exec, [[maybe_unused]] void* data,
                 [[maybe_unused]] std::uint64_t bytes) {
  if constexpr (std::is_same_v<MemorySpace, Kokkos::HostSpace> && !has_wide_teams<Exec>) {
    const NumaPlan& plan = numa_plan();
    if (!plan.places() || bytes < placed_array_bytes) return;
    if (plan.mode() == NumaMode::interleaved) {
      interleave_pages(plan, data, bytes);
    } else {
      touch_slices(exec, data, bytes);
    }
  }
}

}  // namespace hashmill::backends
