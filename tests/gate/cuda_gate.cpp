// Instantiates the public templates for a GPU; compiled, never run. See CMakeLists.txt.

#include <Kokkos_Core.hpp>
#include <hashmill/hashmill.hpp>

namespace hashmill::gate {

/// Calls the functions of core in a kernel, for keys of one type.
template <class Key>
struct CallCore {
  Kokkos::View<const Key*, Kokkos::CudaSpace> keys;
  Kokkos::View<std::uint64_t*, Kokkos::CudaSpace> results;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint64_t hash = Murmur3Hash{}(keys(i)) ^ Murmur2Hash {}(keys(i));
    results(i) = bucket_of(hash, results.extent(0)) + fingerprint_of(hash) +
                 (KeyEqual{}(keys(i), keys(0)) ? 1 : 0);
  }
};

template <class Key>
void call_core(const Kokkos::Cuda& exec) {
  const Kokkos::View<Key*, Kokkos::CudaSpace> keys("keys", 1);
  const Kokkos::View<std::uint64_t*, Kokkos::CudaSpace> results("results", 1);
  Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, 1), CallCore<Key>{keys, results});
}

template void call_core<std::uint32_t>(const Kokkos::Cuda&);
template void call_core<std::uint64_t>(const Kokkos::Cuda&);
template void call_core<Key128>(const Kokkos::Cuda&);
template void call_core<float>(const Kokkos::Cuda&);
template void call_core<double>(const Kokkos::Cuda&);

/// Builds and uses a table of keys of one type on the device.
template <class Key>
void call_hash_graph(const Kokkos::Cuda& exec) {
  const Kokkos::View<const Key*, Kokkos::CudaSpace> keys =
      Kokkos::View<Key*, Kokkos::CudaSpace>("keys", 1);
  const Kokkos::View<bool*, Kokkos::CudaSpace> contained("contained", 1);
  const Kokkos::View<std::uint64_t*, Kokkos::CudaSpace> counts("counts", 1);
  const Kokkos::View<std::uint32_t*, Kokkos::CudaSpace> rows("rows", 1);
  HashGraph<Key, Kokkos::CudaSpace> table(exec, keys);
  table.contains(exec, keys, contained);
  table.count(exec, keys, counts);
  table.find(exec, keys, rows);
  static_cast<void>(table.retrieve(exec, keys));
  table.erase(exec, keys);
  table.compact(exec);
  static_cast<void>(table.statistics(exec));
  static_cast<void>(intersect_count(exec, table, table));
  static_cast<void>(intersect(exec, table, table));
}

template void call_hash_graph<std::uint32_t>(const Kokkos::Cuda&);
template void call_hash_graph<std::uint64_t>(const Kokkos::Cuda&);
template void call_hash_graph<Key128>(const Kokkos::Cuda&);

}  // namespace hashmill::gate
