#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <hashmill/backends/slices.hpp>
#include <hashmill/backends/streaming.hpp>
#include <hashmill/backends/topology.hpp>
#include <hashmill/error.hpp>
#include <string_view>

namespace hashmill::backends {

/// How arrays lie on hosts with several NUMA nodes.
///
///     | mode        | pages lie                              | for                              |
///     |-------------|----------------------------------------|----------------------------------|
///     | off         | where the system puts them: next to    | the default                      |
///     |             | the thread that touches them first     |                                  |
///     | local       | in contiguous slices, each next to the | joins and builds by partitions   |
///     |             | threads that will work on it           |                                  |
///     | interleaved | on all nodes in turn, so that no       | tables that every thread probes  |
///     |             | node's memory serves all threads       | anywhere                         |
///
/// In `local` mode partitioning sorts on each node first and then exchanges runs between nodes
/// once, which needs memory for the records a second time. It requires bound threads
/// (OMP_PROC_BIND=spread).
enum class NumaMode { off, local, interleaved };

/// All modes.
inline constexpr std::array numa_modes{NumaMode::off, NumaMode::local, NumaMode::interleaved};

/// The word that names a mode; `parse_numa_mode` reads it.
[[nodiscard]] constexpr const char* to_string(NumaMode mode) {
  return mode == NumaMode::off ? "off" : mode == NumaMode::local ? "local" : "interleaved";
}

/// The mode that `word` names. `origin` is where the word came from, such as an option. Throws
/// InvalidArgument, which names the word and the modes.
[[nodiscard]] inline NumaMode parse_numa_mode(std::string_view word, std::string_view origin) {
  for (const NumaMode mode : numa_modes) {
    if (word == to_string(mode)) return mode;
  }
  throw InvalidArgument(std::string(origin) + "=" + std::string(word) +
                        " is no NUMA mode: use off, local or interleaved");
}

/// The mode that the environment variable HASHMILL_NUMA names; `off` without it. Throws as
/// `parse_numa_mode` does.
[[nodiscard]] inline NumaMode numa_mode_of_environment() {
  const char* const word = std::getenv("HASHMILL_NUMA");
  return word == nullptr || *word == '\0' ? NumaMode::off : parse_numa_mode(word, "HASHMILL_NUMA");
}

/// The most bits of the part number by which one pass on a host may sort. The pass collects each
/// part in a cache line, and these lines must fit half of a core's cache. At least 6, at most 12.
[[nodiscard]] constexpr unsigned host_pass_bits(std::uint64_t private_cache_bytes) {
  const std::uint64_t lines = private_cache_bytes / 2 / cache_line_bytes;
  return std::clamp(static_cast<unsigned>(std::bit_width(lines)), 7U, 13U) - 1;
}

/// The fewest records of a tile of a host's pass, where every thread has that many.
inline constexpr std::uint64_t least_host_tile_records = std::uint64_t{1} << 16;

/// Records per tile of a pass over `records` records on `threads` threads of a host:
///
///     | a thread's share of the records       | tile                          | tiles per thread |
///     |---------------------------------------|-------------------------------|------------------|
///     | up to `least_host_tile_records`       | the share                     | 1                |
///     | up to eight times that                | `least_host_tile_records`     | 1 to 8           |
///     | above                                 | an eighth of the share        | 8                |
///
/// Threads take eighths in equal rounds, and few wait long for the last.
[[nodiscard]] constexpr std::uint64_t host_tile_records(std::uint64_t records,
                                                        std::uint64_t threads) {
  const std::uint64_t fair = records / std::max<std::uint64_t>(1, threads) + 1;
  return std::min(fair, std::max(least_host_tile_records, fair / 8 + 1));
}

/// Which threads belong to which NUMA node, and with them which slices of arrays and which bins.
///
/// Threads are divided over the nodes in order, in proportion to the hardware threads of each node.
/// That is how OMP_PROC_BIND=spread binds them, and close with one thread per hardware thread.
/// Loops with a static schedule then give node k's threads the k-th slice of any array. A plan is
/// plain data, so it can be made for machines other than this one.
class NumaPlan {
 public:
  /// One node with one thread.
  NumaPlan() = default;

  /// For `threads` threads on `machine`; 0 counts as 1.
  NumaPlan(const Topology& machine, NumaMode mode, unsigned threads)
      : mode_(mode), threads_(std::max(1U, threads)), first_thread_{0} {
    nodes_.clear();
    const std::uint64_t all = std::max(1U, machine.num_threads());
    std::uint64_t before = 0;
    for (const NumaNode& node : machine.nodes) {
      before += node.threads.size();
      const auto end = static_cast<unsigned>((threads_ * before + all / 2) / all);
      // A node on which no thread works takes no part.
      if (end == first_thread_.back()) continue;
      first_thread_.push_back(end);
      nodes_.push_back(node.index);
    }
    if (nodes_.empty()) nodes_.push_back(0);
    if (first_thread_.size() == 1) first_thread_.push_back(threads_);
    pass_bits_ = host_pass_bits(machine.private_cache_bytes());
  }

  /// How arrays are placed on several nodes.
  [[nodiscard]] NumaMode mode() const { return mode_; }
  /// Threads that the plan is for, at least 1.
  [[nodiscard]] unsigned num_threads() const { return threads_; }
  /// Nodes on which threads work. `node(k)` is the operating system's number of the k-th.
  [[nodiscard]] unsigned num_nodes() const { return static_cast<unsigned>(nodes_.size()); }
  /// The number that the operating system gives the k-th node.
  [[nodiscard]] unsigned node(unsigned k) const { return nodes_[k]; }
  /// The most bits of the part number by which one pass sorts.
  [[nodiscard]] unsigned pass_bits() const { return pass_bits_; }

  /// Whether arrays are placed at all: there are several nodes, and the mode is not `off`.
  [[nodiscard]] bool places() const { return num_nodes() > 1 && mode_ != NumaMode::off; }
  /// Whether partitioning sorts on each node first.
  [[nodiscard]] bool sorts_by_node() const { return num_nodes() > 1 && mode_ == NumaMode::local; }

  /// The first thread of the k-th node; for k = `num_nodes()`, the number of threads.
  [[nodiscard]] unsigned first_thread(unsigned k) const { return first_thread_[k]; }

  /// The first of `count` elements or bins that belong to the k-th node; for k = `num_nodes()`,
  /// `count`. In proportion to the threads of each node, divided as a static schedule does.
  [[nodiscard]] std::uint64_t slice_begin(unsigned k, std::uint64_t count) const {
    return backends::slice_begin(first_thread_[k], threads_, count);
  }

  /// The index in the plan of the node to which an element or bin belongs.
  [[nodiscard]] unsigned owner(std::uint64_t element, std::uint64_t count) const {
    unsigned k = 0;
    while (k + 1 < num_nodes() && slice_begin(k + 1, count) <= element) ++k;
    return k;
  }

 private:
  NumaMode mode_ = NumaMode::off;
  unsigned threads_ = 1;
  std::vector<unsigned> first_thread_{0, 1};
  std::vector<unsigned> nodes_{0};
  unsigned pass_bits_ = 12;
};

}  // namespace hashmill::backends
