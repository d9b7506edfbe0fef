#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <bit>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/columns.hpp>
#include <hashmill/compression/detail/pack_words.hpp>
#include <hashmill/key_mode.hpp>
#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/primitives/detail/mark_valid.hpp>

namespace hashmill {

/// A column of integers or enumerations in as many bits each as their range needs. It is read like
/// any column: as a key or payload of joins and group-bys, by `gather`, and in kernels. So values
/// are decoded where they are used, and are never in memory as a whole.
///
///     bits i width to (i + 1) width - 1 of the words: value i - the least value
///
/// It owns nothing. OwnedPackedColumn has the memory, and makes it.
template <detail::WholeNumberKey Value, class MemorySpace>
class PackedColumn {
 public:
  using memory_space = MemorySpace;
  using value_type = Value;

  PackedColumn() = default;
  /// `words`: those of `size` values of `width` bits, and one more, which is read and not used.
  PackedColumn(const std::uint64_t* words, std::uint64_t size, std::uint64_t least,
               std::uint32_t width, Validity valid = {})
      : words_(words), size_(size), least_(least), width_(width), valid_(valid.covering(size)) {}

  /// Number of rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return size_; }
  /// Whether row i is null.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    return valid_.is_null(i);
  }
  /// Whether any row can be null, that is, whether there is a bitmap.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool can_be_null() const { return valid_.has_bits(); }
  /// The value of row i; means nothing where that is null. Reads two words, which are neighbours.
  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::uint64_t i) const {
    return static_cast<Value>(
        static_cast<detail::NumberOf<Value>>(least_ + detail::packed_bits(words_, i, width_)));
  }
  /// Which rows have values.
  [[nodiscard]] const Validity& validity() const { return valid_; }
  /// Bits of each value.
  [[nodiscard]] std::uint32_t width() const { return width_; }
  /// Bytes of the words.
  [[nodiscard]] std::uint64_t bytes() const { return 8 * detail::packed_words(size_, width_); }

 private:
  const std::uint64_t* words_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t least_ = 0;
  std::uint32_t width_ = 0;
  Validity valid_;
};

/// The memory of a PackedColumn. `pack_column` makes it. Copies share it.
template <detail::WholeNumberKey Value, class MemorySpace>
struct OwnedPackedColumn {
  /// The packed bits, and one word more. None where there are no rows.
  Kokkos::View<std::uint64_t*, MemorySpace> words;
  /// uint8 x (rows / 8, rounded up): Arrow's bitmap of the rows that have a value. Empty where no
  /// row can be null.
  Kokkos::View<std::uint8_t*, MemorySpace> valid_bits;
  std::uint64_t rows = 0;
  std::uint64_t least = 0;  ///< the least value, as 64 bits
  std::uint32_t width = 0;  ///< bits of each value

  /// Number of rows.
  [[nodiscard]] std::uint64_t size() const { return rows; }
  /// Bytes of memory.
  [[nodiscard]] std::uint64_t bytes() const { return 8 * words.extent(0) + valid_bits.extent(0); }
  /// The column. It refers to these views, which must outlive it.
  [[nodiscard]] PackedColumn<Value, MemorySpace> column() const {
    const bool all_valid = valid_bits.extent(0) == 0;
    return {words.data(), rows, least, width, all_valid ? Validity() : validity(valid_bits, rows)};
  }
};

/// Packs a view or column of integers or enumerations, with its nulls, into newly allocated memory:
/// `width` bits per row, where 2^width exceeds the greatest value less the least.
///
///     const auto packed = hashmill::pack_column(exec, keys);        // owns the memory
///     const auto pairs = hashmill::hash_join(exec, hashmill::JoinKind::inner, packed.column(),
///     rows);
///
/// Runs on `exec`, then fences `exec`. Reads the values twice, and writes their bits once; a bit
/// more per row where there can be nulls. Throws CapacityError where memory is short.
template <backends::ExecutionSpace Exec, class Values>
[[nodiscard]] auto pack_column(const Exec& exec, const Values& values) {
  using Value = detail::KeyOf<Values>;
  using Memory = typename Exec::memory_space;
  static_assert(detail::WholeNumberKey<Value>,
                "hashmill::pack_column: values are integers or enumerations");
  static_assert(detail::is_accessible<Exec, Values>(),
                "hashmill::pack_column: the execution space cannot access the values");
  Kokkos::Profiling::ScopedRegion region("hashmill::pack_column");
  OwnedPackedColumn<Value, Memory> packed;
  const auto column = as_column(values);
  packed.rows = column.size();
  if (packed.rows == 0) return packed;
  const KeyRange range =
      detail::found_range(exec, columns(column)).value_or(KeyRange());  // of rows with values
  packed.least = range.min;
  packed.width = static_cast<std::uint32_t>(std::bit_width(range.span));
  packed.words = backends::allocate<decltype(packed.words)>(
      exec, "hashmill::pack_column::words", detail::packed_words(packed.rows, packed.width));
  detail::pack_words(exec, column, packed.least, packed.width, packed.words);
  if (detail::may_have_nulls(column)) {
    packed.valid_bits = backends::allocate<decltype(packed.valid_bits)>(
        exec, "hashmill::pack_column::valid_bits", (packed.rows + 7) / 8);
    detail::mark_valid("hashmill::pack_column::mark_valid", exec, column, packed.rows,
                       packed.valid_bits.data());
  }
  exec.fence("hashmill::pack_column: results are handed to the caller");
  return packed;
}

}  // namespace hashmill
