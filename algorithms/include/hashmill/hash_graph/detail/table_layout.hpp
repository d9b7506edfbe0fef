#pragma once

#include <bit>
#include <hashmill/hash_bits.hpp>
#include <hashmill/hash_graph/options.hpp>
#include <hashmill/key_conversion.hpp>
#include <hashmill/primitives/detail/records.hpp>

namespace hashmill::detail {

/// How a layout tag stores rows: the record that travels through the build, the entry that stays,
/// and how an entry is compared with a search key. Trivially copyable, used inside kernels.
///
/// Layouts that store keys read records from any source of them, the others from `KeySource`. Every
/// specialisation has:
///
///     Entry, Record                what the table stores, what a build moves
///     Index                        the type that numbers entries and rows
///     has_rows, stores_keys        whether entries have rows; whether they have keys
///     record(keys, i)              the record of key i
///     record_hash()                the functor that hashes records
///     entry(record)                the entry of a record
///     matches(entry, key, hash)    whether the entry has that key
///     row(entry), key(entry)       its row, if has_rows; its key
template <class Layout, class Key, class Hash, class Equal, class KeySource>
class TableLayout;

template <class Idx, class Key, class Hash, class Equal, class KeySource>
class TableLayout<KeyOnly<Idx>, Key, Hash, Equal, KeySource> {
 public:
  using Index = Idx;
  using Entry = Key;
  using Record = Key;
  static constexpr bool has_rows = false;
  static constexpr bool stores_keys = true;

  TableLayout() = default;
  template <class Keys>
  TableLayout(const Keys&, std::uint64_t, Hash hash, Equal equal) : hash_(hash), equal_(equal) {}

  template <class Keys>
  KOKKOS_FORCEINLINE_FUNCTION Record record(const Keys& keys, std::uint64_t i) const {
    return as_stored<Key>(keys(i));
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Hash record_hash() const { return hash_; }
  KOKKOS_FORCEINLINE_FUNCTION Entry entry(const Record& record) const { return record; }
  KOKKOS_FORCEINLINE_FUNCTION bool matches(const Entry& entry, const Key& key,
                                           std::uint64_t) const {
    return equal_(entry, key);
  }
  KOKKOS_FORCEINLINE_FUNCTION static const Key& key(const Entry& entry) { return entry; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Hash& hasher() const { return hash_; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Equal& equal() const { return equal_; }

 private:
  Hash hash_;
  Equal equal_;
};

template <class Row, class Key, class Hash, class Equal, class KeySource>
class TableLayout<KeyRow<Row>, Key, Hash, Equal, KeySource> {
 public:
  using Index = Row;
  using Entry = RecordPair<Key, Row>;
  using Record = TravellingPair<Key, Row>;
  static constexpr bool has_rows = true;
  static constexpr bool stores_keys = true;

  TableLayout() = default;
  template <class Keys>
  TableLayout(const Keys&, std::uint64_t row_base, Hash hash, Equal equal)
      : row_base_(row_base), hash_(hash), equal_(equal) {}

  template <class Keys>
  KOKKOS_FORCEINLINE_FUNCTION Record record(const Keys& keys, std::uint64_t i) const {
    return {as_stored<Key>(keys(i)), static_cast<Row>(row_base_ + i)};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HashOfFirst<Hash> record_hash() const {
    return {hash_};
  }
  KOKKOS_FORCEINLINE_FUNCTION Entry entry(const Record& record) const {
    return {first_of(record), second_of(record)};
  }
  KOKKOS_FORCEINLINE_FUNCTION bool matches(const Entry& entry, const Key& key,
                                           std::uint64_t) const {
    return equal_(entry.first, key);
  }
  KOKKOS_FORCEINLINE_FUNCTION static Row row(const Entry& entry) { return entry.second; }
  KOKKOS_FORCEINLINE_FUNCTION static const Key& key(const Entry& entry) { return entry.first; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Hash& hasher() const { return hash_; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Equal& equal() const { return equal_; }

 private:
  std::uint64_t row_base_ = 0;
  Hash hash_;
  Equal equal_;
};

template <class Row, class Key, class Hash, class Equal, class KeySource>
class TableLayout<FingerprintRow<Row>, Key, Hash, Equal, KeySource> {
 public:
  using Index = Row;
  using Entry = RecordPair<std::uint32_t, Row>;
  using Record = TravellingPair<std::uint64_t, Row>;
  static constexpr bool has_rows = true;
  static constexpr bool stores_keys = false;

  TableLayout() = default;
  TableLayout(const KeySource& keys, std::uint64_t row_base, Hash hash, Equal equal)
      : keys_(keys), row_base_(row_base), hash_(hash), equal_(equal) {}

  KOKKOS_FORCEINLINE_FUNCTION Record record(const KeySource& keys, std::uint64_t i) const {
    return {hash_(as_stored<Key>(keys(i))), static_cast<Row>(row_base_ + i)};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION FirstIsHash record_hash() const { return {}; }
  KOKKOS_FORCEINLINE_FUNCTION Entry entry(const Record& record) const {
    return {fingerprint_of(first_of(record)), second_of(record)};
  }
  KOKKOS_FORCEINLINE_FUNCTION bool matches(const Entry& entry, const Key& key,
                                           std::uint64_t hash) const {
    return entry.first == fingerprint_of(hash) && equal_(keys_(entry.second - row_base_), key);
  }
  KOKKOS_FORCEINLINE_FUNCTION Row row(const Entry& entry) const { return entry.second; }
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) key(const Entry& entry) const {
    return keys_(entry.second - row_base_);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Hash& hasher() const { return hash_; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Equal& equal() const { return equal_; }

 private:
  KeySource keys_;
  std::uint64_t row_base_ = 0;
  Hash hash_;
  Equal equal_;
};

template <class Key, class Hash, class Equal, class KeySource>
class TableLayout<PackedRow, Key, Hash, Equal, KeySource> {
 public:
  using Index = std::uint32_t;
  using Entry = std::uint32_t;
  using Record = TravellingPair<std::uint64_t, std::uint32_t>;
  static constexpr bool has_rows = true;
  static constexpr bool stores_keys = false;

  TableLayout() = default;
  /// Rows get as many bits as the largest, `row_base + keys.size() - 1`, needs.
  TableLayout(const KeySource& keys, std::uint64_t row_base, Hash hash, Equal equal)
      : keys_(keys), row_base_(row_base), hash_(hash), equal_(equal) {
    const std::uint64_t rows = row_base + keys.size();
    const auto bits = static_cast<unsigned>(std::bit_width(rows > 0 ? rows - 1 : 0));
    row_mask_ = bits < 32 ? (std::uint32_t{1} << bits) - 1 : ~std::uint32_t{0};
  }

  KOKKOS_FORCEINLINE_FUNCTION Record record(const KeySource& keys, std::uint64_t i) const {
    return {hash_(as_stored<Key>(keys(i))), static_cast<std::uint32_t>(row_base_ + i)};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION FirstIsHash record_hash() const { return {}; }
  KOKKOS_FORCEINLINE_FUNCTION Entry entry(const Record& record) const {
    return tag(first_of(record)) | second_of(record);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool matches(const Entry& entry, const Key& key,
                                           std::uint64_t hash) const {
    return (entry & ~row_mask_) == tag(hash) && equal_(keys_(row(entry) - row_base_), key);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t row(const Entry& entry) const {
    return entry & row_mask_;
  }
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) key(const Entry& entry) const {
    return keys_(row(entry) - row_base_);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Hash& hasher() const { return hash_; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Equal& equal() const { return equal_; }

 private:
  /// The highest bits of the 24-bit fingerprint, as many as fit above the row.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t tag(std::uint64_t hash) const {
    return (fingerprint_of(hash) << 8) & ~row_mask_;
  }

  KeySource keys_;
  std::uint64_t row_base_ = 0;
  std::uint32_t row_mask_ = 0;
  Hash hash_;
  Equal equal_;
};

}  // namespace hashmill::detail
