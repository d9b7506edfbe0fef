// Must not compile: each function gives a group-by, an aggregation or a table what it cannot take,
// and the compiler must say so. The test algorithms.refused_values looks for the sentences.

#include <hashmill/hashmill.hpp>
#include <hashmill/hybrid_hash_join.hpp>
#include <vector>

namespace hashmill::test {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Memory = Exec::memory_space;
using Key = std::uint32_t;
using Keys = Kokkos::View<const Key*, Memory>;

// Says: hashmill: keys are a Kokkos::View, a column, columns(...), or another source with size()
// and
void keys_of_a_container(const std::vector<Key>& keys, LinearProbing<Key, Memory>& table,
                         const Keys& rows) {
  (void)group_by(Exec(), keys, agg::count());
  (void)group_rows(Exec(), keys);
  (void)ArrayTable<Key, Memory>(Exec(), keys, KeyRange{});
  (void)BloomFilter<Key, Memory>(Exec(), keys);
  (void)Chaining<Key, Memory>(Exec(), keys);
  (void)HashGraph<Key, Memory>(Exec(), keys);
  (void)LinearProbing<Key, Memory>(Exec(), keys);
  (void)TagBucket<Key, Memory>(Exec(), keys);
  (void)table.insert(Exec(), keys, rows);
}

// Says: hashmill::hash_aggregation: keys are columns
void batches_of_a_container(const std::vector<Key>& keys) {
  (void)hash_aggregation(Exec(), keys, agg::count());
}

// Says: hashmill::agg: sum, min, max, mean and variance take a view or a column of numbers
void numbers_of_strings(const StringColumn<std::int32_t, Memory>& strings) {
  (void)agg::min(strings);
  (void)agg::variance(strings);
}
void numbers_of_a_container(const std::vector<double>& values) { (void)agg::mean(values); }
void numbers_too_wide(const Kokkos::View<long double*, Memory>& values) { (void)agg::sum(values); }
void numbers_of_two_dimensions(const Kokkos::View<int**, Memory>& values) {
  (void)agg::max(values);
}

// Says: hashmill::agg: count and first take a view of numbers or a column
void values_of_a_container(const std::vector<double>& values) {
  (void)agg::count(values);
  (void)agg::first(values);
}

// Says: hashmill::count_distinct: values are a view of numbers or a column
void distinct_of_a_container(const std::vector<Key>& values, const Keys& keys) {
  (void)count_distinct(Exec(), group_rows(Exec(), keys), values);
}

// Says: hashmill::distinct_counts: values are a view of numbers or a column
void distinct_batches_of_a_container(const std::vector<Key>& values) {
  (void)distinct_counts(Exec(), values);
}

// Says: hashmill: one aggregation at least, each what a function of hashmill::agg gives
void values_in_place_of_aggregations(const Keys& keys) {
  (void)group_by(Exec(), keys, keys);
  (void)aggregate(Exec(), group_rows(Exec(), keys));
}

// Says: hashmill: batches of a join have the key columns, and values of the types, that it was
// made with
void batches_of_another_type(const Keys& keys, const Kokkos::View<std::uint64_t*, Memory>& wide) {
  const auto side = join_side<0>(keys);
  auto join = hybrid_hash_join(Exec(), HybridJoinKind::inner, side, side, {});
  join.add_right(Exec(), join_side<0>(wide));
}
void batches_with_another_key(const Keys& keys) {
  const auto side = join_side<0>(keys, keys);
  auto join = hybrid_hash_join(Exec(), HybridJoinKind::inner, side, side, {});
  join.add_right(Exec(), join_side<1>(keys, keys));
}

// Says: hashmill::gather: results have a type that holds every value
void gather_into_less(const Kokkos::View<std::uint64_t*, Memory>& wide, const Keys& rows,
                      const Kokkos::View<std::int64_t*, Memory>& out) {
  gather(Exec(), wide, rows, out);
}
void gather_without_fractions(const Kokkos::View<float*, Memory>& values, const Keys& rows,
                              const Kokkos::View<std::int64_t*, Memory>& out) {
  gather(Exec(), values, rows, out);
}

}  // namespace hashmill::test
