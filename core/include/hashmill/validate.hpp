#pragma once

#include <hashmill/boolean_column.hpp>
#include <hashmill/column.hpp>
#include <utility>

namespace hashmill {

/// The lengths of the buffers behind a column, as their producer states them.
struct ColumnBytes {
  static constexpr std::uint64_t untold = ~std::uint64_t{0};

  /// `data`: bytes from where the values begin, or the bytes of strings. `validity`: bytes of the
  /// bitmap.
  ColumnBytes(std::uint64_t data_bytes, std::uint64_t validity_bytes = untold)
      : data(data_bytes), validity(validity_bytes) {}

  std::uint64_t data;
  std::uint64_t validity;
};

namespace detail {

template <class MemorySpace>
constexpr void require_host_memory() {
  static_assert(Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible,
                "hashmill::validate: columns in memory that the host can read");
}

template <class Number>
[[noreturn]] void refuse_row(std::uint64_t row, const std::string& what, Number value,
                             const std::string& why) {
  throw InvalidArgument("validate: row " + std::to_string(row) + ": " + what + " " +
                        std::to_string(value) + " " + why);
}

inline void validate_size(std::uint64_t rows, std::uint64_t needed, std::uint64_t there,
                          const char* what) {
  if (needed <= there) return;
  throw InvalidArgument("validate: " + std::to_string(rows) + " rows need " +
                        std::to_string(needed) + " bytes of " + what + " but there are " +
                        std::to_string(there));
}

template <class Column>
void validate_bitmap(const Column& column, const ColumnBytes& bytes) {
  if (!column.validity().has_bits()) return;
  const std::uint64_t needed = column.validity().bytes_for(column.size());
  validate_size(column.size(), needed, bytes.validity, "validity");
}

}  // namespace detail

/// Checks a column in host memory that comes from an untrusted producer. After it returns, no call
/// reads outside the column's buffers, provided that `bytes` states their true lengths. Throws
/// InvalidArgument, which names the first wrong row and its value, or the lengths.
///
/// Numbers and booleans: checks that there are enough bytes for them. O(1).
template <class Value, class MemorySpace, bool Strided>
void validate(const ValueColumn<Value, MemorySpace, Strided>& column, const ColumnBytes& bytes) {
  detail::require_host_memory<MemorySpace>();
  detail::validate_bitmap(column, bytes);
  detail::validate_size(column.size(), column.bytes(), bytes.data, "values");
}
/// As above, for booleans.
template <class MemorySpace>
void validate(const BooleanColumn<MemorySpace>& column, const ColumnBytes& bytes) {
  detail::require_host_memory<MemorySpace>();
  detail::validate_bitmap(column, bytes);
  detail::validate_size(column.size(), column.bytes(), bytes.data, "values");
}

/// Strings: checks that offsets are not negative, never decrease and end within the `bytes.data`
/// bytes, the offsets of nulls included. Reads every offset once. The bytes themselves are not
/// read: they need not be UTF-8.
template <class Offset, class MemorySpace>
void validate(const StringColumn<Offset, MemorySpace>& column, const ColumnBytes& bytes) {
  detail::require_host_memory<MemorySpace>();
  detail::validate_bitmap(column, bytes);
  if (column.size() == 0) return;
  Offset before = 0;
  for (std::uint64_t i = 0; i <= column.size(); ++i) {
    const Offset offset = column.offset(i);
    const std::uint64_t row = i == column.size() ? i - 1 : i;  // the last offset ends the last row
    if (std::cmp_less(offset, 0)) detail::refuse_row(row, "offset", offset, "is negative");
    if (offset < before) {
      detail::refuse_row(row, "offset", offset,
                         "is below the one before it, " + std::to_string(before));
    }
    if (std::cmp_greater(offset, bytes.data)) {
      detail::refuse_row(row, "offset", offset,
                         "is beyond the " + std::to_string(bytes.data) + " bytes of strings");
    }
    before = offset;
  }
}

/// Dictionaries: checks that each row that is not null has a code below the dictionary's size, and
/// checks the dictionary itself. `bytes.data` is that of the dictionary, `bytes.validity` that of
/// the codes. That there are enough codes is taken on trust. Reads every code once, and the
/// dictionary as described above.
template <class Codes, class Dictionary>
void validate(const DictionaryColumn<Codes, Dictionary>& column, const ColumnBytes& bytes) {
  detail::require_host_memory<typename Codes::memory_space>();
  detail::validate_bitmap(column.codes(), bytes);
  validate(column.dictionary(), ColumnBytes(bytes.data));
  const std::uint64_t values = column.dictionary().size();
  for (std::uint64_t i = 0; i < column.size(); ++i) {
    if (column.codes().is_null(i)) continue;
    const auto code = column.codes()(i);
    if (std::cmp_greater_equal(code, 0) && std::cmp_less(code, values)) continue;
    detail::refuse_row(i, "code", code,
                       "is not among the " + std::to_string(values) + " of the dictionary");
  }
}

}  // namespace hashmill
