// Keys, queries and rows of other number types than a table's, and sides of a join of two types.

#include <hashmill/array_table.hpp>
#include <hashmill/bloom_filter.hpp>
#include <hashmill/chaining.hpp>
#include <hashmill/hash_join.hpp>
#include <hashmill/join.hpp>
#include <hashmill/row_table.hpp>

namespace hashmill::gate {
namespace {

using Exec = Kokkos::Cuda;
using Memory = Exec::memory_space;
template <class Value>
using View = Kokkos::View<Value*, Memory>;

template <class Table, class Queries>
void ask(const Exec& exec, Table& table, const Queries& queries, const View<bool>& there) {
  const View<std::uint64_t> rows, counts;
  table.contains(exec, queries, there);
  table.contains_if(exec, queries, there, there);
  table.find(exec, queries, rows);
  table.count(exec, queries, counts);
  (void)table.retrieve(exec, queries);
  (void)join(exec, JoinKind::full, queries, table);
  (void)semi_join(exec, queries, table);
  table.erase(exec, queries);
}

[[maybe_unused]] void use_other_types(const Exec& exec, const View<std::uint64_t>& wide,
                                      const View<double>& doubles, const View<bool>& there) {
  const View<std::uint16_t> narrow;
  LinearProbing<std::uint32_t, Memory, RepeatedKeys> probing(exec, 10);
  probing.insert(exec, narrow, wide);
  ask(exec, probing, wide, there);
  Chaining<std::int32_t, Memory> chaining(exec, narrow);
  ask(exec, chaining, wide, there);
  ArrayTable<std::int64_t, Memory> array(exec, narrow);
  ask(exec, array, wide, there);
  HashGraph<float, Memory> graph(exec, View<float>());
  ask(exec, graph, doubles, there);
  BloomFilter<std::uint32_t, Memory> filter(exec, narrow);
  filter.merge(exec, BloomFilter<std::uint32_t, Memory>(exec, BloomFilterOptions()));
  filter.contains(exec, wide, there);
}

[[maybe_unused]] void join_other_types(const Exec& exec, const View<std::int32_t>& right,
                                       const View<std::uint32_t>& left,
                                       const View<double>& doubles) {
  (void)hash_join(exec, JoinKind::left, left, right);
  (void)hash_join(exec, JoinKind::left, View<float>(), doubles);
  (void)hash_join(exec, JoinKind::left, columns(left, doubles), columns(right, doubles));
  const auto rows = row_table(exec, columns(right));
  (void)join(exec, JoinKind::inner, columns(left), rows);
}

}  // namespace
}  // namespace hashmill::gate
