#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace hashmill {

/// Where the ranks of a communicator run. Ranks of one machine are a node, and have a slot in it,
/// by their order.
class RankPlaces {
 public:
  RankPlaces() = default;
  /// From a number of each rank's machine, equal for ranks of one machine. Nodes are numbered in
  /// the order of their first ranks.
  explicit RankPlaces(std::span<const std::uint64_t> machines) {
    std::vector<std::uint64_t> known;
    for (const std::uint64_t machine : machines) {
      const auto found = std::find(known.begin(), known.end(), machine);
      const auto node = static_cast<std::size_t>(found - known.begin());
      if (found == known.end()) {
        known.push_back(machine);
        sizes_.push_back(0);
      }
      nodes_.push_back(static_cast<int>(node));
      slots_.push_back(sizes_[node]++);
    }
  }

  /// The number of nodes.
  [[nodiscard]] int num_nodes() const { return static_cast<int>(sizes_.size()); }
  /// The node of a rank, below `num_nodes()`.
  [[nodiscard]] int node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  /// The place of a rank among those of its node.
  [[nodiscard]] int slot(int rank) const { return slots_[static_cast<std::size_t>(rank)]; }
  /// Whether there are several nodes of as many ranks, at least two, that are numbered node by
  /// node.
  [[nodiscard]] bool are_equal_nodes() const {
    const auto ranks = static_cast<int>(nodes_.size());
    if (num_nodes() < 2 || sizes_.front() < 2) return false;
    for (int r = 0; r < ranks; ++r) {
      if (node(r) != r / sizes_.front() || slot(r) != r % sizes_.front()) return false;
    }
    return ranks == num_nodes() * sizes_.front();
  }
  /// The number of ranks of a node.
  [[nodiscard]] int node_size(int node) const { return sizes_[static_cast<std::size_t>(node)]; }

 private:
  std::vector<int> nodes_, slots_;  // of each rank
  std::vector<int> sizes_;          // of each node
};

}  // namespace hashmill
