#pragma once

#include <functional>
#include <hashmill/backends/execution.hpp>

namespace hashmill::backends {

/// A host's kernel behind one type whichever it is, so that what launches it is compiled once and
/// not for each anew (a quarter of the time that a hash join took to compile). It is called through
/// a pointer, which suits iterations that are long: a block of queries, a tile of records, a bin.
template <class... Arguments>
using HostKernel = std::function<void(Arguments...)>;

/// A kernel as it is launched on `Exec`: on hosts behind that type, else itself.
template <ExecutionSpace Exec, class Argument, class Kernel>
[[nodiscard]] decltype(auto) launchable(const Kernel& kernel) {
  if constexpr (has_wide_teams<Exec>) {
    return (kernel);
  } else {
    return HostKernel<Argument>(kernel);
  }
}

}  // namespace hashmill::backends
