#pragma once

#include <cstdint>
#include <hashmill/arrow/abi.hpp>
#include <hashmill/arrow/detail/format.hpp>
#include <hashmill/column.hpp>
#include <hashmill/error.hpp>
#include <limits>
#include <string>
#include <string_view>

namespace hashmill {

/// An array of the Arrow C data interface with its schema, in host memory: borrowed, not owned, and
/// cheap to copy. The import functions (`arrow_column` and others) read it. Both structs, and what
/// they refer to, must stay alive and unreleased while the view, or a column made from it, is used.
///
/// A record batch is an array of structs, whose columns `child` returns. Offsets of arrays, and of
/// the batches that contain them, are taken into account. Everything takes O(1) time unless stated.
class ArrowView {
 public:
  /// Throws InvalidArgument where
  /// - one of them is released, or the format is missing,
  /// - a length, an offset or n_buffers is negative, or offset + length is above 2^63 - 1,
  /// - a null_count is below -1 or above the length,
  /// - n_buffers is not 0 but there are no buffers, or only one of the two has a dictionary.
  ArrowView(const ArrowSchema& schema, const ArrowArray& array) : schema_(&schema), array_(&array) {
    if (schema.release == nullptr) throw InvalidArgument("arrow: the schema is released");
    if (array.release == nullptr) throw InvalidArgument("arrow: the array is released");
    if (schema.format == nullptr) refuse("the schema has no format");
    expect_within("length", array.length, 0, largest);
    expect_within("offset", array.offset, 0, largest - array.length);
    expect_within("null_count", array.null_count, -1, array.length);
    expect_within("n_buffers", array.n_buffers, 0, largest);
    if (array.n_buffers > 0 && array.buffers == nullptr) refuse("there are no buffers");
    if ((schema.dictionary == nullptr) != (array.dictionary == nullptr)) {
      refuse("only the " + std::string(schema.dictionary == nullptr ? "array" : "schema") +
             " has a dictionary");
    }
    first_ = static_cast<std::uint64_t>(array.offset);
    size_ = static_cast<std::uint64_t>(array.length);
  }

  /// The schema that it refers to.
  [[nodiscard]] const ArrowSchema& schema() const noexcept { return *schema_; }
  /// The array that it refers to.
  [[nodiscard]] const ArrowArray& array() const noexcept { return *array_; }
  /// Number of rows.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Where row 0 is, in rows from the beginning of the buffers.
  [[nodiscard]] std::uint64_t first_row() const noexcept { return first_; }
  /// The type; see the format strings in the specification.
  [[nodiscard]] std::string_view format() const noexcept { return schema_->format; }
  /// The name of the column; empty where it has none.
  [[nodiscard]] std::string_view name() const noexcept {
    return schema_->name == nullptr ? std::string_view() : schema_->name;
  }

  /// Which rows have values: all rows where there is no bitmap, or null_count is 0. Throws
  /// InvalidArgument where there are nulls but no bitmap.
  [[nodiscard]] Validity validity() const {
    const std::int64_t nulls = array_->null_count;
    if (nulls == 0 || size_ == 0) return {};
    const void* const bits = array_->n_buffers == 0 ? nullptr : array_->buffers[0];
    if (bits == nullptr && nulls > 0) {
      refuse("null_count is " + std::to_string(nulls) + ", but there is no bitmap of validity");
    }
    return bits == nullptr ? Validity() : Validity(static_cast<const std::uint8_t*>(bits), first_);
  }

  /// Number of columns of a record batch, 0 for another array. Throws InvalidArgument where it is
  /// negative.
  [[nodiscard]] std::uint64_t num_children() const {
    expect_within("n_children", array_->n_children, 0, largest);
    return static_cast<std::uint64_t>(array_->n_children);
  }

  /// Column i of a record batch, from 0: the rows of it that the batch has. Reads the batch's own
  /// bitmap where null_count is -1. Throws InvalidArgument where
  ///
  /// - this is not a struct,
  /// - there is no column i, or array and schema have different numbers of columns,
  /// - the column has fewer rows than the batch,
  /// - rows of the batch itself are null, which its columns could not tell.
  [[nodiscard]] ArrowView child(std::uint64_t i) const {
    expect_batch();
    if (i >= num_children()) {
      refuse("no column " + std::to_string(i) + " among " + std::to_string(num_children()));
    }
    if (schema_->children[i] == nullptr || array_->children[i] == nullptr) {
      refuse("column " + std::to_string(i) + " is missing");
    }
    ArrowView column(*schema_->children[i], *array_->children[i]);
    if (column.size_ < first_ + size_) {
      column.refuse(std::to_string(column.size_) + " rows, in a batch that needs " +
                    std::to_string(first_) + " + " + std::to_string(size_));
    }
    column.first_ += first_;
    column.size_ = size_;
    return column;
  }
  /// The column of that name. Takes time in the number of columns. Throws as above, and where none
  /// or several have that name.
  [[nodiscard]] ArrowView child(std::string_view name) const {
    expect_batch();
    const std::uint64_t columns = num_children();
    std::uint64_t found = columns;
    std::string names;
    for (std::uint64_t i = 0; i < columns; ++i) {
      const ArrowSchema* const column = schema_->children[i];
      const std::string_view its_name =
          column == nullptr || column->name == nullptr ? "" : column->name;
      names += (i == 0 ? "'" : ", '") + std::string(its_name) + "'";
      if (its_name != name) continue;
      if (found != columns) refuse("several columns are named '" + std::string(name) + "'");
      found = i;
    }
    if (found == columns) refuse("no column '" + std::string(name) + "' among " + names);
    return child(found);
  }

  /// Whether rows are codes that refer to the values of a dictionary.
  [[nodiscard]] bool has_dictionary() const noexcept { return schema_->dictionary != nullptr; }
  /// The values of the dictionary, as an array of their own. Throws InvalidArgument where there is
  /// none.
  [[nodiscard]] ArrowView dictionary() const {
    if (!has_dictionary()) refuse("there is no dictionary");
    return {*schema_->dictionary, *array_->dictionary};
  }

  /// Throws InvalidArgument; the message begins with the name of the column.
  [[noreturn]] void refuse(const std::string& why) const {
    throw InvalidArgument(name().empty() ? "arrow: " + why
                                         : "arrow: column '" + std::string(name()) + "': " + why);
  }

 private:
  static constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

  void expect_within(const char* what, std::int64_t value, std::int64_t least,
                     std::int64_t most) const {
    if (value >= least && value <= most) return;
    refuse(std::string(what) + " is " + std::to_string(value) + ", expected " +
           std::to_string(least) + " to " + std::to_string(most));
  }

  void expect_batch() const {
    if (format() != "+s") {
      refuse("format is " + detail::quoted_format(format()) + ", expected '+s' (struct)");
    }
    if (array_->n_children != schema_->n_children) {
      refuse("the array has " + std::to_string(array_->n_children) + " columns, its schema " +
             std::to_string(schema_->n_children));
    }
    if (num_children() > 0 && (array_->children == nullptr || schema_->children == nullptr)) {
      refuse("there are no children");
    }
    const Validity valid = validity();
    if (!valid.has_bits()) return;
    for (std::uint64_t i = 0; i < size_; ++i) {
      if (valid.is_null(i)) refuse("row " + std::to_string(i) + " of the batch itself is null");
    }
  }

  const ArrowSchema* schema_;
  const ArrowArray* array_;
  std::uint64_t first_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace hashmill
