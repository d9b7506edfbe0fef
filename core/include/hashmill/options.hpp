#pragma once

#include <Kokkos_Macros.hpp>
#include <charconv>
#include <cstdint>
#include <hashmill/detail/floating_bits.hpp>
#include <hashmill/error.hpp>
#include <limits>
#include <string>
#include <string_view>

namespace hashmill {

/// Selects one of 2^64 variants of a hash function.
class Seed {
 public:
  /// Every value is a seed.
  KOKKOS_INLINE_FUNCTION constexpr explicit Seed(std::uint64_t value) noexcept : value_(value) {}
  /// The seed as a number.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr std::uint64_t value() const noexcept {
    return value_;
  }
  friend constexpr bool operator==(const Seed&, const Seed&) = default;

 private:
  std::uint64_t value_;
};

namespace detail {

struct PartCountLimits {
  static constexpr std::string_view name = "part count";
  static constexpr std::uint64_t largest = std::uint64_t{1} << 31;
};
struct BinCountLimits {
  static constexpr std::string_view name = "bin count";
  static constexpr std::uint64_t largest = std::uint64_t{1} << 31;
};
struct BucketCountLimits {
  static constexpr std::string_view name = "bucket count";
  static constexpr std::uint64_t largest = std::uint64_t{1} << 40;
};

/// A count from 1 to `Limits::largest`; each `Limits` makes a type of its own.
template <class Limits>
class BoundedCount {
 public:
  static constexpr std::uint64_t largest = Limits::largest;

  /// Throws InvalidArgument, which names the value and the limits, if `value` is 0 or above
  /// `largest`.
  constexpr explicit BoundedCount(std::uint64_t value) : value_(value) {
    if (value == 0 || value > largest) {
      throw InvalidArgument(std::string(Limits::name) + " " + std::to_string(value) +
                            " is not in [1, " + std::to_string(largest) + "]");
    }
  }
  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }
  friend constexpr bool operator==(const BoundedCount&, const BoundedCount&) = default;

 private:
  std::uint64_t value_;
};

/// The shortest decimal that reads back as `value`.
inline std::string shortest_decimal(double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  return {digits, end};
}

}  // namespace detail

/// Parts of a partition: 1 to 2^31.
using PartCount = detail::BoundedCount<detail::PartCountLimits>;
/// Bins of buckets that a build partitions its keys into: 1 to 2^31.
using BinCount = detail::BoundedCount<detail::BinCountLimits>;
/// Buckets of a table: 1 to 2^40.
using BucketCount = detail::BoundedCount<detail::BucketCountLimits>;

namespace detail {

/// Buckets for `entries` entries, `per_bucket` to each on average: the quotient, rounded up, at
/// least 1. Throws CapacityError, which names the values and the limit, if that is above
/// `BucketCount::largest`.
[[nodiscard]] constexpr BucketCount buckets_for(std::uint64_t entries, double per_bucket) {
  if (entries == 0) return BucketCount(1);
  const double quotient = static_cast<double>(entries) / per_bucket;
  constexpr std::uint64_t limit = BucketCount::largest;
  if (quotient > static_cast<double>(limit)) {
    constexpr double two_to_64 = 18446744073709551616.0;
    const std::uint64_t needed =
        quotient < two_to_64 ? static_cast<std::uint64_t>(quotient) : ~std::uint64_t{0};
    throw CapacityError("buckets: " + std::to_string(entries) + " entries, " +
                            shortest_decimal(per_bucket) + " per bucket, exceed the limit of " +
                            std::to_string(limit) + " buckets",
                        needed, limit);
  }
  const auto whole = static_cast<std::uint64_t>(quotient);
  const std::uint64_t rounded = whole + (static_cast<double>(whole) < quotient ? 1 : 0);
  return BucketCount(rounded == 0 ? 1 : rounded);
}

/// Throws InvalidArgument, which names the value and the limits, unless 0 < `value` <= `largest`.
constexpr void check_positive(const char* name, double value, double largest) {
  constexpr double above_zero = std::numeric_limits<double>::denorm_min();
  if (is_within(value, above_zero, largest)) return;
  throw InvalidArgument(std::string(name) + " " + shortest_decimal(value) + " is not in (0, " +
                        shortest_decimal(largest) + "]");
}

}  // namespace detail

/// Average number of rows per bucket, of tables whose buckets take any number of rows. They are
/// tuned for 0.25 to 16.
class RowsPerBucket {
 public:
  /// The largest average.
  static constexpr double largest = 1024;

  /// Throws InvalidArgument, which names the value and the limits, unless 0 < `value` <= 1024.
  constexpr explicit RowsPerBucket(double value) : value_(value) {
    detail::check_positive("rows per bucket", value, largest);
  }
  /// The average as a number.
  [[nodiscard]] constexpr double value() const noexcept { return value_; }
  friend constexpr bool operator==(const RowsPerBucket&, const RowsPerBucket&) = default;

  /// Buckets for `rows` rows: the quotient, rounded up, at least 1. Throws CapacityError, which
  /// names the values and the limit, if that is above `BucketCount::largest`.
  [[nodiscard]] constexpr BucketCount buckets_for(std::uint64_t rows) const {
    return detail::buckets_for(rows, value_);
  }

 private:
  double value_;
};

/// Share of slots in use, of tables with a fixed number of slots per bucket. Each table has a limit
/// of its own below 1.
class LoadFactor {
 public:
  /// The largest load factor.
  static constexpr double largest = 1;

  /// Throws InvalidArgument, which names the value and the limits, unless 0 < `value` <= 1.
  constexpr explicit LoadFactor(double value) : value_(value) {
    detail::check_positive("load factor", value, largest);
  }
  /// The load factor as a number.
  [[nodiscard]] constexpr double value() const noexcept { return value_; }
  friend constexpr bool operator==(const LoadFactor&, const LoadFactor&) = default;

  /// Buckets of `slots` slots each for `entries` entries: rounded up, at least 1. Throws
  /// CapacityError, which names the values and the limit, if that is above `BucketCount::largest`.
  [[nodiscard]] constexpr BucketCount buckets_for(std::uint64_t entries,
                                                  std::uint64_t slots) const {
    return detail::buckets_for(entries, value_ * static_cast<double>(slots));
  }

 private:
  double value_;
};

}  // namespace hashmill
