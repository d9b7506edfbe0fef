#pragma once

#include <hashmill/array_table/ref.hpp>
#include <hashmill/backends/publish.hpp>
#include <hashmill/chaining/detail/link.hpp>

namespace hashmill::detail {

/// The arrays of an ArrayTable as the kernels that link rows see them: chains without keys.
template <class Key, class Row>
struct ArrayChains {
  using row_type = Row;
  using key_type = Key;
  Row* heads;
  Row* next_rows;
  KeyNormalizer<1> numbers;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t bucket(const Key& key) const {
    return numbers(key);
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(Row i, const Key&, Row next) const { next_rows[i] = next; }
};

/// The range of keys that were read to find it.
struct FoundRange {
  KeyRange range;
};

/// Counts the keys that have no number.
template <class Key, class Keys>
struct CountOutside {
  Keys keys;
  KeyNormalizer<1> numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& sum) const {
    const auto key = as_key<Key>(keys(static_cast<std::uint64_t>(i)));
    sum += numbers(key) == KeyNormalizer<1>::outside ? 1 : 0;
  }
};

/// Takes the chain of the number of each query off its head and counts the rows. Of equal queries
/// one gets the chain.
template <class Key, class Row, class Queries>
struct EraseNumbered {
  ArrayChains<Key, Row> chains;
  Queries queries;
  KOKKOS_FUNCTION void operator()(std::int64_t q, std::uint64_t& erased) const {
    const auto& query = queries(static_cast<std::uint64_t>(q));
    if (!can_be_key<Key>(query)) return;
    const std::uint64_t number = chains.bucket(as_key<Key>(query));
    if (number == KeyNormalizer<1>::outside) return;
    if (backends::load_relaxed(&chains.heads[number]) == no_row<Row>) return;
    Row i = Kokkos::atomic_exchange(&chains.heads[number], no_row<Row>);
    for (; i != no_row<Row>; i = chains.next_rows[i]) ++erased;
  }
};

/// The entries of an ArrayTable, number by number. The keys are computed from the numbers.
template <class Ref>
struct NumberedParts {
  using Key = typename Ref::key_type;

  template <class F>
  struct WithKey {
    Key key;
    const F& f;
    template <class Row>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Row row) const {
      f(key, row);
    }
  };

  Ref ref;

  [[nodiscard]] std::uint64_t size() const { return ref.numbers().size(); }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t number, const F& f) const {
    const auto key = static_cast<Key>(ref.numbers().value(number, 0));
    ref.for_each_numbered(number, WithKey<F>{key, f});
  }
};

}  // namespace hashmill::detail
