#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace hashmill::perf {

/// How much memory an operation may take: so many bytes, or so many percent of those of its data.
struct MemoryLimit {
  double percent = 0;       ///< 0: `bytes` counts
  std::uint64_t bytes = 0;  ///< 0 too: there is no limit

  /// The bytes of a limit for data of so many bytes. There is at least one.
  std::uint64_t of(std::uint64_t data_bytes) const {
    const double share = percent / 100 * static_cast<double>(data_bytes);
    return std::max<std::uint64_t>(1, percent > 0 ? static_cast<std::uint64_t>(share) : bytes);
  }

  bool operator==(const MemoryLimit&) const = default;
};

/// "25%" or "512 MiB".
std::string to_string(const MemoryLimit& limit);

}  // namespace hashmill::perf
