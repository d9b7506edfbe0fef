// Instantiates Chaining for a GPU; compiled, never run. See CMakeLists.txt.

#include <Kokkos_Core.hpp>
#include <hashmill/chaining.hpp>
#include <hashmill/multi_map.hpp>

namespace hashmill::gate {

template <class Key, class Row>
void call_chaining(const Kokkos::Cuda& exec) {
  using Memory = Kokkos::CudaSpace;
  using Table = Chaining<Key, Memory, Row>;
  static_assert(MultiMap<Table> && RowMultiMapRef<typename Table::ref_type>);
  const Kokkos::View<const Key*, Memory> keys = Kokkos::View<Key*, Memory>("keys", 1);
  const Kokkos::View<bool*, Memory> contained("contained", 1);
  const Kokkos::View<std::uint64_t*, Memory> counts("counts", 1);
  const Kokkos::View<Row*, Memory> rows("rows", 1);
  Table table(exec, keys);
  table.append(exec, keys);
  table.reserve(exec, 100);
  table.contains(exec, keys, contained);
  table.count(exec, keys, counts);
  table.find(exec, keys, rows);
  static_cast<void>(table.retrieve(exec, keys));
  static_cast<void>(table.retrieve_all(exec));
  table.erase(exec, keys);
  table.rehash(exec, BucketCount(7));
  static_cast<void>(table.statistics(exec));
  static_cast<void>(table.compact(exec));
  table.clear(exec);
}

template void call_chaining<std::uint32_t, std::uint32_t>(const Kokkos::Cuda&);
template void call_chaining<std::uint64_t, std::uint64_t>(const Kokkos::Cuda&);
template void call_chaining<Key128, std::uint32_t>(const Kokkos::Cuda&);

}  // namespace hashmill::gate
