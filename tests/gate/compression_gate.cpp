// Instantiates compression for a GPU; compiled, never run. See CMakeLists.txt.

#include <Kokkos_Core.hpp>
#include <hashmill/compression.hpp>

namespace hashmill::gate {

template <class Value>
void call_compression(const Kokkos::Cuda& exec,
                      const Kokkos::View<Value*, Kokkos::CudaSpace>& values) {
  Workspace<Kokkos::CudaSpace> workspace;
  const auto compressed = compress(exec, column(values), workspace);
  decompress(exec, compressed, values, 1);
  static_cast<void>(compressed_from_frame<Value>(exec, compressed.frame()));
}

template void call_compression(const Kokkos::Cuda&,
                               const Kokkos::View<std::uint64_t*, Kokkos::CudaSpace>&);
template void call_compression(const Kokkos::Cuda&,
                               const Kokkos::View<std::int16_t*, Kokkos::CudaSpace>&);
template void call_compression(const Kokkos::Cuda&, const Kokkos::View<float*, Kokkos::CudaSpace>&);

}  // namespace hashmill::gate
