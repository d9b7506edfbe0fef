#pragma once

#include <cstdint>
#include <vector>

#include "machine/backend_info.hpp"

namespace hashmill::perf {

/// Sizes of a run that asks for none, ascending. Where one is to do, it is the first of a host and
/// the last of a GPU.
struct DefaultSizes {
  std::vector<std::uint64_t> host;
  std::vector<std::uint64_t> gpu;
};

// A host's first size ends within minutes on two cores and leaves their caches. A GPU's last fills
// it.
constexpr std::uint64_t small_size = std::uint64_t{1} << 22;
constexpr std::uint64_t device_size = std::uint64_t{1} << 27;

/// The numbers of keys or rows that a plan goes over: those that were asked for, or default ones,
/// of which each backend has its own.
class PlanSizes {
 public:
  /// `asked` is empty where nobody asks; then `one_a_backend` says whether one default is to do.
  PlanSizes(std::vector<std::uint64_t> asked, DefaultSizes defaults, bool one_a_backend,
            const std::vector<BackendInfo>& backends);

  /// Those of all backends.
  const std::vector<std::uint64_t>& all() const { return all_; }

  /// Whether nobody asked for them.
  bool are_default() const { return are_default_; }

  /// Whether a backend has this one.
  bool include(const BackendInfo& backend, std::uint64_t size) const;

 private:
  DefaultSizes defaults_;
  std::vector<std::uint64_t> all_;
  bool are_default_;
};

}  // namespace hashmill::perf
