// Instantiates TagBucket for a GPU; compiled, never run. See CMakeLists.txt.

#include <Kokkos_Core.hpp>
#include <hashmill/multi_map.hpp>
#include <hashmill/tag_bucket.hpp>

namespace hashmill::gate {

struct EveryRow {
  KOKKOS_FUNCTION bool operator()(std::uint64_t) const { return true; }
};

/// Takes rows, or keys and rows.
struct Ignore {
  template <class... Entry>
  KOKKOS_FUNCTION void operator()(const Entry&...) const {}
};

/// Uses the reference in a kernel.
template <class Ref>
struct FindAndCount {
  Ref ref;
  Kokkos::View<typename Ref::row_type*, Kokkos::CudaSpace> rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const typename Ref::key_type key{};
    rows(i) =
        ref.contains(key) ? ref.find(key) : static_cast<typename Ref::row_type>(ref.count(key));
    ref.for_each_match(key, Ignore{});
  }
};

template <class Key, class Row>
void call_tag_bucket(const Kokkos::Cuda& exec) {
  using Memory = Kokkos::CudaSpace;
  using Table = TagBucket<Key, Memory, Row>;
  static_assert(MultiMap<Table> && RowMultiMapRef<typename Table::ref_type>);
  const Kokkos::View<const Key*, Memory> keys = Kokkos::View<Key*, Memory>("keys", 1);
  const Kokkos::View<bool*, Memory> contained("contained", 1);
  const Kokkos::View<std::uint64_t*, Memory> counts("counts", 1);
  const Kokkos::View<Row*, Memory> rows("rows", 1);
  const Kokkos::View<InsertOutcome*, Memory> outcomes("outcomes", 1);
  Table table(exec, keys);
  table.insert(exec, 0, 1);
  table.find_or_insert(exec, 0, 1, rows);
  table.insert_unique(exec, 0, 1);
  table.insert_if(exec, 0, 1, EveryRow{}, outcomes);
  table.contains(exec, keys, contained);
  table.count(exec, keys, counts);
  table.find(exec, keys, rows);
  static_cast<void>(table.retrieve(exec, keys));
  static_cast<void>(table.retrieve_all(exec));
  table.for_each(exec, Ignore{});
  table.erase(exec, keys);
  table.erase_if(exec, EveryRow{});
  table.set_keys(exec, keys);
  table.reserve(exec, 100);
  table.rehash(exec, BucketCount(7));
  static_cast<void>(table.statistics(exec));
  Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, 1),
                       FindAndCount<typename Table::ref_type>{table.ref(), rows});
  table.clear(exec);
}

template void call_tag_bucket<std::uint32_t, std::uint32_t>(const Kokkos::Cuda&);
template void call_tag_bucket<Key128, std::uint64_t>(const Kokkos::Cuda&);

}  // namespace hashmill::gate
