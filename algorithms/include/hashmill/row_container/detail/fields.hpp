#pragma once

#include <hashmill/capacity.hpp>
#include <hashmill/primitives/detail/place_strings.hpp>
#include <hashmill/row_container/detail/write_rows.hpp>

namespace hashmill::detail {

/// The alignment at which the strings of a batch begin, since GPUs write 16 bytes of them at once.
inline constexpr std::uint64_t string_alignment = 16;

/// What rows take from a column. Strings are placed after the first `string_bytes` bytes, aligned,
/// and `string_bytes` becomes their end. Their offsets lie in memory of `workspace`. For strings it
/// waits for `exec`.
template <class Exec, class MemorySpace, class Column>
auto field_of(const Exec& exec, Workspace<MemorySpace>& workspace, std::uint64_t& string_bytes,
              const Column& column) {
  if constexpr (std::is_same_v<typename Column::value_type, StringView>) {
    const auto offsets = workspace.template take<std::uint64_t>(
        exec, checked_add(column.size(), 1, "RowContainer: offsets of strings"));
    const std::uint64_t total = place_strings(exec, column, offsets, workspace);
    const std::uint64_t first =
        (string_bytes + string_alignment - 1) / string_alignment * string_alignment;
    if (total != 0) string_bytes = checked_add(first, total, "RowContainer: bytes of strings");
    return StringField<Column>{column, offsets.data(), first, total};
  } else {
    return ValueField<Column>{column};
  }
}

template <class First, class... Rest>
[[nodiscard]] ValueList<First, Rest...> prepend(const First& first,
                                                const ValueList<Rest...>& rest) {
  return {first, rest};
}

/// The fields of rows, column by column.
template <class Exec, class MemorySpace>
ValueList<> list_fields(const Exec&, Workspace<MemorySpace>&, std::uint64_t&) {
  return {};
}
template <class Exec, class MemorySpace, class First, class... Rest>
auto list_fields(const Exec& exec, Workspace<MemorySpace>& workspace, std::uint64_t& string_bytes,
                 const First& first, const Rest&... rest) {
  const auto field = field_of(exec, workspace, string_bytes, first);
  const auto others = list_fields(exec, workspace, string_bytes, rest...);
  return prepend(field, others);
}

template <bool Wide, class Exec, class Column>
void copy_field_strings(const Exec&, const ValueField<Column>&, std::uint64_t, char*) {}
template <bool Wide, class Exec, class Column>
void copy_field_strings(const Exec& exec, const StringField<Column>& field, std::uint64_t count,
                        char* strings) {
  copy_strings<Wide>(exec, field.column, field.offsets, count, field.bytes,
                     strings + field.first_byte);
}

/// Copies the bytes of all strings among the fields of `count` rows to their places. Asynchronous.
template <bool Wide, class Exec>
void copy_strings_of(const Exec&, const ValueList<>&, std::uint64_t, char*) {}
template <bool Wide, class Exec, class First, class... Rest>
void copy_strings_of(const Exec& exec, const ValueList<First, Rest...>& fields, std::uint64_t count,
                     char* strings) {
  copy_field_strings<Wide>(exec, fields.first, count, strings);
  copy_strings_of<Wide>(exec, fields.rest, count, strings);
}

}  // namespace hashmill::detail
