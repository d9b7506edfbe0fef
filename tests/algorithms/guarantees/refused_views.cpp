// Must not compile: each function gives a call a view that it cannot take, and the compiler must
// say what is wrong with it. The test algorithms.refused_views looks for the sentences.

#include <hashmill/hashmill.hpp>

namespace hashmill::test {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Memory = Exec::memory_space;
using Key = std::uint32_t;
using Keys = Kokkos::View<const Key*, Memory>;
using Flat = Kokkos::View<Key**, Memory>;
using Strided = Kokkos::View<Key*, Kokkos::LayoutStride, Memory>;
using Flags = Kokkos::View<bool*, Memory>;

struct FirstPart {
  KOKKOS_FUNCTION std::uint64_t operator()(Key) const { return 0; }
};

// Says: hashmill: keys, values, rows and results are views of one dimension
void flat_keys(const Flat& keys) {
  (void)ArrayTable<Key, Memory>(Exec(), keys);
  (void)Chaining<Key, Memory>(Exec(), keys);
  (void)LinearProbing<Key, Memory>(Exec(), keys);
  (void)BloomFilter<Key, Memory>(Exec(), keys);
  (void)group_rows(Exec(), keys);
  (void)partition(Exec(), keys, FirstPart{}, PartCount(1));
}
void flat_values(LinearProbing<Key, Memory>& table, const Keys& keys, const Flat& flat,
                 const Kokkos::View<bool, Memory>& out) {
  (void)table.insert(Exec(), keys, flat);
  table.contains(Exec(), keys, out);
  gather(Exec(), flat, keys, keys);
  (void)columns(keys, flat);
}

// Says: hashmill: bits, offsets and bytes of strings, relations and what Arrow takes are contiguous
void bits_apart(const Kokkos::View<std::uint8_t*, Kokkos::LayoutStride, Memory>& bits,
                const Kokkos::View<char*, Kokkos::LayoutStride, Memory>& bytes,
                const Strided& numbers) {
  (void)validity(bits, 8);
  (void)string_column(numbers, bytes);
  (void)to_arrow("numbers", numbers);
}

// Says: hashmill::TagBucket: keys stay with the caller, so that views of another type
void keys_apart_left_with_the_caller(const Strided& keys) {
  (void)TagBucket<Key, Memory>(Exec(), keys);
}

// Says: hashmill::HashGraph: keys are the table's KeySource or, where the layout stores keys
void keys_apart_for_fingerprints(const Strided& keys) {
  (void)HashGraph<Key, Memory, FingerprintRow<>>(Exec(), keys);
}

// Says: hashmill: results hold every row number and count of the table
void narrow_results(const HashGraph<Key, Memory>& table, const Keys& keys,
                    const Kokkos::View<std::int32_t*, Memory>& out) {
  table.count(Exec(), keys, out);
  table.find(Exec(), keys, out);
}

// Says: hashmill::join: a condition is a callable of two rows, not a view
void view_as_condition(const HashGraph<Key, Memory>& table, const Keys& keys,
                       const Kokkos::View<bool**, Memory>& condition) {
  (void)join(Exec(), JoinKind::inner, keys, table, condition);
}

}  // namespace hashmill::test
