#pragma once

#include <bit>
#include <cstdint>

namespace hashmill::detail {

/// Neighbouring bits of the hash of a tuple's key: the digit of a pass of partitioning, the slot of
/// a part's table, or the bucket of a shared one.
template <class Hash>
struct HashBits {
  Hash hash;
  unsigned shift;
  std::uint64_t mask;

  /// `bits` bits from `from` up.
  [[nodiscard]] static HashBits run(const Hash& hash, unsigned from, unsigned bits) {
    return {hash, from, (std::uint64_t{1} << bits) - 1};
  }
  /// As many from `from` up that their values are at least as many as `least`.
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
