#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/workspace.hpp>
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

/// A copy of some numbers where kernels can read it, in memory of `workspace`. Asynchronous: they
/// stay as they are until `exec` is fenced.
template <class Exec, class T, class MemorySpace>
[[nodiscard]] auto device_words(const Exec& exec, const std::vector<T>& words,
                                Workspace<MemorySpace>& workspace) {
  const auto copy = workspace.template take<T>(exec, words.size());
  Kokkos::deep_copy(exec, copy,
                    Kokkos::View<const T*, Kokkos::HostSpace>(words.data(), words.size()));
  return copy;
}

}  // namespace hashmill::detail
