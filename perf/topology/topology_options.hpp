#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hashmill::perf {

/// What to show of which machine.
struct TopologyOptions {
  std::string machine;                     ///< hwloc's description of one; empty: this one
  std::string cpuset;                      ///< of the described machine; empty: all of it
  std::optional<unsigned> threads;         ///< none: those of Kokkos, or of the described machine
  std::optional<std::string> numa;         ///< none: what HASHMILL_NUMA says
  std::uint64_t num_records = 1ULL << 27;  ///< that the passes are planned for
  std::vector<std::string> kokkos_flags;   ///< --kokkos-…, for Kokkos
};

/// The command `topology`, for CLI11.
class TopologyCommand {
 public:
  /// Lets `app` take the options; this must outlive it.
  void add_to(CLI::App& app);

  /// What was asked for, once `app` has parsed; `rest` are the arguments that it does not know.
  /// Throws `InvalidArgument` with one line that says what is wrong.
  TopologyOptions finish(const std::vector<std::string>& rest) const;

 private:
  TopologyOptions options_;
};

}  // namespace hashmill::perf
