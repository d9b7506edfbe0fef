#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/detail/arguments.hpp>
#include <hashmill/key.hpp>
#include <hashmill/string_view.hpp>
#include <string>
#include <type_traits>

/// Columns of the caller's data, as joins and group-bys read them. They are trivially copyable and
/// own nothing: what they refer to must outlive whatever uses them. Their memory has the layout of
/// Apache Arrow's arrays (arrow.apache.org/docs/format/Columnar.html), so that those are taken
/// without conversion.
///
/// A column has `size()`, `is_null(i)` and `operator()(i)`. The last returns the value of row i,
/// which means nothing where that row is null.

namespace hashmill {

/// Which rows of a column have values: Arrow's bitmap. Row i is bit i % 8, from the lowest, of byte
/// i / 8; 1 means that the row has a value. Without a bitmap all rows have values.
class Validity {
 public:
  Validity() = default;
  /// The bits from `first_bit` up. There must be at least one bit per row of the column. That is
  /// taken on trust unless `rows` tells their number.
  explicit Validity(const std::uint8_t* bits, std::uint64_t first_bit = 0,
                    std::uint64_t rows = any_number)
      : bits_(bits), first_bit_(first_bit), rows_(rows) {}

  /// Whether row i is null.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    if (bits_ == nullptr) return false;
    const std::uint64_t bit = first_bit_ + i;
    return (bits_[bit / 8] >> (bit % 8) & 1U) == 0;
  }
  /// Whether any row can be null.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool has_bits() const { return bits_ != nullptr; }

  /// Bytes that the bits of that many rows take, including those before `first_bit`.
  [[nodiscard]] std::uint64_t bytes_for(std::uint64_t rows) const {
    return (first_bit_ + rows + 7) / 8;
  }
  /// This validity, for a column of that many rows. Throws InvalidArgument where it is known to
  /// have fewer bits.
  [[nodiscard]] const Validity& covering(std::uint64_t rows) const {
    if (bits_ == nullptr || rows <= rows_) return *this;
    throw InvalidArgument("column: " + std::to_string(rows) + " rows but validity of " +
                          std::to_string(rows_));
  }

 private:
  static constexpr std::uint64_t any_number = ~std::uint64_t{0};

  const std::uint8_t* bits_ = nullptr;
  std::uint64_t first_bit_ = 0;
  std::uint64_t rows_ = any_number;
};

/// The validity of `rows` rows in a contiguous view of bytes. Columns with more rows refuse it.
/// Throws InvalidArgument when the view has fewer than `rows` bits from `first_bit` up.
template <class BitsView>
[[nodiscard]] Validity validity(const BitsView& bits, std::uint64_t rows,
                                std::uint64_t first_bit = 0) {
  static_assert(std::is_same_v<typename BitsView::non_const_value_type, std::uint8_t>,
                "hashmill::validity: a view of std::uint8_t");
  detail::require_contiguous<BitsView>();
  const std::uint64_t there = bits.extent(0);
  if (rows > there * 8 || first_bit > there * 8 - rows) {
    throw InvalidArgument("validity: " + std::to_string(there) + " bytes are too short for " +
                          std::to_string(rows) + " rows from bit " + std::to_string(first_bit));
  }
  return Validity(bits.data(), first_bit, rows);
}

namespace detail {

/// The distance from one value of a column to the next, in elements. A distance of 1 takes no
/// memory.
template <bool Strided>
struct ColumnStride {
  std::uint64_t stride;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t place(std::uint64_t i) const {
    return i * stride;
  }
};
template <>
struct ColumnStride<false> {
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t place(std::uint64_t i) const { return i; }
};

}  // namespace detail

/// Integers, enumerations, float, double, and what is stored as one of them (dates, timestamps).
/// `Strided`: values are not adjacent, as in one column of a View of several columns.
template <class Value, class MemorySpace, bool Strided = false>
class ValueColumn : private detail::ColumnStride<Strided> {
  static_assert(
      ScalarKey<Value>,
      "hashmill::ValueColumn: integers, enumerations, float or double, of at most 64 bits");

 public:
  using memory_space = MemorySpace;
  using value_type = Value;

  ValueColumn() = default;
  /// `size` values, side by side. Throws as `Validity::covering` does.
  ValueColumn(const Value* values, std::uint64_t size, Validity valid = {}) requires(!Strided)
      : values_(values), size_(size), valid_(valid.covering(size)) {}
  /// Value i lies `i * stride` elements behind the first.
  ValueColumn(const Value* values, std::uint64_t size, std::uint64_t stride,
              Validity valid) requires(Strided)
      : detail::ColumnStride<true>{stride},
        values_(values),
        size_(size),
        valid_(valid.covering(size)) {}

  /// Number of rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return size_; }
  /// Whether row i is null.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    return valid_.is_null(i);
  }
  /// Whether any row can be null, that is, whether there is a bitmap.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool can_be_null() const { return valid_.has_bits(); }
  /// The value of row i; means nothing where that is null.
  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::uint64_t i) const {
    return values_[this->place(i)];
  }
  /// Which rows have values.
  [[nodiscard]] const Validity& validity() const { return valid_; }
  /// Bytes from the first value to the end of the last.
  [[nodiscard]] std::uint64_t bytes() const {
    return size_ == 0 ? 0 : (this->place(size_ - 1) + 1) * sizeof(Value);
  }
  /// The address of value i, for prefetching; only where values are adjacent.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Value* address(std::uint64_t i) const
      requires(!Strided) {
    return values_ + i;
  }

 private:
  const Value* values_ = nullptr;
  std::uint64_t size_ = 0;
  Validity valid_;
};

/// Strings, whose bytes lie one after the other: row i has bytes offsets[i] to offsets[i + 1] - 1.
template <class Offset, class MemorySpace>
class StringColumn {
  static_assert(std::is_integral_v<Offset> && sizeof(Offset) <= 8,
                "hashmill::StringColumn: offsets are integers");

 public:
  using memory_space = MemorySpace;
  using value_type = StringView;

  StringColumn() = default;
  /// `offsets` has `size` + 1 elements.
  StringColumn(const Offset* offsets, const char* bytes, std::uint64_t size, Validity valid = {})
      : offsets_(offsets), bytes_(bytes), size_(size), valid_(valid.covering(size)) {}

  /// Number of rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return size_; }
  /// Whether row i is null.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    return valid_.is_null(i);
  }
  /// The bytes of row i; they mean nothing where that is null.
  KOKKOS_FORCEINLINE_FUNCTION StringView operator()(std::uint64_t i) const {
    const auto begin = static_cast<std::uint64_t>(offsets_[i]);
    return {bytes_ + begin, static_cast<std::uint64_t>(offsets_[i + 1]) - begin};
  }
  /// Which rows have values.
  [[nodiscard]] const Validity& validity() const { return valid_; }
  /// Where the bytes of row i begin. For i = `size()`, where the bytes of the last row end.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset offset(std::uint64_t i) const {
    return offsets_[i];
  }
  /// The same strings. Offsets are never negative, so that unsigned ones have the same bytes.
  [[nodiscard]] auto with_unsigned_offsets() const {
    using Unsigned = std::make_unsigned_t<Offset>;
    return StringColumn<Unsigned, MemorySpace>(reinterpret_cast<const Unsigned*>(offsets_), bytes_,
                                               size_, valid_);
  }

 private:
  const Offset* offsets_ = nullptr;
  const char* bytes_ = nullptr;
  std::uint64_t size_ = 0;
  Validity valid_;
};

/// Values that a dictionary, a column of any kind, keeps once each, and that a column of integers
/// refers to by number. Rows are equal when their values are, so columns with different
/// dictionaries can be joined.
template <class Codes, class Dictionary>
class DictionaryColumn {
  static_assert(std::is_integral_v<typename Codes::value_type>,
                "hashmill::DictionaryColumn: codes are integers");
  static_assert(std::is_same_v<typename Codes::memory_space, typename Dictionary::memory_space>,
                "hashmill::DictionaryColumn: codes and dictionary lie in different memory spaces");

 public:
  using memory_space = typename Codes::memory_space;
  using value_type = typename Dictionary::value_type;

  DictionaryColumn() = default;
  /// Codes of rows that are not null must be below the dictionary's size.
  DictionaryColumn(const Codes& codes, const Dictionary& dictionary)
      : codes_(codes), dictionary_(dictionary) {}

  /// Number of rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return codes_.size(); }
  /// Whether row i is null.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    return codes_.is_null(i) || dictionary_.is_null(static_cast<std::uint64_t>(codes_(i)));
  }
  /// The value of row i. Null rows have an empty value: their codes may be anything and are not
  /// read.
  KOKKOS_FORCEINLINE_FUNCTION value_type operator()(std::uint64_t i) const {
    if (codes_.is_null(i)) return value_type{};
    return dictionary_(static_cast<std::uint64_t>(codes_(i)));
  }
  /// The column of codes.
  [[nodiscard]] const Codes& codes() const { return codes_; }
  /// The column of values, whose rows the codes number.
  [[nodiscard]] const Dictionary& dictionary() const { return dictionary_; }

 private:
  Codes codes_;
  Dictionary dictionary_;
};

/// The column of a one-dimensional view of numbers, whose elements need not be adjacent.
template <class View>
[[nodiscard]] auto column(const View& values, Validity valid = {}) {
  detail::require_one_dimension<View>();
  using Value = typename View::non_const_value_type;
  using Memory = typename View::memory_space;
  if constexpr (detail::is_contiguous_view<View>) {
    return ValueColumn<Value, Memory>(values.data(), values.extent(0), valid);
  } else {
    return ValueColumn<Value, Memory, true>(values.data(), values.extent(0), values.stride(0),
                                            valid);
  }
}

namespace detail {

template <class Source>
concept ColumnOfValues = requires(const Source& source) {
  typename Source::value_type;
  source.is_null(std::uint64_t{});
};

/// Whether rows of a source of keys or values can be null: whether it is a column with a bitmap, or
/// one that does not tell.
template <class Source>
[[nodiscard]] bool may_have_nulls(const Source& source) {
  if constexpr (requires { source.dictionary(); }) {
    return may_have_nulls(source.codes()) || may_have_nulls(source.dictionary());
  } else if constexpr (requires { source.validity(); }) {
    return source.validity().has_bits();
  } else {
    return ColumnOfValues<Source>;
  }
}

}  // namespace detail

/// The argument itself where it is a column, or the column of a view.
template <class Source>
[[nodiscard]] auto as_column(const Source& source) {
  if constexpr (Kokkos::is_view_v<Source>) {
    return column(source);
  } else {
    return source;
  }
}

/// The column of strings in contiguous views of offsets and of bytes. The offsets number one more
/// than the rows. Throws InvalidArgument if there are none.
template <class OffsetsView, class BytesView>
[[nodiscard]] auto string_column(const OffsetsView& offsets, const BytesView& bytes,
                                 Validity valid = {}) {
  using Offset = typename OffsetsView::non_const_value_type;
  static_assert(std::is_same_v<typename BytesView::non_const_value_type, char>,
                "hashmill::string_column: bytes are a view of char");
  detail::require_contiguous<OffsetsView, BytesView>();
  if (offsets.extent(0) == 0) {
    throw InvalidArgument("string column: 0 offsets, one more than rows are needed");
  }
  return StringColumn<Offset, typename OffsetsView::memory_space>(offsets.data(), bytes.data(),
                                                                  offsets.extent(0) - 1, valid);
}

/// The column of the dictionary's values to which `codes` refer by number.
template <class Codes, class Dictionary>
[[nodiscard]] auto dictionary_column(const Codes& codes, const Dictionary& dictionary) {
  return DictionaryColumn<Codes, Dictionary>(codes, dictionary);
}

}  // namespace hashmill
