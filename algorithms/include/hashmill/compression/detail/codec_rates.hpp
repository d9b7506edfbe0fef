#pragma once

#include <array>
#include <hashmill/backends/execution.hpp>
#include <hashmill/compression/detail/choose_scheme.hpp>
#include <limits>

namespace hashmill::detail {

/// Bytes of values that a codec takes or gives in a second.
struct CodecRate {
  double encode;
  double decode;
};

/// Whether there is a rate below which compression can pay, and what pays.
class CodecRates {
 public:
  /// Of all that `exec` runs on.
  template <class Exec>
  explicit CodecRates(const Exec& exec)
      : rates_(backends::has_wide_teams<Exec> ? device_rates : thread_rates),
        lanes_(backends::has_wide_teams<Exec> ? 1 : exec.concurrency()) {}

  /// The scheme that brings values to another rank soonest, of a sample of their bytes, over a link
  /// of so many bytes a second. It is raw unless a fifth of the time is saved, as launches and
  /// messages of sizes take time too:
  ///
  ///     seconds = frame bytes / link + value bytes / encode + value bytes / decode
  [[nodiscard]] CompressionScheme soonest(const SchemeBytes& bytes, double link) const {
    const auto values = static_cast<double>(bytes.front());
    std::size_t best = 0;
    double least = worth * values / link;
    for (std::size_t s = 1; s < bytes.size(); ++s) {
      const double seconds = static_cast<double>(bytes[s]) / link + seconds_per_byte(s) * values;
      if (seconds >= least) continue;
      least = seconds;
      best = s;
    }
    return compression_schemes[best];
  }
  /// The rate of a link above which nothing can be saved, whatever the values are.
  [[nodiscard]] double fastest_link() const {
    double least = std::numeric_limits<double>::max();
    for (std::size_t s = 1; s < rates_.size(); ++s) least = std::min(least, seconds_per_byte(s));
    return worth / least;
  }

 private:
  static constexpr double worth = 0.8;  // the share of the time that compression may take
  using Table = std::array<CodecRate, compression_schemes.size()>;
  static constexpr double giga = 1e9;
  /// One thread of a host, measured out of its caches.
  static constexpr Table thread_rates{{{10 * giga, 10 * giga},
                                       {6 * giga, 9 * giga},
                                       {5 * giga, 7 * giga},
                                       {3 * giga, 8 * giga},
                                       {3 * giga, 7 * giga},
                                       {2.5 * giga, 6.5 * giga}}};
  /// One H200, measured.
  static constexpr Table device_rates{{{340 * giga, 1570 * giga},
                                       {470 * giga, 1550 * giga},
                                       {470 * giga, 1100 * giga},
                                       {300 * giga, 1100 * giga},
                                       {290 * giga, 900 * giga},
                                       {220 * giga, 660 * giga}}};

  [[nodiscard]] double seconds_per_byte(std::size_t scheme) const {
    return (1 / rates_[scheme].encode + 1 / rates_[scheme].decode) / lanes_;
  }

  Table rates_;
  double lanes_;  // that work side by side
};

}  // namespace hashmill::detail
