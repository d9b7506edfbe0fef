#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "bit_permutation.hpp"

namespace hashmill::perf {

/// Bounded Zipf distribution: rank k in [1, n] with probability proportional to k^-exponent,
/// callable on the device.
///
/// Rejection-inversion, which needs no tables and fewer than 1.2 tries a draw.
/// Source: W. Hormann, G. Derflinger, "Rejection-inversion to generate variates from monotone
/// discrete distributions", ACM TOMACS 6(3), 1996.
class ZipfDistribution {
 public:
  /// `num_ranks` must be at least 1 and `exponent` positive.
  ZipfDistribution(std::uint64_t num_ranks, double exponent)
      : num_ranks_(num_ranks),
        exponent_(exponent),
        integral_first_(integral(1.5) - 1.0),
        integral_last_(integral(static_cast<double>(num_ranks) + 0.5)),
        shortcut_(2.0 - integral_inverse(integral(2.5) - density(2.0))) {}

  /// The rank that belongs to `seed`: equal seeds give equal ranks.
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t seed) const {
    for (;; ++seed) {
      seed = splitmix64(seed);
      const double uniform = static_cast<double>(seed >> 11) * 0x1.0p-53;
      const double area = integral_last_ + uniform * (integral_first_ - integral_last_);
      const double x = integral_inverse(area);
      const std::uint64_t rank = clamp_rank(x + 0.5);
      const auto rank_value = static_cast<double>(rank);
      if (rank_value - x <= shortcut_ || area >= integral(rank_value + 0.5) - density(rank_value))
        return rank;
    }
  }

 private:
  KOKKOS_FUNCTION std::uint64_t clamp_rank(double value) const {
    if (!(value >= 1.0)) return 1;
    return value >= static_cast<double>(num_ranks_) ? num_ranks_
                                                    : static_cast<std::uint64_t>(value);
  }

  KOKKOS_FUNCTION double density(double x) const {
    return Kokkos::exp(-exponent_ * Kokkos::log(x));
  }

  /// Antiderivative of the density: (x^(1-s) - 1) / (1-s), and log x at s = 1.
  KOKKOS_FUNCTION double integral(double x) const {
    const double log_x = Kokkos::log(x);
    return expm1_ratio((1.0 - exponent_) * log_x) * log_x;
  }

  KOKKOS_FUNCTION double integral_inverse(double y) const {
    double t = y * (1.0 - exponent_);
    if (t < -1.0) t = -1.0;
    return Kokkos::exp(log1p_ratio(t) * y);
  }

  /// (e^x - 1) / x, by its series near 0.
  KOKKOS_FUNCTION static double expm1_ratio(double x) {
    if (Kokkos::abs(x) > 1e-8) return Kokkos::expm1(x) / x;
    return 1.0 + x * 0.5 * (1.0 + x / 3.0 * (1.0 + 0.25 * x));
  }

  /// log(1 + x) / x, by its series near 0.
  KOKKOS_FUNCTION static double log1p_ratio(double x) {
    if (Kokkos::abs(x) > 1e-8) return Kokkos::log1p(x) / x;
    return 1.0 - x * (0.5 - x * (1.0 / 3.0 - 0.25 * x));
  }

  std::uint64_t num_ranks_;
  double exponent_;
  double integral_first_;
  double integral_last_;
  double shortcut_;
};

}  // namespace hashmill::perf
