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

template <class Key>
using Keys = Kokkos::View<const Key*, Kokkos::CudaSpace>;

/// Builds and probes a table of any layout.
template <class Key, class Layout>
auto call_build(const Kokkos::Cuda& exec, const Keys<Key>& keys) {
  const Kokkos::View<bool*, Kokkos::CudaSpace> contained("contained", 1);
  const Kokkos::View<std::uint64_t*, Kokkos::CudaSpace> counts("counts", 1);
  Workspace<Kokkos::CudaSpace> workspace;
  using Table = HashGraph<Key, Kokkos::CudaSpace, Layout>;
  Table table(exec, keys, {.algorithm = BuildAlgorithm::v1}, workspace);
  table.rebuild(exec, keys, {}, workspace);
  static_cast<void>(Table::predicted_peak_bytes(exec, 1));
  table.contains(exec, keys, contained);
  table.count(exec, keys, counts);
  table.erase(exec, keys);
  table.compact(exec);
  static_cast<void>(table.statistics(exec));
  static_cast<void>(intersect_count(exec, table, table));
  return table;
}

/// What only layouts with rows offer.
template <class Key, class Layout>
auto call_rows(const Kokkos::Cuda& exec, const Keys<Key>& keys) {
  auto table = call_build<Key, Layout>(exec, keys);
  const Kokkos::View<typename decltype(table)::row_type*, Kokkos::CudaSpace> rows("rows", 1);
  table.find(exec, keys, rows);
  static_cast<void>(table.retrieve(exec, keys));
  static_cast<void>(table.retrieve_all(exec));
  static_cast<void>(intersect(exec, table, table));
  return table;
}

/// The part of a key.
struct LowBits {
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return Murmur3Hash{}(key)&255;
  }
};

template <class Key>
void call_all(const Kokkos::Cuda& exec) {
  const Keys<Key> keys = Kokkos::View<Key*, Kokkos::CudaSpace>("keys", 1);
  static_cast<void>(call_build<Key, KeyOnly<>>(exec, keys));
  static_cast<void>(call_rows<Key, FingerprintRow<>>(exec, keys));
  static_cast<void>(call_rows<Key, PackedRow>(exec, keys));
  const auto table = call_rows<Key, KeyRow<>>(exec, keys);
  static_cast<void>(merge(exec, table, table));
  static_cast<void>(partition(exec, keys, keys, LowBits{}, PartCount(256)));
  static_cast<void>(partition(exec, keys, LowBits{}, PartCount(256)));
}

template void call_all<std::uint32_t>(const Kokkos::Cuda&);
template void call_all<std::uint64_t>(const Kokkos::Cuda&);
template void call_all<Key128>(const Kokkos::Cuda&);

}  // namespace hashmill::gate
