#pragma once

#include <bit>
#include <cstdint>

namespace hashmill::detail {

/// Neighbouring bits of the hash of a tuple's key. They are the digit of a partitioning pass, the
/// slot in a part's table, or the bucket in a shared table.
template <class Hash>
struct HashBits {
  Hash hash;
  unsigned shift;
  std::uint64_t mask;

  /// `bits` bits, from bit `from` up.
  [[nodiscard]] static HashBits run(const Hash& hash, unsigned from, unsigned bits) {
    return {hash, from, (std::uint64_t{1} << bits) - 1};
  }
  /// The fewest bits from bit `from` up that have at least `least` values.
  [[nodiscard]] static HashBits at_least(const Hash& hash, unsigned from, std::uint64_t least) {
    return {hash, from, std::bit_ceil(least) - 1};
  }

  /// Number of values.
  [[nodiscard]] std::uint64_t count() const { return mask + 1; }
  template <class Tuple>
  [[nodiscard]] std::uint64_t operator()(const Tuple& tuple) const {
    return static_cast<std::uint64_t>(hash(tuple.key)) >> shift & mask;
  }
};

}  // namespace hashmill::detail
