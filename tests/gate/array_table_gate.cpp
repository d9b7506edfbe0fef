// Instantiates ArrayTable for a GPU; compiled, never run. See CMakeLists.txt.

#include <Kokkos_Core.hpp>
#include <hashmill/array_table.hpp>
#include <hashmill/multi_map.hpp>

namespace hashmill::gate {

template <class Key, class Row>
void call_array_table(const Kokkos::Cuda& exec) {
  using Memory = Kokkos::CudaSpace;
  using Table = ArrayTable<Key, Memory, Row>;
  static_assert(MultiMap<Table> && RowMultiMapRef<typename Table::ref_type>);
  const Kokkos::View<const Key*, Memory> keys = Kokkos::View<Key*, Memory>("keys", 1);
  const Kokkos::View<bool*, Memory> contained("contained", 1);
  const Kokkos::View<std::uint64_t*, Memory> counts("counts", 1);
  const Kokkos::View<Row*, Memory> rows("rows", 1);
  Table table(exec, keys);
  table = Table(exec, keys, KeyRange{0, 9});
  table.contains(exec, keys, contained);
  table.count(exec, keys, counts);
  table.find(exec, keys, rows);
  static_cast<void>(table.retrieve(exec, keys));
  static_cast<void>(table.retrieve_all(exec));
  table.erase(exec, keys);
}

template void call_array_table<std::int16_t, std::uint32_t>(const Kokkos::Cuda&);
template void call_array_table<std::uint64_t, std::uint64_t>(const Kokkos::Cuda&);

/// Two columns as one key.
void call_normalized_columns(const Kokkos::Cuda& exec) {
  using Column = Kokkos::View<const int*, Kokkos::CudaSpace>;
  const Column column = Kokkos::View<int*, Kokkos::CudaSpace>("column", 1);
  const KeyNormalizer<2> normalizer({key_range(exec, column), key_range(exec, column)});
  const NormalizedColumns<Column, Column> keys(column, column, normalizer);
  const KeyRange numbers{0, normalizer.size() - 1};
  const ArrayTable<std::uint64_t, Kokkos::CudaSpace> table(exec, keys, numbers);
  static_cast<void>(table.retrieve(exec, keys));
}

}  // namespace hashmill::gate
