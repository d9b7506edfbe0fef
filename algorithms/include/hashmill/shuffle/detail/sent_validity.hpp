#pragma once

#include <hashmill/primitives/detail/owner_of.hpp>
#include <hashmill/shuffle/detail/sent_rows.hpp>

namespace hashmill::detail {

/// Whether a row of a column has a value, as a byte.
template <class Column>
struct HasValue {
  Column column;
  KOKKOS_FORCEINLINE_FUNCTION std::uint8_t operator()(std::uint64_t i) const {
    return column.is_null(i) ? 0 : 1;
  }
};

/// Parts of a bitmap that each begin with a byte: part r has rows begins[r] to begins[r + 1] - 1,
/// and begins with byte bytes[r].
struct BitmapParts {
  const std::uint64_t* begins;
  const std::uint64_t* bytes;
  std::uint64_t parts;
};
/// Writes a byte of such a bitmap, from bytes that tell which rows have values.
struct PackPartBits {
  BitmapParts parts;
  const std::uint8_t* has_value;
  std::uint8_t* out;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto byte = static_cast<std::uint64_t>(index);
    const std::uint64_t r = owner_of(parts.bytes, byte, 0, parts.parts);
    const std::uint64_t begin = parts.begins[r] + 8 * (byte - parts.bytes[r]);
    const std::uint64_t end = parts.begins[r + 1];
    unsigned valid = 0;
    for (unsigned k = 0; k < 8 && begin + k < end; ++k) {
      valid |= unsigned{has_value[begin + k]} << k;
    }
    out[byte] = static_cast<std::uint8_t>(valid);
  }
};
/// Writes a byte of the bitmap of all rows, from a bitmap of parts.
struct JoinPartBits {
  BitmapParts parts;
  const std::uint8_t* bits;
  std::uint64_t rows;
  std::uint8_t* out;
  KOKKOS_FUNCTION void operator()(std::int64_t byte) const {
    const std::uint64_t begin = static_cast<std::uint64_t>(byte) * 8;
    const std::uint64_t r = owner_of(parts.begins, begin, 0, parts.parts);
    const bool in_one_part = begin + 8 <= parts.begins[r + 1];
    out[byte] = static_cast<std::uint8_t>(in_one_part ? eight(r, begin) : some(r, begin));
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t bit_of(std::uint64_t r,
                                                                 std::uint64_t row) const {
    return 8 * parts.bytes[r] + row - parts.begins[r];
  }
  /// The bits of 8 rows of part r.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned eight(std::uint64_t r,
                                                           std::uint64_t row) const {
    const std::uint64_t bit = bit_of(r, row);
    const unsigned shift = bit % 8, low = bits[bit / 8];
    return shift == 0 ? low : low >> shift | unsigned{bits[bit / 8 + 1]} << (8 - shift);
  }
  /// Those of up to 8 rows from part r on.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned some(std::uint64_t r,
                                                          std::uint64_t row) const {
    unsigned valid = 0;
    for (unsigned k = 0; k < 8 && row + k < rows; ++k) {
      while (row + k >= parts.begins[r + 1]) ++r;
      const std::uint64_t bit = bit_of(r, row + k);
      valid |= (unsigned{bits[bit / 8]} >> (bit % 8) & 1U) << k;
    }
    return valid;
  }
};

/// The first byte of each part of a bitmap whose parts have rows between `rows`, and the end.
[[nodiscard]] inline std::vector<std::uint64_t> bitmap_bytes(
    const std::vector<std::uint64_t>& rows) {
  std::vector<std::uint64_t> bytes{0};
  for (std::size_t r = 0; r + 1 < rows.size(); ++r) {
    bytes.push_back(bytes.back() + (rows[r + 1] - rows[r] + 7) / 8);
  }
  return bytes;
}

/// Which rows have values, as it travels: a bit per row, where the bits of each part begin with a
/// byte. Bytes per row would be simpler, but as much as a fifth of a column of 4 bytes.
///
/// Bits travel also where a rank has no nulls, so that ranks need not agree on that.
template <class Exec>
class SentValidity {
 public:
  template <class Rows>
  void prepare(const Rows& rows) {
    bytes_ = rows.parts.map(bitmap_bytes);
    out_ = rows.template borrow<std::uint8_t>(bytes_.out.back());
  }
  template <class Rows>
  void allocate(const Rows& rows) {
    stops_ = borrow_stops<Bits>(rows, bytes_);
    for (const auto& pieces : bytes_.in) {
      in_.push_back(rows.template borrow<std::uint8_t>(pieces.back()));
    }
  }
  template <class Rows, class Column>
  void fill(const Rows& rows, const Column& column) const {
    typename Workspace<MemorySpace>::Frame frame(rows.workspace);
    const auto has_value = rows.workspace.template take<std::uint8_t>(rows.exec, rows.size());
    put_in_order(rows, HasValue<Column>{column}, has_value.data());
    backends::for_each_index(
        "hashmill::shuffle::pack_bits", rows.exec, bytes_.out.back(),
        PackPartBits{parts(rows, rows.parts.out, bytes_.out), has_value.data(), out_.data()});
  }
  template <class Rows>
  void add_pieces_of(const Rows& rows, std::size_t round, TravellingPieces& pieces) const {
    add_pieces(pieces, rows, bytes_, round, out_, stops_[round], in_[round]);
  }
  /// Writes the bits of the rows received in a round side by side.
  template <class Rows>
  void finish(const Rows& rows, std::size_t round, std::uint8_t* bits) const {
    typename Workspace<MemorySpace>::Frame frame(rows.workspace);
    const std::uint64_t received = rows.received(round);
    backends::for_each_index("hashmill::shuffle::join_bits", rows.exec, (received + 7) / 8,
                             JoinPartBits{parts(rows, rows.parts.in[round], bytes_.in[round]),
                                          in_[round].data(), received, bits});
  }

 private:
  using MemorySpace = typename Exec::memory_space;
  using Bits = Kokkos::View<std::uint8_t*, MemorySpace>;

  /// Its arrays are in memory of an open frame.
  template <class Rows>
  [[nodiscard]] static BitmapParts parts(const Rows& rows, const std::vector<std::uint64_t>& begins,
                                         const std::vector<std::uint64_t>& bytes) {
    return {device_words(rows.exec, begins, rows.workspace).data(),
            device_words(rows.exec, bytes, rows.workspace).data(), begins.size() - 1};
  }

  RowParts bytes_;
  Bits out_;
  std::vector<Stops<Bits>> stops_;  // of each round
  std::vector<Bits> in_;
};

}  // namespace hashmill::detail
