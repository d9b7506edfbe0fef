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

}  // namespace hashmill::detail
