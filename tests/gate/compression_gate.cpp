// Instantiates compression for a GPU; compiled, never run. See CMakeLists.txt.

#include <Kokkos_Core.hpp>
#include <hashmill/compression.hpp>
#include <hashmill/hash_join.hpp>
#include <hashmill/packed_column.hpp>

namespace hashmill::gate {

template <class Value>
void call_compression(const Kokkos::Cuda& exec,
                      const Kokkos::View<Value*, Kokkos::CudaSpace>& values) {
  Workspace<Kokkos::CudaSpace> workspace;
  const auto compressed = compress(exec, column(values), workspace);
  decompress(exec, compressed, values, 1);
  static_cast<void>(compressed_from_frame<Value>(exec, compressed.frame()));
}

void call_packed_columns(const Kokkos::Cuda& exec,
                         const Kokkos::View<std::uint64_t*, Kokkos::CudaSpace>& keys,
                         const Kokkos::View<std::uint8_t*, Kokkos::CudaSpace>& bits) {
  const auto left = pack_column(exec, column(keys, validity(bits, keys.extent(0))));
  const auto right = pack_column(exec, keys);
  static_cast<void>(hash_join(exec, JoinKind::inner, left.column(), right.column()));
}

template void call_compression(const Kokkos::Cuda&,
                               const Kokkos::View<std::uint64_t*, Kokkos::CudaSpace>&);
template void call_compression(const Kokkos::Cuda&,
                               const Kokkos::View<std::int16_t*, Kokkos::CudaSpace>&);
template void call_compression(const Kokkos::Cuda&, const Kokkos::View<float*, Kokkos::CudaSpace>&);

}  // namespace hashmill::gate
