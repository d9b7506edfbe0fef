#pragma once

#include <hashmill/arrow/detail/node.hpp>
#include <hashmill/arrow/owner.hpp>
#include <type_traits>

/// Views as arrays of the Arrow C data interface, without copying their elements. The array holds a
/// reference to each view's memory until its consumer, on whatever thread, releases it:
///
///     auto batch = hashmill::to_arrow_batch(
///         hashmill::to_arrow("country", countries),
///         hashmill::to_arrow("sales", sums.values, sums.valid_bits));  // an OwnedColumn
///     batch.move_to(&schema, &array);                                  // to the consumer
///
/// - Views must be contiguous and in memory that the host can access. Arrow has a separate C
///   *device* interface for device memory, which this is not: copy to the host first.
/// - The work that writes the views must be finished. Nothing should write them while the consumer
///   has them.
/// - Consumers must release before Kokkos::finalize.
/// - `valid_bits` is a view of std::uint8_t as Arrow's bitmap: bit i % 8 of byte i / 8 is set where
///   row i has a value. A view without bytes means that all rows have values.
/// - The bitmap is read once, 1 bit per row, to count the nulls. Arrow lets producers leave that to
///   consumers, but DuckDB (1.5) takes dictionaries with uncounted nulls for dictionaries without
///   nulls.
/// - Each call allocates a few hundred bytes. Apart from counting nulls it takes O(1) time.
///
/// All throw InvalidArgument where a view does not own its memory (it was made from a pointer) or
/// `valid_bits` is too short, and std::bad_alloc. Then views are unchanged, and arrays that were
/// moved in are released.

namespace hashmill {

/// What the schema of an exported column says.
struct ArrowField {
  /// `arrow_format` is by default that of the view's elements. It may name another type that is
  /// stored in the same way: "tdD" for days in std::int32_t, "tsu:UTC" for microseconds in
  /// std::int64_t, "z" for strings that are not utf-8.
  ArrowField(std::string column_name, std::string arrow_format = {})
      : name(std::move(column_name)), format(std::move(arrow_format)) {}
  /// A column of that name, with the default format.
  ArrowField(const char* column_name) : name(column_name) {}

  std::string name;
  std::string format;
};

/// A validity without bytes: all rows have values.
using NoValidBits = Kokkos::View<const std::uint8_t*, Kokkos::HostSpace>;

namespace detail {

template <class View>
constexpr void require_exportable() {
  require_contiguous<View>();
  static_assert(
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible,
      "hashmill::to_arrow: the Arrow C data interface is for the host's memory, the Arrow C device "
      "interface for others; copy to Kokkos::HostSpace first");
}

/// The node of a column's schema. Throws InvalidArgument where the format has another storage.
[[nodiscard]] inline std::unique_ptr<ArrowSchemaNode> arrow_schema_node(const ArrowField& field,
                                                                        char storage) {
  auto node = std::make_unique<ArrowSchemaNode>();
  node->name = field.name;
  node->format = field.format.empty() ? std::string(1, storage) : field.format;
  if (arrow_type(node->format).storage == storage) return node;
  throw InvalidArgument("to_arrow: column '" + field.name + "': format is " +
                        quoted_format(node->format) + ", expected " + quoted_format({&storage, 1}) +
                        " or what is stored as that");
}

/// The node of a column's data, with its validity.
template <class Bits>
[[nodiscard]] std::unique_ptr<ArrowArrayNode> arrow_array_node(const Bits& valid_bits,
                                                               std::uint64_t rows) {
  require_exportable<Bits>();
  auto node = std::make_unique<ArrowArrayNode>();
  if (valid_bits.extent(0) == 0) return node;
  (void)validity(valid_bits, rows);
  node->keep(0, valid_bits);
  node->null_count = count_nulls(valid_bits.data(), rows);
  return node;
}

/// The finished schema and array of a column.
[[nodiscard]] inline ArrowOwner finish_arrow_column(std::unique_ptr<ArrowSchemaNode> schema,
                                                    std::unique_ptr<ArrowArrayNode> array,
                                                    std::uint64_t rows,
                                                    std::int64_t num_buffers) noexcept {
  const std::int64_t flags = array->buffers[0] == nullptr ? 0 : ARROW_FLAG_NULLABLE;
  return {finish_arrow(std::move(schema), flags),
          finish_arrow(std::move(array), rows, num_buffers)};
}

}  // namespace detail

/// The array of a view of numbers or enumerations: keys or values as `gather` writes them, or the
/// results of an aggregation. Also throws InvalidArgument where the field's format is stored
/// otherwise than the view's elements.
template <class ValuesView, class BitsView = NoValidBits>
[[nodiscard]] ArrowOwner to_arrow(const ArrowField& field, const ValuesView& values,
                                  const BitsView& valid_bits = {}) {
  detail::require_exportable<ValuesView>();
  constexpr char format = detail::number_format<typename ValuesView::non_const_value_type>();
  static_assert(format != '-', "hashmill::to_arrow: integers, enumerations, float or double");
  auto schema = detail::arrow_schema_node(field, format);
  auto array = detail::arrow_array_node(valid_bits, values.extent(0));
  array->keep(1, values);
  return detail::finish_arrow_column(std::move(schema), std::move(array), values.extent(0), 2);
}

/// The array of strings, from views of offsets (std::int32_t or std::int64_t) and of bytes, as
/// `string_column` takes them. Also throws InvalidArgument unless there is an offset, the first is
/// not negative and the last is not beyond the bytes.
template <class OffsetsView, class BytesView, class BitsView = NoValidBits>
[[nodiscard]] ArrowOwner to_arrow_strings(const ArrowField& field, const OffsetsView& offsets,
                                          const BytesView& bytes, const BitsView& valid_bits = {}) {
  detail::require_exportable<OffsetsView>();
  detail::require_exportable<BytesView>();
  constexpr char format = detail::offset_format<typename OffsetsView::non_const_value_type>();
  static_assert(format != '-',
                "hashmill::to_arrow_strings: offsets are std::int32_t or std::int64_t");
  const std::uint64_t rows = string_column(offsets, bytes).size();
  const std::int64_t first = offsets(0), last = offsets(rows);
  if (first < 0 || first > last || static_cast<std::uint64_t>(last) > bytes.extent(0)) {
    throw InvalidArgument("to_arrow: column '" + field.name + "': offsets of strings are " +
                          std::to_string(first) + " to " + std::to_string(last) +
                          ", expected to ascend within 0 to " + std::to_string(bytes.extent(0)));
  }
  auto schema = detail::arrow_schema_node(field, format);
  auto array = detail::arrow_array_node(valid_bits, rows);
  array->keep(1, offsets);
  array->keep(2, bytes);
  return detail::finish_arrow_column(std::move(schema), std::move(array), rows, 3);
}

/// The array of codes, a view of integers, and of the dictionary that they refer to. The dictionary
/// is moved in and may come from another producer. Also throws InvalidArgument where it is
/// released.
template <class CodesView, class BitsView = NoValidBits>
[[nodiscard]] ArrowOwner to_arrow_dictionary(const ArrowField& field, const CodesView& codes,
                                             ArrowOwner dictionary,
                                             const BitsView& valid_bits = {}) {
  detail::require_exportable<CodesView>();
  using Code = typename CodesView::non_const_value_type;
  static_assert(std::is_integral_v<Code> && detail::number_format<Code>() != '-',
                "hashmill::to_arrow_dictionary: codes are integers");
  (void)dictionary.view();
  auto schema = detail::arrow_schema_node(field, detail::number_format<Code>());
  auto array = detail::arrow_array_node(valid_bits, codes.extent(0));
  array->keep(1, codes);
  schema->dictionary = std::move(dictionary.schema());
  array->dictionary = std::move(dictionary.array());
  return detail::finish_arrow_column(std::move(schema), std::move(array), codes.extent(0), 2);
}

/// The record batch, an array of structs, of columns that are moved in; exported here or by another
/// producer. The names of its fields are those of the columns. Throws InvalidArgument where a
/// column is released, or has another length than the first. Without columns the batch has no rows.
[[nodiscard]] inline ArrowOwner to_arrow_batch(std::vector<ArrowOwner> columns) {
  auto schema = std::make_unique<detail::ArrowSchemaNode>();
  auto array = std::make_unique<detail::ArrowArrayNode>();
  schema->format = "+s";
  schema->children.reserve(columns.size());
  array->children.reserve(columns.size());
  const std::uint64_t rows = columns.empty() ? 0 : columns.front().view().size();
  for (ArrowOwner& column : columns) {
    if (column.view().size() != rows) {
      column.view().refuse(std::to_string(column.view().size()) +
                           " rows, in a batch whose first column has " + std::to_string(rows));
    }
    schema->children.push_back(std::move(column.schema()));
    array->children.push_back(std::move(column.array()));
  }
  schema->point_to_children();
  array->point_to_children();
  return detail::finish_arrow_column(std::move(schema), std::move(array), rows, 1);
}
/// The same, with each column as an argument.
template <class... Columns>
  requires(std::is_same_v<Columns, ArrowOwner>&&...)
[[nodiscard]] ArrowOwner to_arrow_batch(Columns... columns) {
  std::vector<ArrowOwner> list;
  list.reserve(sizeof...(Columns));
  (list.push_back(std::move(columns)), ...);
  return to_arrow_batch(std::move(list));
}

}  // namespace hashmill
