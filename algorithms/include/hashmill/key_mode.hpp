#pragma once

#include <array>
#include <hashmill/backends/launch.hpp>
#include <hashmill/error.hpp>
#include <hashmill/key.hpp>
#include <hashmill/key_conversion.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/primitives/detail/number_key.hpp>
#include <optional>
#include <string>

namespace hashmill {

/// How the keys of integer columns are best looked up.
enum class KeyMode {
  array,       ///< combined values are numbers below 2^21: index an array, ArrayTable
  normalized,  ///< combined values are numbers of 64 bits: one such key replaces the columns
  hash,        ///< neither: compare the columns
};

/// How to read 64 bits whose highest bit is set.
enum class KeySign : std::uint8_t {
  either,    ///< unspecified
  negative,  ///< numbers below 0, as in signed columns
  positive,  ///< numbers from 2^63 up, as in unsigned ones
};

/// The range of an integer column's values: `min` to `min + span`, as 64 bits whatever their type.
struct KeyRange {
  std::uint64_t min = 0;
  std::uint64_t span = 0;
  KeySign sign = KeySign::either;
};

namespace detail {

template <WholeNumberKey Value>
inline constexpr KeySign sign_of =
    std::is_signed_v<NumberOf<Value>> ? KeySign::negative : KeySign::positive;

/// Widens a range by one key. Nulls, and rows that match nothing, leave it as it is.
template <class Keys, class Number>
struct WidenKeyRange {
  using value_type = typename Kokkos::MinMax<Number>::value_type;
  Keys keys;

  KOKKOS_FUNCTION void operator()(const std::int64_t i, value_type& seen) const {
    const auto key = keys(static_cast<std::uint64_t>(i));
    using Only = NumberKey<std::decay_t<decltype(key)>>;
    if (is_alone(key) || Only::is_null(key)) return;
    const auto value = static_cast<Number>(Only::of(key));
    if (value < seen.min_val) seen.min_val = value;
    if (value > seen.max_val) seen.max_val = value;
  }
};

/// The range of keys that are numbers, if any is there. Reads each once. Waits for `exec`.
template <class Exec, class Keys>
[[nodiscard]] std::optional<KeyRange> found_range(const Exec& exec, const Keys& keys) {
  using Value = typename NumberKey<KeyOf<Keys>>::Number;
  using Number = IntegerOf<8, std::is_signed_v<Value>>;
  if (keys.size() == 0) return {};
  const auto access = key_access(keys);
  typename Kokkos::MinMax<Number>::value_type found;
  Kokkos::parallel_reduce("hashmill::key_range", backends::range(exec, keys.size()),
                          WidenKeyRange<std::decay_t<decltype(access)>, Number>{access},
                          Kokkos::MinMax<Number>(found));
  if (found.min_val > found.max_val) return {};
  const auto min = static_cast<std::uint64_t>(found.min_val);
  return KeyRange{min, static_cast<std::uint64_t>(found.max_val) - min, sign_of<Value>};
}

}  // namespace detail

/// The range of a view of integers or enumerations, or of another source of them. Runs on `exec`,
/// which it fences; reads the column once. Without values it is the range of a single 0.
template <backends::ExecutionSpace Exec, class Column>
[[nodiscard]] KeyRange key_range(const Exec& exec, const Column& column) {
  detail::require_one_dimension<Column>();
  static_assert(detail::NumberKey<detail::KeyOf<Column>>::exists,
                "hashmill::key_range: a column of integers");
  if constexpr (detail::NumberKey<detail::KeyOf<Column>>::exists) {
    return detail::found_range(exec, column).value_or(KeyRange());
  }
  return {};
}

/// The range of a view of integers or enumerations, or of another source of them, if its span is
/// below `limit`. Runs on `exec`, which it fences. Hosts first read 4096 evenly spaced values of a
/// view. If these already span `limit`, the rest is not read: keys that spread widely cost no pass.
template <backends::ExecutionSpace Exec, class Column>
[[nodiscard]] std::optional<KeyRange> key_range_below(const Exec& exec, const Column& column,
                                                      std::uint64_t limit) {
  if constexpr (!backends::has_wide_teams<Exec> && Kokkos::is_view_v<Column>) {
    constexpr std::size_t few = 4096;
    const std::size_t step = column.extent(0) / few;
    if (step >= 8) {
      using Some =
          Kokkos::View<typename Column::const_value_type*, Kokkos::LayoutStride,
                       typename Column::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
      const Some some(column.data(), Kokkos::LayoutStride(few, step * column.stride(0)));
      if (key_range(exec, some).span >= limit) return {};
    }
  }
  const KeyRange range = key_range(exec, column);
  if (range.span >= limit) return {};
  return range;
}

/// Turns the values of `Columns` integer columns into one number, and tells how to use it.
///
///     number = (value0 - min0) + (value1 - min1) * multiplier1 + …
///
/// Each multiplier is the product of the sizes of the ranges before it. So different keys have
/// different numbers, and all numbers are below `size()`. The mode follows Velox's rule for ranges:
///
///     | product of all sizes | mode       |
///     |----------------------|------------|
///     | below 2^21           | array      |
///     | below 2^64           | normalized |
///     | above                | hash       |
///
/// Velox also numbers distinct values where ranges are wide; this class does not. Source:
/// velox/docs/develop/hash-table.rst, "Hash Modes".
template <unsigned Columns>
class KeyNormalizer {
 public:
  static constexpr std::uint64_t array_limit = std::uint64_t{1} << 21;
  /// The number of values outside the ranges. No key within them has it.
  static constexpr std::uint64_t outside = ~std::uint64_t{0};

  /// `forced` overrides the choice. Throws InvalidArgument when the forced mode is impossible: an
  /// array for 2^21 or more numbers, or normalized numbers that do not fit 64 bits.
  explicit KeyNormalizer(const std::array<KeyRange, Columns>& ranges,
                         std::optional<KeyMode> forced = {}) {
    bool fits = true;
    for (unsigned c = 0; c < Columns; ++c) {
      min_[c] = ranges[c].min;
      span_[c] = ranges[c].span;
      sign_[c] = ranges[c].sign;
      multiplier_[c] = fits ? size_ : 0;
      fits = fits && span_[c] != outside && size_ <= outside / (span_[c] + 1);
      size_ = fits ? size_ * (span_[c] + 1) : 0;
    }
    const KeyMode best = !fits                 ? KeyMode::hash
                         : size_ < array_limit ? KeyMode::array
                                               : KeyMode::normalized;
    mode_ = forced.value_or(best);
    if (mode_ < best) {
      throw InvalidArgument("key mode: " +
                            (fits ? std::to_string(size_) + " combined values are not below 2^21"
                                  : std::string("combined values do not fit 64 bits")));
    }
  }

  /// The mode chosen or forced.
  [[nodiscard]] KeyMode mode() const noexcept { return mode_; }
  /// The sign of a column's range.
  [[nodiscard]] KeySign sign(unsigned column) const noexcept { return sign_[column]; }
  /// How many numbers there are; 0 when they do not fit 64 bits.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// The number of a key, or `outside` if the key is not within the ranges or numbers do not fit 64
  /// bits. Values have the types of the ranges, or types whose 64 bits mean the same.
  template <class... Values>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(Values... values) const {
    static_assert(sizeof...(Values) == Columns && (detail::WholeNumberKey<Values> && ...),
                  "hashmill::KeyNormalizer: an integer or enumeration a column");
    if (size_ == 0) return outside;
    const std::uint64_t bits[] = {canonical_bits(values)...};
    std::uint64_t number = 0;
    for (unsigned c = 0; c < Columns; ++c) {
      const std::uint64_t offset = bits[c] - min_[c];
      if (offset > span_[c]) return outside;
      number += offset * multiplier_[c];
    }
    return number;
  }
  /// The inverse: the value of a column, as 64 bits, of the key with this number. Where numbers do
  /// not fit 64 bits, the least value.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t value(std::uint64_t number,
                                                                unsigned column) const {
    if (size_ == 0) return min_[column];
    return min_[column] + number / multiplier_[column] % (span_[column] + 1);
  }

 private:
  std::uint64_t min_[Columns] = {};
  std::uint64_t span_[Columns] = {};
  std::uint64_t multiplier_[Columns] = {};
  KeySign sign_[Columns] = {};
  std::uint64_t size_ = 1;
  KeyMode mode_ = KeyMode::hash;
};

/// A key source of normalized keys, from two integer columns. A table takes one over its columns,
/// and look-ups take another over the columns of the queries, with the same normalizer. Columns of
/// queries may have other types than the table's and are compared by value.
///
/// Throws InvalidArgument for columns of different lengths, and for a normalizer in mode `hash`,
/// whose numbers are not keys.
template <class First, class Second>
class NormalizedColumns {
 public:
  /// Both columns must have one dimension and the same length.
  NormalizedColumns(const First& first, const Second& second, const KeyNormalizer<2>& normalizer)
      : first_(detail::key_access(first)),
        second_(detail::key_access(second)),
        normalizer_(normalizer),
        refused_{refused_bit<First>(normalizer.sign(0)), refused_bit<Second>(normalizer.sign(1))} {
    detail::same_length("NormalizedColumns", "keys of the first column", first, "of the second",
                        second);
    if (normalizer.mode() == KeyMode::hash) {
      throw InvalidArgument("NormalizedColumns: a normalizer in mode hash gives no keys");
    }
  }
  /// Number of rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return first_.size(); }
  /// The number of row i, or `KeyNormalizer::outside` where it is not within the ranges.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    const auto first = first_(i);
    const auto second = second_(i);
    const std::uint64_t refused =
        (canonical_bits(first) & refused_[0]) | (canonical_bits(second) & refused_[1]);
    return refused != 0 ? normalizer_.outside : normalizer_(first, second);
  }

 private:
  /// The highest of 64 bits, where it has another meaning in the column than in the range; else 0.
  template <class Column>
  [[nodiscard]] static std::uint64_t refused_bit(KeySign sign) {
    const bool agrees = sign == KeySign::either || sign == detail::sign_of<detail::KeyOf<Column>>;
    return agrees ? 0 : std::uint64_t{1} << 63;
  }

  detail::KeyAccess<First> first_;
  detail::KeyAccess<Second> second_;
  KeyNormalizer<2> normalizer_;
  std::uint64_t refused_[2];
};

}  // namespace hashmill
