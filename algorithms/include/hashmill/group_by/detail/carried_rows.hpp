#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <hashmill/column.hpp>
#include <hashmill/group_by/detail/fold.hpp>
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

/// Whether records can carry the values of a column: these lie side by side.
template <class Column>
inline constexpr bool can_be_carried = false;
template <class Value, class MemorySpace>
inline constexpr bool can_be_carried<ValueColumn<Value, MemorySpace, false>> = true;

/// Values as their bits.
template <class Bits>
struct BitsOfValues {
  const std::byte* values;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Bits operator()(std::uint64_t i) const {
    Bits bits;
    std::memcpy(&bits, values + i * sizeof(Bits), sizeof(Bits));
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

/// Shares that are the parts of carried rows. `Value` is the type of the values that they carry,
/// or void.
template <class Record, class Value>
struct PartShares {
  static constexpr unsigned most_probes = 128;  // high: one row without room merges all groups
  const Record* records;
  const std::uint64_t* offsets;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t begin(std::uint64_t share) const {
    return offsets[share];
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto row(std::uint64_t i) const {
    return records[i].row;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const auto& key(std::uint64_t i) const {
    return records[i].key;
  }

  // As in EvenShares; hosts only.
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
    if constexpr (std::is_void_v<Value>) {
      folds.template add<AloneOnHost, false>(group, group, records[i].row);
    } else {
      folds.add_value(group, records[i].row, __builtin_bit_cast(Value, records[i].value));
    }
  }
};

}  // namespace hashmill::detail
