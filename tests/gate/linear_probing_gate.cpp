// Instantiates LinearProbing for a GPU; compiled, never run. See CMakeLists.txt.

#include <Kokkos_Core.hpp>
#include <hashmill/linear_probing.hpp>
#include <hashmill/multi_map.hpp>

namespace hashmill::gate {

struct Everything {
  KOKKOS_FUNCTION bool operator()(std::uint64_t) const { return true; }
};

struct Larger {
  template <class Row>
  KOKKOS_FUNCTION Row operator()(Row a, Row b) const {
    return a > b ? a : b;
  }
};

/// Uses the reference in a kernel.
template <class Ref>
struct InsertAndFind {
  Ref ref;
  Kokkos::View<typename Ref::row_type*, Kokkos::CudaSpace> rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const typename Ref::key_type key{};
    ref.insert(key, rows(i));
    rows(i) = ref.find(key);
  }
};

template <class Key, class Kind, class Row>
void call_linear_probing(const Kokkos::Cuda& exec) {
  using Memory = Kokkos::CudaSpace;
  using Table = LinearProbing<Key, Memory, Kind, Row>;
  static_assert(MultiMap<Table> && RowMultiMapRef<typename Table::ref_type>);
  const Kokkos::View<const Key*, Memory> keys = Kokkos::View<Key*, Memory>("keys", 1);
  const Kokkos::View<bool*, Memory> contained("contained", 1);
  const Kokkos::View<std::uint64_t*, Memory> counts("counts", 1);
  const Kokkos::View<Row*, Memory> rows("rows", 1);
  const Kokkos::View<InsertOutcome*, Memory> outcomes("outcomes", 1);
  Table table(exec, keys);
  table.insert(exec, keys, rows);
  table.insert_if(exec, keys, rows, Everything{}, outcomes);
  if constexpr (Table::unique) {
    table.insert_or_assign(exec, keys, rows);
    table.insert_or_apply(exec, keys, rows, Larger{});
    table.find_or_insert(exec, keys, rows, rows);
  }
  table.contains(exec, keys, contained);
  table.count(exec, keys, counts);
  table.find(exec, keys, rows);
  static_cast<void>(table.retrieve(exec, keys));
  static_cast<void>(table.retrieve_all(exec));
  table.erase(exec, keys);
  table.reserve(exec, 100);
  table.rehash(exec);
  static_cast<void>(table.statistics(exec));
  Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, 1),
                       InsertAndFind<typename Table::ref_type>{table.ref(), rows});
  table.recount(exec);
  table.clear(exec);
}

template void call_linear_probing<std::uint32_t, UniqueKeys, std::uint32_t>(const Kokkos::Cuda&);
template void call_linear_probing<std::uint64_t, RepeatedKeys, std::uint64_t>(const Kokkos::Cuda&);

}  // namespace hashmill::gate
