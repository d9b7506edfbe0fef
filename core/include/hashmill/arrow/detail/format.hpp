#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace hashmill::detail {

/// A data type of Arrow's C data interface.
struct ArrowType {
  std::string_view format;  ///< whole, or its beginning where it ends in a colon
  std::string_view name;
  /// The format of the numbers in which it is stored; 'b' for bits; 'u' and 'U' for strings with
  /// offsets of 32 and 64 bits; '-' for what columns do not support.
  char storage;
};

inline constexpr ArrowType arrow_types[] = {
    {"c", "int8", 'c'},
    {"C", "uint8", 'C'},
    {"s", "int16", 's'},
    {"S", "uint16", 'S'},
    {"i", "int32", 'i'},
    {"I", "uint32", 'I'},
    {"l", "int64", 'l'},
    {"L", "uint64", 'L'},
    {"f", "float32", 'f'},
    {"g", "float64", 'g'},
    {"tdD", "date32 in days", 'i'},
    {"tdm", "date64 in milliseconds", 'l'},
    {"tts", "time32 in seconds", 'i'},
    {"ttm", "time32 in milliseconds", 'i'},
    {"ttu", "time64 in microseconds", 'l'},
    {"ttn", "time64 in nanoseconds", 'l'},
    {"tss:", "timestamp in seconds", 'l'},
    {"tsm:", "timestamp in milliseconds", 'l'},
    {"tsu:", "timestamp in microseconds", 'l'},
    {"tsn:", "timestamp in nanoseconds", 'l'},
    {"tDs", "duration in seconds", 'l'},
    {"tDm", "duration in milliseconds", 'l'},
    {"tDu", "duration in microseconds", 'l'},
    {"tDn", "duration in nanoseconds", 'l'},
    {"u", "utf-8 string", 'u'},
    {"z", "binary", 'u'},
    {"U", "large utf-8 string", 'U'},
    {"Z", "large binary", 'U'},
    {"b", "boolean", 'b'},
    {"n", "null", '-'},
    {"e", "float16", '-'},
    {"vu", "utf-8 view", '-'},
    {"vz", "binary view", '-'},
    {"d:", "decimal", '-'},
    {"w:", "fixed-width binary", '-'},
    {"tiM", "interval in months", '-'},
    {"tiD", "interval in days and milliseconds", '-'},
    {"tin", "interval in months, days and nanoseconds", '-'},
    {"+s", "struct", '-'},
    {"+l", "list", '-'},
    {"+L", "large list", '-'},
    {"+m", "map", '-'},
    {"+r", "run-end encoded", '-'},
};

/// The type of that format; without a name where it is unknown.
[[nodiscard]] constexpr ArrowType arrow_type(std::string_view format) {
  for (const ArrowType& type : arrow_types) {
    const bool same =
        type.format.back() == ':' ? format.starts_with(type.format) : format == type.format;
    if (same) return type;
  }
  return {format, "", '-'};
}

/// A format as messages quote it: 'g' (float64).
[[nodiscard]] inline std::string quoted_format(std::string_view format) {
  const std::string_view name = arrow_type(format).name;
  std::string text = "'" + std::string(format) + "'";
  if (!name.empty()) text += " (" + std::string(name) + ")";
  return text;
}

/// The format of a number type, or of an enumeration's underlying type; '-' for other types.
template <class Value>
[[nodiscard]] consteval char number_format() {
  if constexpr (std::is_enum_v<Value>) {
    return number_format<std::underlying_type_t<Value>>();
  } else if constexpr (std::is_same_v<Value, float>) {
    return 'f';
  } else if constexpr (std::is_same_v<Value, double>) {
    return 'g';
  } else if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
    constexpr std::string_view by_bytes = std::is_signed_v<Value> ? "-cs-i---l" : "-CS-I---L";
    return sizeof(Value) < by_bytes.size() ? by_bytes[sizeof(Value)] : '-';
  } else {
    return '-';
  }
}

/// The storage of strings with offsets of this type.
template <class Offset>
[[nodiscard]] consteval char offset_format() {
  if constexpr (std::is_integral_v<Offset> && std::is_signed_v<Offset>) {
    return sizeof(Offset) == 4 ? 'u' : sizeof(Offset) == 8 ? 'U' : '-';
  } else {
    return '-';
  }
}

}  // namespace hashmill::detail
