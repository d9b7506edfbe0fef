#pragma once

#include <cstddef>
#include <cstdint>
#include <hashmill/primitives/detail/prefetch_elements.hpp>
#include <hashmill/primitives/detail/records.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>

namespace hashmill::detail {

/// The alignment with which a cache line holds a whole number of records of `Bytes` bytes.
template <std::size_t Bytes>
inline constexpr std::size_t carried_alignment = Bytes <= 8    ? 8
                                                 : Bytes <= 16 ? 16
                                                               : 32;

/// A row as it travels through partitioning: its key, its number, and the value that its
/// aggregations read.
template <class Key, class Row, class Value>
struct alignas(carried_alignment<sizeof(Key) + sizeof(Row) + sizeof(Value)>) CarriedRow {
  Key key;
  Row row;
  Value value;
};
/// The same without a value: aggregations read none, or read values in the caller's columns.
template <class Key, class Row>
struct alignas(carried_alignment<sizeof(Key) + sizeof(Row)>) CarriedRow<Key, Row, void> {
  Key key;
  Row row;
};

/// The source of these records: all rows with their keys, and the values of a column.
template <class Keys, class Row, class Column>
struct CarriedSource {
  using record_type = CarriedRow<KeyOf<Keys>, Row, typename Column::value_type>;
  Keys keys;
  Column column;
  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t i) const {
    return {keys(i), static_cast<Row>(i), column(i)};
  }
  void prefetch(std::uint64_t i, std::uint64_t count) const {
    prefetch_elements(keys, i, count);
    prefetch_elements(column, i, count);
  }
};
template <class Keys, class Row>
struct CarriedSource<Keys, Row, void> {
  using record_type = CarriedRow<KeyOf<Keys>, Row, void>;
  Keys keys;
  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t i) const {
    return {keys(i), static_cast<Row>(i)};
  }
  void prefetch(std::uint64_t i, std::uint64_t count) const { prefetch_elements(keys, i, count); }
};

/// Rows that were partitioned by the hash of their key: one part per table.
template <class Record>
struct CarriedShares {
  static constexpr unsigned most_probes = 128;  // high: one row without room merges all groups
  const Record* records;
  const std::uint64_t* offsets;
  [[nodiscard]] std::uint64_t begin(std::uint64_t table) const { return offsets[table]; }
  [[nodiscard]] auto row(std::uint64_t i) const { return records[i].row; }
  [[nodiscard]] const auto& key(std::uint64_t i) const { return records[i].key; }
  template <class Folds>
  void prefetch_ahead(const Folds&, std::uint64_t i, std::uint64_t count) const {
    RecordSource<Record>{records}.prefetch(i, count);
  }
  template <class Folds>
  void prefetch(const Folds& folds, std::uint64_t i) const {
    if constexpr (!has_value) folds.prefetch(records[i].row);
  }
  template <class Folds, class Group>
  void add(const Folds& folds, Group* group, std::uint64_t i) const {
    if constexpr (has_value) {
      folds.add_value(group, records[i].row, records[i].value);
    } else {
      folds.template add<AloneOnHost, false>(group, group, records[i].row);
    }
  }

 private:
  template <class Any>
  struct HasValue : std::true_type {};
  template <class Key, class Row>
  struct HasValue<CarriedRow<Key, Row, void>> : std::false_type {};
  static constexpr bool has_value = HasValue<Record>::value;
};

}  // namespace hashmill::detail
