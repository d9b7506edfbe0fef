#pragma once

#include <bit>
#include <hashmill/arrow/view.hpp>
#include <hashmill/boolean_column.hpp>

/// Arrays of the Arrow C data interface as columns, in place. No function here copies or allocates,
/// and each takes O(1) time. Columns lie in Kokkos::HostSpace and borrow: the owner of the array
/// (an ArrowOwner, for example) must not release it while they are used. A device cannot reach
/// them: copy the array's buffers to views there, and make columns of those.
///
/// All throw InvalidArgument, which names the column, what was expected and what was found, where
/// - the format is not stored as the type asked for,
/// - there is a dictionary, except in `arrow_dictionary_column`,
/// - the number of buffers is another, or a buffer that should not be empty is missing,
/// - a buffer is not aligned to its elements,
/// - there are nulls but no validity bitmap.
///
/// Metadata are ignored: an array of an extension type is read as its storage type. Some properties
/// are taken on trust, since to read all of the data would cost as much as to use it:
/// - buffers are as long as length and offset say,
/// - offsets of strings ascend (only the first and the last are compared),
/// - codes are below the dictionary's size.
///
/// `validate` checks these for producers that are not trusted.

namespace hashmill {

namespace detail {

/// Checks what arrays of every type have in common.
inline void check_arrow_array(const ArrowView& array, std::int64_t buffers) {
  if (array.array().n_buffers != buffers) {
    array.refuse("n_buffers is " + std::to_string(array.array().n_buffers) + ", expected " +
                 std::to_string(buffers) + " for format " + quoted_format(array.format()));
  }
}
inline void refuse_arrow_dictionary(const ArrowView& array) {
  if (array.has_dictionary()) array.refuse("has a dictionary; arrow_dictionary_column takes it");
}
[[noreturn]] inline void refuse_arrow_format(const ArrowView& array, const std::string& expected) {
  array.refuse("format is " + quoted_format(array.format()) + ", expected " + expected);
}

/// A pointer to row `first_row` of buffer `i`, which must hold at least `rows` elements from there.
/// Null where `rows` is 0, since the buffer may then be missing.
template <class Element>
[[nodiscard]] const Element* arrow_elements(const ArrowView& array, std::int64_t i,
                                            std::uint64_t rows) {
  constexpr std::uint64_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(Element);
  if (rows == 0) return nullptr;
  if (array.first_row() > most || rows > most - array.first_row()) {
    array.refuse("offset " + std::to_string(array.first_row()) + " and " + std::to_string(rows) +
                 " rows of " + std::to_string(sizeof(Element)) + " bytes exceed the memory");
  }
  const void* const buffer = array.array().buffers[i];
  if (buffer == nullptr) array.refuse("buffer " + std::to_string(i) + " is missing");
  if (std::bit_cast<std::uintptr_t>(buffer) % alignof(Element) != 0) {
    array.refuse("buffer " + std::to_string(i) + " is not aligned to " +
                 std::to_string(alignof(Element)) + " bytes");
  }
  return static_cast<const Element*>(buffer) + array.first_row();
}

template <class Value>
[[nodiscard]] ValueColumn<Value, Kokkos::HostSpace> arrow_values(const ArrowView& array) {
  constexpr char format = number_format<Value>();
  static_assert(format != '-',
                "hashmill::arrow_column: integers, enumerations, float or double; "
                "arrow_boolean_column takes booleans");
  if (arrow_type(array.format()).storage != format) {
    refuse_arrow_format(array, quoted_format({&format, 1}) + " or what is stored as that");
  }
  check_arrow_array(array, 2);
  return {arrow_elements<Value>(array, 1, array.size()), array.size(), array.validity()};
}

}  // namespace detail

/// The column of numbers, or of dates, times, timestamps and durations as the integers in which
/// they are stored. Their unit is ignored. An enumeration takes what its underlying type takes.
///
///     | Value                       | formats                                               |
///     |-----------------------------|-------------------------------------------------------|
///     | the integer, float, double  | c C s S i I l L f g, each for its own type            |
///     | std::int32_t                | tdD tts ttm                                           |
///     | std::int64_t                | tdm ttu ttn tss: tsm: tsu: tsn: tDs tDm tDu tDn       |
template <class Value>
[[nodiscard]] ValueColumn<Value, Kokkos::HostSpace> arrow_column(const ArrowView& array) {
  detail::refuse_arrow_dictionary(array);
  return detail::arrow_values<Value>(array);
}

/// The column of booleans, in Arrow's bits (format b).
[[nodiscard]] inline BooleanColumn<Kokkos::HostSpace> arrow_boolean_column(const ArrowView& array) {
  detail::refuse_arrow_dictionary(array);
  if (array.format() != "b") detail::refuse_arrow_format(array, detail::quoted_format("b"));
  detail::check_arrow_array(array, 2);
  const bool is_empty = array.size() == 0;
  if (!is_empty && array.array().buffers[1] == nullptr) array.refuse("buffer 1 is missing");
  const auto* const bits =
      is_empty ? nullptr : static_cast<const std::uint8_t*>(array.array().buffers[1]);
  return {bits, array.first_row(), array.size(), array.validity()};
}

/// The column of strings or binary values: with std::int32_t offsets (formats u and z) or with
/// std::int64_t (U and Z). Also throws InvalidArgument where the first offset is negative or above
/// the last.
template <class Offset = std::int32_t>
[[nodiscard]] StringColumn<Offset, Kokkos::HostSpace> arrow_string_column(const ArrowView& array) {
  constexpr char format = detail::offset_format<Offset>();
  static_assert(format != '-',
                "hashmill::arrow_string_column: offsets are std::int32_t or std::int64_t");
  detail::refuse_arrow_dictionary(array);
  if (detail::arrow_type(array.format()).storage != format) {
    detail::refuse_arrow_format(array, format == 'u' ? "'u' or 'z' (offsets of 32 bits)"
                                                     : "'U' or 'Z' (offsets of 64 bits)");
  }
  detail::check_arrow_array(array, 3);
  if (array.size() == 0) return {};
  const Offset* const offsets = detail::arrow_elements<Offset>(array, 1, array.size() + 1);
  const Offset first = offsets[0], last = offsets[array.size()];
  if (first < 0 || first > last) {
    array.refuse("offsets of strings are " + std::to_string(first) + " to " + std::to_string(last) +
                 ", expected to ascend from 0 or above");
  }
  const auto* const bytes = static_cast<const char*>(array.array().buffers[2]);
  if (bytes == nullptr && last > 0) array.refuse("buffer 2 is missing");
  return {offsets, bytes, array.size(), array.validity()};
}

/// The column of a dictionary's values, to which the array's codes refer. Codes have the integer
/// type Code (formats c C s S i I l L); `values` is the column of the array's dictionary:
///
///     arrow_dictionary_column<std::int32_t>(array, arrow_string_column(array.dictionary()))
///
/// Both codes and values may be null. Also throws InvalidArgument where there is no dictionary, or
/// `values` has another number of rows than it.
template <class Code, class Values>
[[nodiscard]] DictionaryColumn<ValueColumn<Code, Kokkos::HostSpace>, Values>
arrow_dictionary_column(const ArrowView& array, const Values& values) {
  static_assert(std::is_integral_v<Code>, "hashmill::arrow_dictionary_column: codes are integers");
  const std::uint64_t rows = array.dictionary().size();
  if (values.size() != rows) {
    array.refuse("a column of " + std::to_string(values.size()) +
                 " rows is not that of its dictionary of " + std::to_string(rows));
  }
  return {detail::arrow_values<Code>(array), values};
}

}  // namespace hashmill
