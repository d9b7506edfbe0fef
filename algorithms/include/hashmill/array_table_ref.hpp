#pragma once

#include <hashmill/backends/streaming.hpp>
#include <hashmill/hashed_key.hpp>
#include <hashmill/key_mode.hpp>
#include <hashmill/row.hpp>

namespace hashmill {

/// An ArrayTable as kernels see it: trivially copyable, owns nothing, valid until its table is
/// changed, moved or destroyed.
///
/// All members may be called by any number of threads at once. A look-up reads one head, and a link
/// for each row (a random access each); nothing is hashed or compared.
template <class Key, RowNumber Row>
class ArrayTableRef {
 public:
  using key_type = Key;
  using row_type = Row;

  ArrayTableRef(const Row* heads, const Row* next_rows, std::uint64_t num_rows,
                std::uint64_t row_base, const KeyNormalizer<1>& numbers)
      : heads_(heads),
        next_rows_(next_rows),
        num_rows_(static_cast<Row>(num_rows)),
        row_base_(static_cast<Row>(row_base)),
        numbers_(numbers) {}

  /// Calls `f(row)` for every row whose key equals `key`, in no particular order.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const HashedKey<Key>& key, const F& f) const {
    for_each_from(head(key.hash), f);
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const Key& key, const F& f) const {
    for_each_match(numbered(key), f);
  }
  /// Calls `f(row)` for every row whose key has a number.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_numbered(std::uint64_t number, const F& f) const {
    for_each_from(head(number), f);
  }

  /// One row with that key, or `no_row<Row>`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row find(const HashedKey<Key>& key) const {
    const Row i = head(key.hash);
    return i == no_row<Row> ? i : static_cast<Row>(row_base_ + i);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row find(const Key& key) const {
    return find(numbered(key));
  }

  /// Whether any row has that key.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool contains(const HashedKey<Key>& key) const {
    return head(key.hash) != no_row<Row>;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool contains(const Key& key) const {
    return contains(numbered(key));
  }

  /// How many rows have that key.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count(const HashedKey<Key>& key) const {
    std::uint64_t rows = 0;
    Row i = head(key.hash);
    for (; i != no_row<Row> && rows != num_rows_; i = next_rows_[i]) ++rows;
    return rows;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count(const Key& key) const {
    return count(numbered(key));
  }

  /// Where a look-up begins: what stands for a hash is the place already.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t home_of_hash(std::uint64_t number) const {
    return number;
  }
  /// Asks for the head that a look-up reads first; on hosts.
  void prefetch_home(std::uint64_t number) const {
    if (number != KeyNormalizer<1>::outside) backends::prefetch_far(heads_ + number);
  }

  /// What takes the place of a hash function: a key's number.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const KeyNormalizer<1>& hasher() const {
    return numbers_;
  }
  /// How keys are numbered.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const KeyNormalizer<1>& numbers() const {
    return numbers_;
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HashedKey<Key> numbered(const Key& key) const {
    return {key, numbers_(key)};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row head(std::uint64_t number) const {
    return number == KeyNormalizer<1>::outside ? no_row<Row> : heads_[number];
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
