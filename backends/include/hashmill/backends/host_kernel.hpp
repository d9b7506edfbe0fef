#pragma once

#include <functional>
#include <hashmill/backends/execution.hpp>

namespace hashmill::backends {

/// A host's kernel behind one type, whatever the kernel. So what launches it is compiled once and
/// not once per kernel, which took a quarter of the time to compile a hash join. It is called
/// through a pointer, which suits long iterations: a block of queries, a tile of records, a bin.
template <class... Arguments>
using HostKernel = std::function<void(Arguments...)>;

/// A kernel as it is launched on `Exec`: behind that type on hosts, else the kernel itself.
template <ExecutionSpace Exec, class Argument, class Kernel>
[[nodiscard]] decltype(auto) launchable(const Kernel& kernel) {
  if constexpr (has_wide_teams<Exec>) {
    return (kernel);
  } else {
    return HostKernel<Argument>(kernel);
  }
}

}  // namespace hashmill::backends
