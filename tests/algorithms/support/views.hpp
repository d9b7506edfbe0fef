#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

namespace hashmill::test {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

/// A device view with the elements of a vector.
template <class T>
Kokkos::View<T*, Memory> to_device(const std::vector<T>& values) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::View<T*, Memory> view(
      Kokkos::view_alloc("hashmill::test::to_device", Kokkos::WithoutInitializing), values.size());
  Kokkos::deep_copy(
      view, Kokkos::View<const T*, Kokkos::HostSpace, Unmanaged>(values.data(), values.size()));
  return view;
}

/// The label of copies on hosts. They would have that of the view, which may be the library's.
inline constexpr const char* mirror_label = "hashmill::test::mirror";

/// The elements of a device view.
template <class View>
auto to_host(const View& view) {
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view, mirror_label);
  return std::vector<typename View::non_const_value_type>(mirror.data(),
                                                          mirror.data() + mirror.extent(0));
}

/// The elements of a device view of unsigned numbers, widened; the largest `T` (no row) becomes the
/// largest 64-bit number.
template <class View>
std::vector<std::uint64_t> to_wide_host(const View& view) {
  using T = typename View::non_const_value_type;
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view, mirror_label);
  std::vector<std::uint64_t> values(mirror.extent(0));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = mirror(i) == static_cast<T>(~T{0}) ? ~std::uint64_t{0} : mirror(i);
  }
  return values;
}

}  // namespace hashmill::test
