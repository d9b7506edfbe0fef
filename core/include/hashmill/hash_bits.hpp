#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

/// Who may use which bits of a 64-bit hash. Levels that share bits see only a part of their range:
/// a node whose rows agree in the node bits would fill a fraction of its buckets. So each level has
/// bits of its own, handed out here:
///
///     63                                                            0
///     | node | device | bucket ...              (unused) ...  | tag |

namespace hashmill {

/// A run of adjacent bits of a hash, `first_bit_from_top` counted from the highest bit as 0.
struct HashField {
  unsigned first_bit_from_top = 0;
  unsigned width = 0;

  /// The field's value in `hash`; 0 for an empty field.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t extract(
      std::uint64_t hash) const noexcept {
    return width == 0 ? 0 : (hash << first_bit_from_top) >> (64 - width);
  }
  /// The field's bits, in place.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t mask() const noexcept {
    return width == 0 ? 0
                      : (~std::uint64_t{0} >> (64 - width)) << (64 - width - first_bit_from_top);
  }
};

/// Hands out the bits of a hash: `Node`, `Device` and `Bucket` bits from the top in that order and
/// `Tag` bits at the bottom. More than 64 bits in all do not compile. Kernels take a field as a
/// copy made on the host, or its members: CUDA has no address for a constant of class type.
template <unsigned Node, unsigned Device, unsigned Bucket, unsigned Tag>
struct HashBitBudget {
  static_assert(Node <= 64 && Device <= 64 && Bucket <= 64 && Tag <= 64 &&
                    Node + Device + Bucket + Tag <= 64,
                "node, device, bucket and tag bits must fit the 64 bits of a hash");

  static constexpr HashField node{0, Node};
  static constexpr HashField device{Node, Device};
  static constexpr HashField bucket{Node + Device, Bucket};
  static constexpr HashField tag{64 - Tag, Tag};

  /// `tag.extract(hash)`, for kernels.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr std::uint64_t tag_of(
      std::uint64_t hash) noexcept {
    return HashField{64 - Tag, Tag}.extract(hash);
  }
};

/// The budget of a table on one device: up to 2^40 buckets and a fingerprint of 24 bits.
using TableHashBits = HashBitBudget<0, 0, 40, 24>;

namespace detail {

/// `bucket_of` for fewer than 2^32 buckets: two multiplications of 32-bit numbers.
///
/// With hash = h * 2^32 + l, the product is h * n * 2^32 + l * n; both terms below fit 64 bits and
/// what the inner shift drops cannot carry.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t bucket_of_narrow(
    std::uint64_t hash, std::uint32_t num_buckets) noexcept {
  const std::uint64_t buckets = num_buckets;
  const std::uint64_t upper = static_cast<std::uint32_t>(hash >> 32) * buckets;
  const std::uint64_t lower = static_cast<std::uint32_t>(hash) * buckets;
  return (upper + (lower >> 32)) >> 32;
}

/// `bucket_of` for any number of buckets.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t bucket_of_wide(
    std::uint64_t hash, std::uint64_t num_buckets) noexcept {
  __extension__ using Product = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Product>(hash) * num_buckets) >> 64);
}

}  // namespace detail

/// The bucket of a hash, below `num_buckets`: the high 64 bits of hash * num_buckets.
///
/// It grows with the hash, so the keys of a range of buckets are those of a range of hashes, and
/// splits the hashes evenly to within one. `num_buckets` must not be 0.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t bucket_of(
    std::uint64_t hash, std::uint64_t num_buckets) noexcept {
  if ((num_buckets >> 32) == 0) {
    return detail::bucket_of_narrow(hash, static_cast<std::uint32_t>(num_buckets));
  }
  return detail::bucket_of_wide(hash, num_buckets);
}

/// The bits of a hash that tables store beside a row to tell keys of one bucket apart.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t fingerprint_of(
    std::uint64_t hash) noexcept {
  return static_cast<std::uint32_t>(TableHashBits::tag_of(hash));
}

}  // namespace hashmill
