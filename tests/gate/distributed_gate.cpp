// Instantiates shuffles, joins, group-bys and DistributedHashGraph of several ranks for a GPU;
// compiled, never run. See CMakeLists.txt.

#include <Kokkos_Core.hpp>
#include <hashmill/distributed_aggregation.hpp>
#include <hashmill/distributed_group_by.hpp>
#include <hashmill/distributed_hash_graph.hpp>
#include <hashmill/distributed_intersect.hpp>
#include <hashmill/distributed_join.hpp>
#include <hashmill/distributed_join_operator.hpp>
#include <hashmill/distributed_semi_join.hpp>
#include <hashmill/shuffle.hpp>

namespace hashmill::gate {

using Memory = Kokkos::CudaSpace;

void call_shuffles(const Kokkos::Cuda& exec, const Communicator& ranks) {
  Workspace<Memory> workspace;
  const Kokkos::View<std::uint64_t*, Memory> keys("keys", 1);
  const Kokkos::View<double*, Memory> values("values", 1);
  const Kokkos::View<std::uint16_t*, Memory> to("to", 1);
  static_cast<void>(shuffle(exec, ranks, keys, workspace, keys, values, GlobalRows(0, 1)));
  static_cast<void>(shuffle(exec, ranks, columns(keys, values), workspace, values));
  static_cast<void>(shuffle_to(exec, ranks, to, workspace, values));
  const OwnedColumn<double, Memory> nullable;
  const OwnedStrings<Memory> strings;
  const auto coded = dictionary_column(column(to), strings.column());
  static_cast<void>(shuffle(exec, ranks, strings.column(), workspace, nullable.column(),
                            strings.column(), coded));
  static_cast<void>(shuffle(exec, ranks, columns(coded, values), workspace, values));
  static_cast<void>(collect(exec, ranks, 0, keys, values, strings.column()));
  static_cast<void>(distribute(exec, ranks, 0, keys));
}

void call_joins(const Kokkos::Cuda& exec, const Communicator& ranks) {
  Workspace<Memory> workspace;
  const Kokkos::View<std::uint64_t*, Memory> keys("keys", 1);
  const Kokkos::View<double*, Memory> values("values", 1);
  const OwnedColumn<double, Memory> nullable;
  const OwnedStrings<Memory> strings;
  const auto numbers = join_side<0>(keys, values);
  const auto texts = join_side<0, 1>(strings.column(), column(keys), nullable.column());
  const auto use = [](const auto&) {};
  static_cast<void>(
      distributed_join(exec, ranks, JoinKind::inner, numbers, numbers, {}, workspace));
  static_cast<void>(
      plan_distributed_join(exec, ranks, JoinKind::inner, numbers, numbers, {}, workspace));
  distributed_join_in_chunks(exec, ranks, JoinKind::full, texts, texts, {}, workspace, use);
  auto join = distributed_join_operator(exec, ranks, JoinKind::left, numbers, numbers, {});
  join.add_right(exec, numbers);
  join.finish_right(exec);
  join.add_left(exec, numbers);
  join.add_left(exec, numbers, use);
  join.finish_left(exec, use);
  static_cast<void>(distributed_semi_join(exec, ranks, numbers, numbers, {}, workspace));
  auto text_join = distributed_join_operator(exec, ranks, JoinKind::full, texts, texts, {});
  text_join.add_right(exec, texts);
  text_join.finish_right(exec);
  text_join.add_left(exec, texts);
  text_join.finish_left(exec, use);
  static_cast<void>(distributed_anti_join(exec, ranks, texts, texts, {}, workspace));
}

void call_group_bys(const Kokkos::Cuda& exec, const Communicator& ranks) {
  const Kokkos::View<std::uint64_t*, Memory> keys("keys", 1);
  const Kokkos::View<double*, Memory> values("values", 1);
  const OwnedStrings<Memory> strings;
  auto groups = distributed_aggregation(exec, ranks, keys, agg::count(), agg::mean(values));
  groups.add(exec, keys, agg::count(), agg::mean(values));
  static_cast<void>(groups.results(exec));
  groups.clear(exec);
  static_cast<void>(distributed_group_by(exec, ranks, columns(strings.column(), values),
                                         agg::first(values), agg::variance(values)));
}

template <class Key>
void call_table(const Kokkos::Cuda& exec, const Communicator& ranks) {
  using Table = DistributedHashGraph<Key, Memory>;
  const Kokkos::View<const Key*, Memory> keys = Kokkos::View<Key*, Memory>("keys", 1);
  const Kokkos::View<bool*, Memory> contained("contained", 1);
  const Kokkos::View<std::uint64_t*, Memory> numbers("numbers", 1);
  Table table(exec, ranks, keys);
  const Table other(exec, ranks, keys, table.options_like());
  table.contains(exec, keys, contained);
  table.count(exec, keys, numbers);
  table.find(exec, keys, numbers);
  static_cast<void>(table.retrieve(exec, keys));
  static_cast<void>(table.erase(exec, keys));
  table.compact(exec);
  static_cast<void>(table.statistics());
  static_cast<void>(intersect_count(exec, table, other));
  static_cast<void>(intersect(exec, table, other));
}
template void call_table<std::uint32_t>(const Kokkos::Cuda&, const Communicator&);
template void call_table<std::uint64_t>(const Kokkos::Cuda&, const Communicator&);

}  // namespace hashmill::gate
