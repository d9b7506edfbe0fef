#pragma once

#include <hashmill/backends/allocate.hpp>
#include <vector>

namespace hashmill::detail {

/// A copy of a few values in the memory of a device. Asynchronous: they stay as they are until
/// `exec` is fenced.
template <class MemorySpace, class Exec, class T>
[[nodiscard]] Kokkos::View<T*, MemorySpace> to_device(const Exec& exec,
                                                      const std::vector<T>& values) {
  const auto view =
      backends::allocate<Kokkos::View<T*, MemorySpace>>(exec, "hashmill::on_device", values.size());
  Kokkos::deep_copy(exec, view,
                    Kokkos::View<const T*, Kokkos::HostSpace>(values.data(), values.size()));
  return view;
}

/// As `to_device`. Waits for `exec`.
template <class MemorySpace, class Exec, class T>
[[nodiscard]] Kokkos::View<T*, MemorySpace> on_device(const Exec& exec,
                                                      const std::vector<T>& values) {
  const auto view = to_device<MemorySpace>(exec, values);
  exec.fence("hashmill: numbers are copied");
  return view;
}

}  // namespace hashmill::detail
