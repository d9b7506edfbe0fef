// Instantiates RowContainer for a GPU; compiled, never run. See CMakeLists.txt.

#include <Kokkos_Core.hpp>
#include <hashmill/row_container.hpp>
#include <hashmill/tag_bucket.hpp>

namespace hashmill::gate {

using Memory = Kokkos::CudaSpace;
using Container = RowContainer<Memory, std::uint32_t, StringView, double, Key128>;

/// Uses the reference in a kernel.
struct ChangeRow {
  Container::ref_type rows;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    if (rows.is_null<0>(i) || rows.value<1>(i).size == 0) rows.set<0>(i, 7);
    Kokkos::atomic_add(rows.address<2>(i), 1.0);
    rows.set_null<3>(i);
  }
};

void call_row_container(const Kokkos::Cuda& exec, const Kokkos::View<std::uint32_t*, Memory>& keys,
                        const Kokkos::View<std::int32_t*, Memory>& offsets,
                        const Kokkos::View<char*, Memory>& bytes,
                        const Kokkos::View<double*, Memory>& values,
                        const Kokkos::View<std::uint8_t*, Memory>& bits) {
  Container container;
  container.reserve(exec, 10, 100);
  container.append(exec, keys, string_column(offsets, bytes), values,
                   constant_column<Memory>(Key128{}, keys.extent(0)));
  container.extract<0, 2>(exec, container.all_rows(), keys, nullable(values, bits));
  container.extract<2>(exec, keys, values);
  static_cast<void>(container.extract_strings<1>(exec, keys));
  const auto by = container.keys<0, 1>().nulls_equal();
  using Keys = std::decay_t<decltype(by)>;
  TagBucket<Keys::key_type, Memory, std::uint32_t, RowHash, RowEqual, Keys> table(exec, by);
  table.find(exec, columns(keys, container.column<1>()), keys);
  Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, 1), ChangeRow{container.ref()});
  container.clear();
}

}  // namespace hashmill::gate
