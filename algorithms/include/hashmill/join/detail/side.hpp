#pragma once

#include <hashmill/hash.hpp>
#include <hashmill/primitives/detail/keys_at.hpp>
#include <hashmill/primitives/detail/prefetch_elements.hpp>
#include <hashmill/primitives/detail/records.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>
#include <hashmill/row.hpp>
#include <type_traits>
#include <utility>

namespace hashmill::detail {

/// Rows have no value: pairs are only counted.
struct NoValues {
  KOKKOS_FORCEINLINE_FUNCTION NoValue operator()(std::uint64_t) const { return {}; }
};

/// How a key travels to its part: as it is. It is hashed again wherever its hash is asked for.
template <class Key, class Hash, class Equal>
struct TravellingKey {
  using type = Key;
  static KOKKOS_FORCEINLINE_FUNCTION const Key& pack(const Hash&, const Key& key) { return key; }
  static KOKKOS_FORCEINLINE_FUNCTION HashOfFirst<Hash> record_hash(const Hash& hash) {
    return {hash};
  }
};
/// A key that its hash function maps one to one travels as the result, which is its hash as well.
/// Nothing on the way hashes it again.
template <class Key, class Hash>
  requires PermutingHashFor<Hash, Key>
struct TravellingKey<Key, Hash, KeyEqual> {
  using type = decltype(std::declval<const Hash&>().permute(std::declval<const Key&>()));
  static KOKKOS_FORCEINLINE_FUNCTION type pack(const Hash& hash, const Key& key) {
    return hash.permute(key);
  }
  static KOKKOS_FORCEINLINE_FUNCTION FirstIsHash record_hash(const Hash&) { return {}; }
};

/// What the records of a side mean once they have left its columns, if the keys themselves travel.
template <class Key, class ValueOf, class Hash, class Equal>
struct KeyedRecords {
  using Travelling = TravellingKey<Key, Hash, Equal>;
  using Value = ValueOf;
  using record_type = TravellingPair<typename Travelling::type, Value>;
  static constexpr bool equal_keys_have_equal_firsts = std::is_same_v<Equal, KeyEqual>;
  static constexpr bool equal_firsts_decide = equal_keys_have_equal_firsts;
  Hash hash_function;
  Equal equal;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto record_hash() const {
    return Travelling::record_hash(hash_function);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto hash(const record_type& record) const {
    return record_hash()(record);
  }
  template <class Other>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool same_key(
      const record_type& mine, const Other&, const typename Other::record_type& theirs) const {
    return equal(first_of(mine), first_of(theirs));
  }
};

/// A side of a partitioned join. Its rows are records of key and value, which travel to their
/// parts. The code after the first pass knows only the records. So it is compiled once for all
/// sources of keys.
template <class Keys, class Values, class Hash, class Equal>
struct KeyedSide {
  using Value = std::decay_t<std::invoke_result_t<Values, std::uint64_t>>;
  using Records = KeyedRecords<KeyOf<Keys>, Value, Hash, Equal>;
  using record_type = typename Records::record_type;
  KeyAccess<Keys> keys;
  Values values;
  Records records;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return keys.size(); }
  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t i) const {
    return {Records::Travelling::pack(records.hash_function, keys(i)), values(i)};
  }
  void prefetch(std::uint64_t i, std::uint64_t count) const { prefetch_elements(keys, i, count); }
};

/// The records of a side whose keys are too long to travel, or lie in columns. The hash and the row
/// travel. Where hashes are equal, the keys are compared in their columns.
template <class Keys, class Row, class Hash, class Equal>
struct HashedRecords {
  using Value = Row;
  using record_type = TravellingPair<std::uint64_t, Value>;
  static constexpr bool equal_keys_have_equal_firsts = true;
  static constexpr bool equal_firsts_decide = false;
  KeyAccess<Keys> keys;  // of all rows
  Hash hash_function;
  Equal equal;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION FirstIsHash record_hash() const { return {}; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t hash(const record_type& record) const {
    return record_hash()(record);
  }
  template <class Other>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool same_key(
      const record_type& mine, const Other& other,
      const typename Other::record_type& theirs) const {
    return first_of(mine) == first_of(theirs) &&
           equal(keys(second_of(mine)), other.keys(second_of(theirs)));
  }
};

/// A side of a partitioned join with such records.
template <class Keys, class Rows, class Hash, class Equal>
struct HashedSide {
  using Value = std::invoke_result_t<Rows, std::uint64_t>;
  using Records = HashedRecords<Keys, Value, Hash, Equal>;
  using record_type = typename Records::record_type;
  Rows rows;  // those that take part
  std::uint64_t count;
  Records records;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t i) const {
    const Value row = rows(i);
    return {records.hash_function(records.keys(row)), row};
  }
};

/// Whether keys travel themselves: those of at most 16 bytes that are no rows of columns.
template <class Key>
inline constexpr bool key_travels = !IsRowKey<Key>::value && sizeof(Key) <= 16;

/// Returns a side of a join whose result is row numbers.
template <class Row, class Keys, class Hash, class Equal>
[[nodiscard]] auto join_side(const Keys& keys, const Hash& hash, const Equal& equal) {
  if constexpr (key_travels<KeyOf<Keys>>) {
    return KeyedSide<Keys, RowsFrom<Row>, Hash, Equal>{key_access(keys), {}, {hash, equal}};
  } else {
    return HashedSide<Keys, RowsFrom<Row>, Hash, Equal>{
        {}, keys.size(), {key_access(keys), hash, equal}};
  }
}

/// The same with only the rows of a list, by their numbers among all rows.
template <class Row, class Keys, class MemorySpace, class Hash, class Equal>
[[nodiscard]] auto join_side(const KeysAt<Keys, ListedRows<Row>, MemorySpace>& some,
                             const Hash& hash, const Equal& equal) {
  if constexpr (key_travels<KeyOf<Keys>>) {
    using Some = KeysAt<Keys, ListedRows<Row>, MemorySpace>;
    return KeyedSide<Some, ListedRows<Row>, Hash, Equal>{some, some.rows, {hash, equal}};
  } else {
    return HashedSide<Keys, ListedRows<Row>, Hash, Equal>{
        some.rows, some.count, {some.keys, hash, equal}};
  }
}

/// Returns a side of a join that is only counted. Keys alone travel.
template <class Keys, class Hash, class Equal>
[[nodiscard]] auto counted_side(const Keys& keys, const Hash& hash, const Equal& equal) {
  return KeyedSide<Keys, NoValues, Hash, Equal>{key_access(keys), {}, {hash, equal}};
}

}  // namespace hashmill::detail
