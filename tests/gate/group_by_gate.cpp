// Instantiates group-bys for a GPU; compiled, never run. See CMakeLists.txt.

#include <Kokkos_Core.hpp>
#include <hashmill/distinct_counts.hpp>
#include <hashmill/group_by.hpp>
#include <hashmill/hash_aggregation.hpp>

namespace hashmill::gate {

using Exec = Kokkos::Cuda;
using Memory = Kokkos::CudaSpace;
template <class T>
using View = Kokkos::View<T*, Memory>;

void groups() {
  const Exec exec;
  const View<std::int32_t> keys("hashmill::gate::keys", 1);
  const View<double> values("hashmill::gate::values", 1);
  const auto nullable = column(values, Validity());
  (void)group_by(exec, keys, agg::count(), agg::sum(nullable), agg::min(nullable), agg::max(values),
                 agg::mean(nullable), agg::first(keys));
  (void)group_by<std::uint64_t>(exec, columns(nullable, column(keys)), agg::count());
  (void)aggregate(exec, group_rows(exec, keys), agg::variance(nullable), agg::variance(keys));
  (void)count_distinct(exec, group_rows(exec, keys), values);
}

void batches() {
  const Exec exec;
  const View<std::int32_t> keys("hashmill::gate::keys", 1);
  const View<double> values("hashmill::gate::values", 1);
  auto groups = hash_aggregation(exec, keys, agg::count(), agg::sum(values), agg::variance(values));
  groups.add(exec, keys, agg::count(), agg::sum(values), agg::variance(values));
  groups.find(exec, keys, View<std::uint32_t>("hashmill::gate::found", 1));
  const auto partials = groups.export_partials(exec);
  auto all = hash_aggregation(exec, keys, agg::count(), agg::sum(values), agg::variance(values));
  all.add_partials(exec, partials.key_columns(), partials.states);
  all.merge(exec, groups);
  (void)all.results(exec);
  groups.clear(exec);
}

}  // namespace hashmill::gate
