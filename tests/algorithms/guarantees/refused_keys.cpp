// Must not compile: each function compares, stores or joins keys of types that do not go together,
// and the compiler must say so. The test algorithms.refused_keys looks for the sentences.

#include <hashmill/hashmill.hpp>

namespace hashmill::test {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Memory = Exec::memory_space;
using Keys = Kokkos::View<const std::uint32_t*, Memory>;
template <class Value>
using View = Kokkos::View<Value*, Memory>;

// Says: hashmill: queries that cannot be compared with the table's keys
void queries_of_another_kind(const HashGraph<double, Memory>& table, const Keys& queries,
                             const View<bool>& out) {
  table.contains(Exec(), queries, out);
}
bool a_query_of_another_kind(const LinearProbing<double, Memory>& table) {
  return table.ref().contains(1);
}

// Says: hashmill: keys of a type of which the table's key type cannot hold every value
void stored_keys_of_a_wider_type(const Keys& keys) {
  LinearProbing<std::uint16_t, Memory> table(Exec(), 10);
  table.insert(Exec(), keys, keys);
  Chaining<std::int32_t, Memory> chains(Exec(), keys);
  const BloomFilter<float, Memory> filter(Exec(), View<double>());
}

// Says: hashmill: row numbers are whole numbers
void rows_of_floating_point(LinearProbing<std::uint32_t, Memory>& table, const Keys& keys) {
  table.insert(Exec(), keys, View<float>());
}

// Says: hashmill: keys of two sides that cannot be joined
void sides_of_different_kinds(const Keys& right, const View<float>& left) {
  (void)hash_join(Exec(), JoinKind::inner, left, right);
}
void sides_that_no_type_holds(const View<std::int64_t>& right, const View<std::uint64_t>& left) {
  (void)hash_join(Exec(), JoinKind::inner, left, right);
}
void sides_of_different_columns(const Keys& keys, const View<double>& numbers) {
  (void)hash_join(Exec(), JoinKind::inner, columns(numbers), columns(keys));
  (void)hash_join(Exec(), JoinKind::inner, columns(keys), columns(keys, keys));
  (void)hash_join(Exec(), JoinKind::inner, keys, columns(keys));
}

// Says: hashmill: the hash of a join is callable with its keys and returns 64 bits
void sides_of_wide_numbers(const View<long double>& keys) {
  (void)hash_join(Exec(), JoinKind::inner, keys, keys);
}

// Says: hashmill::KeyNormalizer: an integer or enumeration a column
void ranges_of_other_numbers(const KeyNormalizer<1>& normalizer) { (void)normalizer(1.5); }

// Says: hashmill::ValueColumn: integers, enumerations, float or double, of at most 64 bits
void wide_numbers(const View<long double>& values) { (void)column(values); }

// Says: hashmill::KeyEqual: numbers of different kinds
bool numbers_of_different_kinds() { return KeyEqual()(1, 1.0); }

}  // namespace hashmill::test
