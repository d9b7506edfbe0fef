#pragma once

#include <hashmill/backends/streaming.hpp>
#include <hashmill/key_mode.hpp>
#include <hashmill/multi_map/hashed_key.hpp>
#include <hashmill/row.hpp>

namespace hashmill {

/// An ArrayTable as kernels see it: trivially copyable, owns nothing. Valid until its table is
/// changed, moved or destroyed.
///
/// Any number of threads may call any members at once. A look-up reads one head and one link per
/// row, each a random access. Nothing is hashed or compared.
template <class Key, RowNumber Row>
class ArrayTableRef {
 public:
  using key_type = Key;
  using row_type = Row;

  /// Made by ArrayTable::ref().
  ArrayTableRef(const Row* heads, const Row* next_rows, std::uint64_t num_rows,
                std::uint64_t row_base, const KeyNormalizer<1>& numbers)
      : heads_(heads),
        next_rows_(next_rows),
        num_rows_(static_cast<Row>(num_rows)),
        row_base_(static_cast<Row>(row_base)),
        numbers_(numbers) {}

  /// Calls `f(row)` for every row whose key equals `key`, in no particular order. A `SearchKey` is
  /// a Key, or a key with its number in place of a hash (HashedKey).
  template <class SearchKey = Key, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const SearchKey& key, const F& f) const {
    for_each_from(head(number_of(key)), f);
  }
  /// Calls `f(row)` for every row whose key has that number.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_numbered(std::uint64_t number, const F& f) const {
    for_each_from(head(number), f);
  }

  /// One row with that key, or `no_row<Row>`.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row find(const SearchKey& key) const {
    const Row i = head(number_of(key));
    return i == no_row<Row> ? i : static_cast<Row>(row_base_ + i);
  }

  /// Whether any row has that key.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool contains(const SearchKey& key) const {
    return head(number_of(key)) != no_row<Row>;
  }

  /// How many rows have that key.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count(const SearchKey& key) const {
    std::uint64_t rows = 0;
    Row i = head(number_of(key));
    for (; i != no_row<Row> && rows != num_rows_; i = next_rows_[i]) ++rows;
    return rows;
  }

  /// The head at which a look-up begins: the number that takes the place of a hash.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t home_of_hash(std::uint64_t number) const {
    return number;
  }
  /// Prefetches the head that a look-up reads first. On hosts only.
  void prefetch_home(std::uint64_t number) const {
    if (number != KeyNormalizer<1>::outside) backends::prefetch_far(heads_ + number);
  }

  /// Whether the table has no heads, because it was moved from.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_vacant() const { return heads_ == nullptr; }

  /// The functor in place of a hash function: it gives the number of a key.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const KeyNormalizer<1>& hasher() const {
    return numbers_;
  }
  /// How keys are numbered.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const KeyNormalizer<1>& numbers() const {
    return numbers_;
  }

 private:
  template <class SearchKey>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t number_of(const SearchKey& key) const {
    if (!detail::can_be_key<Key>(key)) return KeyNormalizer<1>::outside;
    return detail::hashed(*this, key).hash;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row head(std::uint64_t number) const {
    return number == KeyNormalizer<1>::outside || is_vacant() ? no_row<Row> : heads_[number];
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_from(Row i, const F& f) const {
    for (Row left = num_rows_; i != no_row<Row> && left != 0; --left) {
      f(static_cast<Row>(row_base_ + i));
      i = next_rows_[i];
    }
  }

  const Row* heads_;
  const Row* next_rows_;
  Row num_rows_;
  Row row_base_;
  KeyNormalizer<1> numbers_;
};

}  // namespace hashmill
