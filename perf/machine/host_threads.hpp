#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

#include "execution_spaces.hpp"
#include "unsupported_case.hpp"

namespace hashmill::perf {

/// Ends the threads that OpenMP keeps for the next parallel loop. Where they wait actively
/// (OMP_WAIT_POLICY), those that a loop of one thread does not need would share their cores' time,
/// clock and caches with it.
inline void end_idle_threads() {
#ifdef KOKKOS_ENABLE_OPENMP
  omp_pause_resource_all(omp_pause_soft);
#endif
}

/// An instance of `Exec` with so many of its threads, all for 0. Throws `UnsupportedCase` where
/// there are none with fewer. No others wait for work beside them.
template <class Exec>
Exec instance_with_threads([[maybe_unused]] unsigned threads) {
  if constexpr (is_host_space<Exec>) {
    const auto all = static_cast<unsigned>(Exec().concurrency());
    if (threads != 0 && threads != all) {
      if constexpr (std::is_constructible_v<Exec, int>) {
        end_idle_threads();
        return Exec(static_cast<int>(threads));
      } else {
        throw UnsupportedCase(std::string(Exec::name()) + " has no instances with some of its " +
                              std::to_string(all) + " threads");
      }
    }
  }
  return Exec();
}

}  // namespace hashmill::perf
