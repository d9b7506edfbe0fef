#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "case/compare_case.hpp"
#include "duckdb_library.hpp"
#include "keys/key_strings.hpp"

namespace hashmill::perf {

/// The names of the columns that keys are spread over.
inline std::string key_names(KeyColumns columns) {
  return columns == KeyColumns::two ? "k, l" : "k";
}

/// Spreads the column k of a table over columns, as KeyColumnsOf does; `others` stay.
inline void spread_keys(DuckDb& duck, const std::string& table, KeyColumns columns,
                        unsigned key_bits, const std::string& others) {
  if (columns == KeyColumns::one) return;
  std::string keys = "to_hex(k) AS k";
  if (columns == KeyColumns::two) {
    const std::string type = key_bits == 32 ? "UINTEGER" : "UBIGINT";
    const std::string lower = std::to_string((std::uint64_t{1} << (key_bits / 2)) - 1);
    keys = "(k >> " + std::to_string(key_bits / 2) + ")::" + type + " AS k, (k & " + lower +
           ")::" + type + " AS l";
  }
  if (columns == KeyColumns::nulls) keys = "CASE WHEN k % 16 = 7 THEN NULL ELSE k END AS k";
  duck.run("CREATE OR REPLACE TABLE spread AS SELECT " + keys + others + " FROM " + table);
  duck.run("DROP TABLE " + table);
  duck.run("ALTER TABLE spread RENAME TO " + table);
}

/// The most bytes that a key takes in such columns.
constexpr std::uint64_t spread_bytes(KeyColumns columns, unsigned key_bits) {
  return columns == KeyColumns::strings ? 16 + key_bits / 4 : 2 * (key_bits / 8);
}

/// A string in DuckDB's memory: up to 12 bytes are where it is, others where it points.
struct DuckString {
  std::uint32_t length;
  char prefix[4];
  char rest[8];

  const char* data() const {
    if (length <= 12) return prefix;
    const char* bytes = nullptr;
    std::memcpy(&bytes, rest, sizeof(bytes));
    return bytes;
  }
};

/// The key that values of a row in such columns, which are not null, stand for.
template <class Key>
Key spread_key(KeyColumns columns, const void* const* values, std::uint64_t row) {
  if (columns == KeyColumns::strings) {
    const DuckString& text = static_cast<const DuckString*>(values[0])[row];
    return number_of_digits<Key>(text.data(), text.length);
  }
  const Key first = static_cast<const Key*>(values[0])[row];
  if (columns != KeyColumns::two) return first;
  return static_cast<Key>(first << (4 * sizeof(Key)) | static_cast<const Key*>(values[1])[row]);
}

}  // namespace hashmill::perf
