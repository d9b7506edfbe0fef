#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/streaming.hpp>
#include <type_traits>
#include <utility>

namespace hashmill::detail {

/// The alignment at which a pair with `Bytes` bytes of payload moves in one access of up to 16
/// bytes.
template <std::size_t Bytes, std::size_t Natural>
inline constexpr std::size_t pair_alignment =
    Bytes == 8 && Natural<8 ? 8 : Bytes> 8 && Bytes <= 16 ? 16
    : Bytes > 16 && Natural < 4                           ? 4
                                                          : Natural;

/// Two values that travel together through partitioning passes.
template <class First, class Second>
struct alignas(
    pair_alignment<sizeof(First) + sizeof(Second),
                   (alignof(First) > alignof(Second) ? alignof(First) : alignof(Second))>)
    RecordPair {
  First first;
  Second second;
};

/// Stands for the payload of a key whose row does not matter: no bytes.
struct NoValue {};

/// A number of 8 bytes and a value of 4 in 12 bytes, aligned as its words are. `RecordPair` would
/// take 16 bytes.
template <class First, class Second>
class PackedPair {
  static_assert(sizeof(First) == 8 && sizeof(Second) == 4);

 public:
  PackedPair() = default;
  KOKKOS_FORCEINLINE_FUNCTION PackedPair(First first, Second second)
      : low_(static_cast<std::uint32_t>(bits_of(first))),
        high_(static_cast<std::uint32_t>(bits_of(first) >> 32)),
        second_(second) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION First first() const {
    const std::uint64_t bits = std::uint64_t{high_} << 32 | low_;
    if constexpr (std::is_integral_v<First>) return static_cast<First>(bits);
    return Kokkos::bit_cast<First>(bits);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Second second() const { return second_; }

 private:
  /// Integers are converted: a bit_cast of what lies in memory would read it byte by byte.
  static KOKKOS_FORCEINLINE_FUNCTION std::uint64_t bits_of(First first) {
    if constexpr (std::is_integral_v<First>) return static_cast<std::uint64_t>(first);
    return Kokkos::bit_cast<std::uint64_t>(first);
  }
  std::uint32_t low_, high_;
  Second second_;
};

/// Whether pairs travel packed where they can. Teams of a GPU move words of 4 bytes side by side,
/// and what they do is limited by bytes. Hosts move whole pairs in one access, and whole pairs to a
/// cache line.
inline constexpr bool packs_pairs = backends::has_wide_teams<Kokkos::DefaultExecutionSpace>;
template <class First, class Second>
inline constexpr bool can_be_packed = std::is_arithmetic_v<First>&& std::is_arithmetic_v<Second> &&
                                      sizeof(First) == 8 && sizeof(Second) == 4;

/// Two values as they travel through partitioning passes.
template <class First, class Second>
using TravellingPair = std::conditional_t<packs_pairs && can_be_packed<First, Second>,
                                          PackedPair<First, Second>, RecordPair<First, Second>>;

/// There is no second member, not even an empty one that shares an address: device compilers would
/// copy its byte.
template <class First>
struct RecordPair<First, NoValue> {
  First first;

  RecordPair() = default;
  KOKKOS_FORCEINLINE_FUNCTION RecordPair(const First& only, NoValue) : first(only) {}
};
static_assert(sizeof(RecordPair<std::uint32_t, NoValue>) == sizeof(std::uint32_t));

/// The first value of a pair, of any kind.
template <class First, class Second>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const First& first_of(
    const RecordPair<First, Second>& pair) {
  return pair.first;
}
template <class First, class Second>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION First first_of(const PackedPair<First, Second>& pair) {
  return pair.first();
}
/// The second value of a pair, whether it takes memory or not.
template <class First, class Second>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Second& second_of(
    const RecordPair<First, Second>& pair) {
  return pair.second;
}
template <class First>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION NoValue second_of(const RecordPair<First, NoValue>&) {
  return {};
}
template <class First, class Second>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Second second_of(const PackedPair<First, Second>& pair) {
  return pair.second();
}

/// The types of the values of a pair.
template <class Pair>
using FirstOf = std::decay_t<decltype(first_of(std::declval<const Pair&>()))>;
template <class Pair>
using SecondOf = std::decay_t<decltype(second_of(std::declval<const Pair&>()))>;

/// The hash of a record that begins with its key.
template <class Hash>
struct HashOfFirst {
  Hash hash;
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Record& record) const {
    return hash(first_of(record));
  }
};
/// The hash of a record that begins with its hash.
struct FirstIsHash {
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const Record& record) const {
    return first_of(record);
  }
};

/// Where a pass reads its records: from an array.
template <class Record>
struct RecordSource {
  using record_type = Record;
  const Record* records;
  KOKKOS_FORCEINLINE_FUNCTION Record operator()(std::uint64_t i) const { return records[i]; }
  void prefetch(std::uint64_t i, std::uint64_t count) const {
    backends::prefetch_stream(records + i, count * sizeof(Record));
  }
};

/// Where a pass writes its records: to an array.
template <class Record>
struct RecordSink {
  using record_type = Record;
  Record* records;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Record& record) const {
    records[i] = record;
  }
  /// The address of record `i`, for hosts that stream whole cache lines. Sinks that store records
  /// as several arrays have no such member.
  Record* address(std::uint64_t i) const { return records + i; }
};

/// Where the records of parts are read, if not at the positions of their ranges: in `each` pieces
/// of each part, those of a part side by side in these arrays.
template <class Offset>
struct Pieces {
  const Offset* begins = nullptr;
  const Offset* sizes = nullptr;
  std::uint64_t each = 1;
  std::uint64_t stride = each;  // from the first piece of a part to that of the next one

  /// The pieces of each part from number `first` up to `end`.
  [[nodiscard]] Pieces some(std::uint64_t first, std::uint64_t end) const {
    return {begins + first, sizes + first, end - first, stride};
  }
  /// Where piece `p` is in the arrays.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t place(std::uint64_t p) const {
    return each == stride ? p : p / each * stride + p % each;
  }
};

/// Non-overlapping ranges of positions, one per parent part: all parts of an offsets array, or the
/// parts that `ids` lists.
///
/// Consecutive parts share a boundary, except between groups of 2^group_bits parts. Each group is
/// followed by an end of its own, because listed parents need not be neighbours.
template <class Offset>
struct Ranges {
  static constexpr unsigned one_group = 63;
  const Offset* offsets;
  std::uint64_t count;
  const std::uint64_t* ids = nullptr;
  unsigned group_bits = one_group;
  Pieces<Offset> pieces{};  // in which records are read

  /// The number of entries in an offsets array of `parts` parts.
  [[nodiscard]] static std::uint64_t entries(std::uint64_t parts, unsigned group_bits) {
    return parts + (group_bits == one_group ? 1 : parts >> group_bits);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t entry(std::uint64_t q) const {
    const std::uint64_t part = ids == nullptr ? q : ids[q];
    return part + (part >> group_bits);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset begin(std::uint64_t q) const {
    return offsets[entry(q)];
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset end(std::uint64_t q) const {
    return offsets[entry(q) + 1];
  }
  /// The number of pieces of all parts.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t num_pieces() const {
    return count * pieces.each;
  }
  /// Where piece `p` begins, and how many records it has.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset piece_begin(std::uint64_t p) const {
    return pieces.begins == nullptr ? begin(p) : pieces.begins[pieces.place(p)];
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset piece_size(std::uint64_t p) const {
    return pieces.begins == nullptr ? static_cast<Offset>(end(p) - begin(p))
                                    : pieces.sizes[pieces.place(p)];
  }
};

/// The digit of a record's part number that one level sorts by: `bits` bits from `shift` up.
template <class PartOf>
struct Digit {
  PartOf part_of;
  unsigned shift = 0;
  unsigned bits = 0;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t fan_out() const {
    return std::uint32_t{1} << bits;
  }
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t operator()(const Record& record) const {
    return of_part(part_of(record));
  }
  /// That of the record at a position, for parts that positions tell.
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t at(const Record& record, std::uint64_t position) const {
    if constexpr (requires { part_of.at(position); }) {
      return of_part(part_of.at(position));
    } else {
      return (*this)(record);
    }
  }

 private:
  template <class Part>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t of_part(Part part) const {
    return static_cast<std::uint32_t>(part >> shift) & (fan_out() - 1);
  }
};

}  // namespace hashmill::detail
