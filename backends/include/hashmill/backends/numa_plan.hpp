#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <hashmill/backends/streaming.hpp>
#include <hashmill/backends/topology.hpp>
#include <hashmill/error.hpp>
#include <string_view>

namespace hashmill::backends {

/// Where arrays of hosts with several NUMA nodes lie.
///
/// `off`: where the system puts them, which is next to the thread that touches a page first.
/// `local`: in contiguous slices, each next to the threads that will work on it; partitioning sorts
/// on each node first and exchanges runs between nodes once, which takes memory for its records
/// once more. For joins and builds by partitions; counts on bound threads (OMP_PROC_BIND=spread).
/// `interleaved`: page by page on all nodes in turn, so that no node's memory serves all threads.
/// For tables that every thread probes anywhere.
enum class NumaMode { off, local, interleaved };

inline constexpr std::array numa_modes{NumaMode::off, NumaMode::local, NumaMode::interleaved};

[[nodiscard]] constexpr const char* to_string(NumaMode mode) {
  return mode == NumaMode::off ? "off" : mode == NumaMode::local ? "local" : "interleaved";
}

/// The mode that `word` names. `origin` is what the word came from, such as an option. Throws
/// InvalidArgument naming the word and the modes.
[[nodiscard]] inline NumaMode parse_numa_mode(std::string_view word, std::string_view origin) {
  for (const NumaMode mode : numa_modes) {
    if (word == to_string(mode)) return mode;
  }
  throw InvalidArgument(std::string(origin) + "=" + std::string(word) +
                        " is no NUMA mode: use off, local or interleaved");
}

/// The mode that the environment variable HASHMILL_NUMA names, `off` without it. Throws as
/// `parse_numa_mode` does.
[[nodiscard]] inline NumaMode numa_mode_of_environment() {
  const char* const word = std::getenv("HASHMILL_NUMA");
  return word == nullptr || *word == '\0' ? NumaMode::off : parse_numa_mode(word, "HASHMILL_NUMA");
}

/// The most bits of the part number that one pass on a host may sort by: the cache line that each
/// part is collected in must fit half of a core's cache. At least 6, at most 12.
[[nodiscard]] constexpr unsigned host_pass_bits(std::uint64_t private_cache_bytes) {
  const std::uint64_t lines = private_cache_bytes / 2 / cache_line_bytes;
  return std::clamp(static_cast<unsigned>(std::bit_width(lines)), 7U, 13U) - 1;
}

/// Records that a tile of a host's pass holds at least, where there are as many for each thread.
inline constexpr std::uint64_t least_host_tile_records = std::uint64_t{1} << 16;

/// Records of a tile of a pass over `records` records on `threads` threads of a host: of at most
/// eight tiles a thread: as many in all as threads can take in equal rounds, and small enough that
/// few wait long for the last.
[[nodiscard]] constexpr std::uint64_t host_tile_records(std::uint64_t records,
                                                        std::uint64_t threads) {
  const std::uint64_t fair = records / std::max<std::uint64_t>(1, threads) + 1;
  return std::min(fair, std::max(least_host_tile_records, fair / 8 + 1));
}

/// The first of `count` elements that are of slice `i` of `slices` nearly equal ones, as a static
/// schedule shares them out; behind the last slice, `count`.
[[nodiscard]] constexpr std::uint64_t slice_begin(std::uint64_t i, std::uint64_t slices,
                                                  std::uint64_t count) {
  return count / slices * i + count % slices * i / slices;
}

/// Which threads, and so which slices of arrays and which bins, belong to which NUMA node.
///
/// Threads are shared out over the nodes in order and in proportion to the hardware threads of each
/// node, as OMP_PROC_BIND=spread (or close, with a thread on each) binds them; loops with a static
/// schedule then give node k's threads the k-th slice of any array. A plan is data: it can be made
/// for machines that are not there.
class NumaPlan {
 public:
  /// Everything on one node of one thread.
  NumaPlan() = default;

  /// Of `threads` threads (at least one counts) on `machine`.
  NumaPlan(const Topology& machine, NumaMode mode, unsigned threads)
      : mode_(mode), threads_(std::max(1U, threads)), first_thread_{0}, nodes_{} {
    const std::uint64_t all = std::max(1U, machine.num_threads());
    std::uint64_t before = 0;
    for (const NumaNode& node : machine.nodes) {
      before += node.threads.size();
      const auto end = static_cast<unsigned>((threads_ * before + all / 2) / all);
      // A node on which no thread works takes part in nothing.
      if (end == first_thread_.back()) continue;
      first_thread_.push_back(end);
      nodes_.push_back(node.index);
    }
    if (nodes_.empty()) nodes_.push_back(0);
    if (first_thread_.size() == 1) first_thread_.push_back(threads_);
    pass_bits_ = host_pass_bits(machine.private_cache_bytes());
  }

  [[nodiscard]] NumaMode mode() const { return mode_; }
  [[nodiscard]] unsigned num_threads() const { return threads_; }
  /// Nodes on which threads work; the k-th of them is `node(k)` to the operating system.
  [[nodiscard]] unsigned num_nodes() const { return static_cast<unsigned>(nodes_.size()); }
  [[nodiscard]] unsigned node(unsigned k) const { return nodes_[k]; }
  /// Bits of the part number that one pass sorts by at most.
  [[nodiscard]] unsigned pass_bits() const { return pass_bits_; }

  /// Whether arrays are placed at all: several nodes, and a mode that says how.
  [[nodiscard]] bool places() const { return num_nodes() > 1 && mode_ != NumaMode::off; }
  /// Whether partitioning sorts on each node first.
  [[nodiscard]] bool sorts_by_node() const { return num_nodes() > 1 && mode_ == NumaMode::local; }

  /// The first thread of the k-th node; behind the last, all threads.
  [[nodiscard]] unsigned first_thread(unsigned k) const { return first_thread_[k]; }

  /// The first of `count` elements or bins that belong to the k-th node; behind the last, `count`.
  /// In proportion to the threads of each node, as a static schedule shares them out.
  [[nodiscard]] std::uint64_t slice_begin(unsigned k, std::uint64_t count) const {
    return backends::slice_begin(first_thread_[k], threads_, count);
  }

  /// The node, as its place in the plan, that an element or bin belongs to.
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
