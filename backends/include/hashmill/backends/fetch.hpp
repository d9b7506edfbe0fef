#pragma once

#include <hashmill/backends/execution.hpp>

namespace hashmill::backends {

/// Element `i` of a view, after what was launched on `exec` before. Copies it to the host and
/// fences `exec`, for the `reason` that profilers show.
template <ExecutionSpace Exec, class View>
[[nodiscard]] typename View::non_const_value_type fetch(const Exec& exec, const View& view,
                                                        std::uint64_t i, const char* reason) {
  typename View::non_const_value_type value;
  Kokkos::deep_copy(exec, value, Kokkos::subview(view, i));
  exec.fence(reason);
  return value;
}

}  // namespace hashmill::backends
