#pragma once

#include <hashmill/backends/workspace.hpp>
#include <vector>

namespace hashmill::detail {

/// The words of a view. Waits for `exec`.
template <class Exec, class View>
[[nodiscard]] std::vector<std::uint64_t> host_words(const Exec& exec, const View& view) {
  std::vector<std::uint64_t> words(view.extent(0));
  Kokkos::deep_copy(
      exec, Kokkos::View<std::uint64_t*, Kokkos::HostSpace>(words.data(), words.size()), view);
  exec.fence("hashmill: sizes are sent");
  return words;
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
