#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <hashmill/group_by/detail/carried_values.hpp>
#include <hashmill/partition/detail/partition_records.hpp>
#include <hashmill/primitives/detail/prefetch_elements.hpp>
#include <hashmill/primitives/detail/records.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>

namespace hashmill::detail {

/// The alignment with which a cache line holds a whole number of records of `Bytes` bytes.
template <std::size_t Bytes>
inline constexpr std::size_t carried_alignment = Bytes <= 8    ? 8
                                                 : Bytes <= 16 ? 16
                                                               : 32;

/// A row as it travels through partitioning: its key, its number, and the bits of the value that
/// its aggregations read.
template <class Key, class Row, class Bits>
struct alignas(carried_alignment<sizeof(Key) + sizeof(Row) + sizeof(Bits)>) CarriedRow {
  Key key;
  Row row;
  Bits value;
};
/// The same without a value: aggregations read none, or read values in the caller's columns.
template <class Key, class Row>
struct alignas(carried_alignment<sizeof(Key) + sizeof(Row)>) CarriedRow<Key, Row, void> {
  Key key;
  Row row;
};

/// The type in which records carry values: one type per size of values, so that partitioning is
/// compiled once for all of them.
template <std::size_t Bytes>
struct CarriedBits;
template <>
struct CarriedBits<1> {
  using type = std::uint8_t;
};
template <>
struct CarriedBits<2> {
  using type = std::uint16_t;
};
template <>
struct CarriedBits<4> {
  using type = std::uint32_t;
};
template <>
struct CarriedBits<8> {
  using type = std::uint64_t;
};

/// Values as their bits. Values are aligned, so that devices read each in one access.
template <class Bits>
struct BitsOfValues {
  const std::byte* values;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Bits operator()(std::uint64_t i) const {
    Bits bits;
    std::memcpy(&bits, __builtin_assume_aligned(values + i * sizeof(Bits), sizeof(Bits)),
                sizeof(Bits));
    return bits;
  }
};

/// The source of these records: all rows with their keys, and the bits of a column's values.
template <class Keys, class Row, class Bits>
struct CarriedSource {
  using record_type = CarriedRow<KeyOf<Keys>, Row, Bits>;
  Keys keys;
  BitsOfValues<Bits> bits;
  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t i) const {
    return {keys(i), static_cast<Row>(i), bits(i)};
  }
  void prefetch(std::uint64_t i, std::uint64_t count) const {
    prefetch_elements(keys, i, count);
    backends::prefetch_stream(bits.values + i * sizeof(Bits), count * sizeof(Bits));
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

/// The same with the values of all columns that aggregations read.
template <class Keys, class Row, class Folds>
struct CarriedColumns {
  using Values = typename RowValues<Folds>::type;
  using record_type = CarriedRow<KeyOf<Keys>, Row, Values>;
  Keys keys;
  Folds folds;
  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t i) const {
    Values values;
    read_values(folds, i, &values);
    return {keys(i), static_cast<Row>(i), values};
  }
};

/// Whether records of at most 32 bytes have room for the values of all columns.
template <class Keys, class Row, class Folds>
[[nodiscard]] constexpr bool can_carry_columns() {
  if constexpr (RowValues<Folds>::complete) {
    return sizeof(typename CarriedColumns<Keys, Row, Folds>::record_type) <= 32;
  }
  return false;
}

/// The type of the values that records carry: of a column, ValuesOfColumns, or void.
template <class Value>
struct CarriedValue {};
/// Stands for the values of several columns.
struct ValuesOfColumns {};

/// Calls `use` with the source of the records of all rows, and the type of the values in them. They
/// carry values if all aggregations read the same column and it has no nulls, or `Several` columns
/// for which they have room. Otherwise values are read in the caller's columns.
template <class Row, bool Several, class Keys, class Folds, class Use>
auto with_carried(const Keys& keys, const Folds& folds, const Use& use) {
  using Column = typename Folds::Column;
  constexpr bool alike = can_be_carried<Column> && Folds::template reads_only<Column>;
  if constexpr (alike) {
    using Value = typename Column::value_type;
    const Value* const values = folds.column().address(0);
    if (Folds::num_reads == 1 || folds.reads(values)) {
      return use(
          CarriedSource<Keys, Row, typename CarriedBits<sizeof(Value)>::type>{
              keys, {reinterpret_cast<const std::byte*>(values)}},
          CarriedValue<Value>());
    }
  }
  if constexpr (!alike || Folds::num_reads != 1) {
    if constexpr (Several && can_carry_columns<Keys, Row, Folds>()) {
      return use(CarriedColumns<Keys, Row, Folds>{keys, folds}, CarriedValue<ValuesOfColumns>());
    } else {
      return use(CarriedSource<Keys, Row, void>{keys}, CarriedValue<void>());
    }
  }
}

/// The part of a record: the highest bits of the hash of its key.
///
/// The slots of a part's table use the bits from 32 up. These are other bits for up to 2^29 groups;
/// with more groups, tables overflow and more groups are merged. Lower bits would need one more
/// step of the hash.
template <class Hash>
struct HighestHashBits {
  Hash hash;
  unsigned shift;
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Record& record) const {
    return hash(record.key) >> shift;
  }
};

template <class Record>
using CarriedParts = PartitionedRecords<Record, std::uint64_t>;

/// Partitions the records of all rows by the hash of their key, in memory of `workspace`;
/// asynchronous.
template <class Exec, class Source, class Hash, class MemorySpace>
CarriedParts<typename Source::record_type> partition_carried(const Exec& exec, const Source& source,
                                                             const Hash& hash, unsigned part_bits,
                                                             Workspace<MemorySpace>& workspace) {
  return partition_records<std::uint64_t>(exec, source, source.keys.size(),
                                          HighestHashBits<Hash>{hash, 64 - part_bits}, part_bits,
                                          workspace);
}

/// Adds a record's row to a group. `Value` is the type of the values in the record, as CarriedValue
/// says.
template <class Value, class How, class Folds, class Group, class Record>
KOKKOS_FORCEINLINE_FUNCTION void add_carried(const Folds& folds, Group* group,
                                             const Record& record) {
  if constexpr (std::is_void_v<Value>) {
    folds.template add<How, false>(group, group, record.row);
  } else if constexpr (std::is_same_v<Value, ValuesOfColumns>) {
    add_values<How>(folds, group, record.row, record.value);
  } else {
    folds.template add_value<How>(group, record.row, __builtin_bit_cast(Value, record.value));
  }
}

/// Shares on hosts that are the parts of carried rows. `Value` is the type of the values that they
/// carry, or void.
template <class Record, class Value>
struct PartShares {
  static constexpr unsigned most_probes = 128;  // high: one row without room merges all groups
  const Record* records;
  const std::uint64_t* offsets;
  [[nodiscard]] std::uint64_t begin(std::uint64_t share) const { return offsets[share]; }
  [[nodiscard]] auto row(std::uint64_t i) const { return records[i].row; }
  [[nodiscard]] const auto& key(std::uint64_t i) const { return records[i].key; }

  // As in EvenShares.
  template <class Folds>
  void prefetch_ahead(const Folds&, std::uint64_t i, std::uint64_t count) const {
    RecordSource<Record>{records}.prefetch(i, count);
  }
  template <class Folds>
  void prefetch(const Folds& folds, std::uint64_t i) const {
    if constexpr (std::is_void_v<Value>) folds.prefetch(records[i].row);
  }
  template <class Folds, class Group>
  void add(const Folds& folds, Group* group, std::uint64_t i) const {
    add_carried<Value, AloneOnHost>(folds, group, records[i]);
  }
};

}  // namespace hashmill::detail
