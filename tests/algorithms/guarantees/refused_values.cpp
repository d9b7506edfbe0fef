// Must not compile: each function gives a group-by, an aggregation or a table what it cannot take,
// and the compiler must say so. The test algorithms.refused_values looks for the sentences.

#include <hashmill/hashmill.hpp>
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

}  // namespace hashmill::test
