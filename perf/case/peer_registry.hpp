#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithm_table.hpp"

namespace hashmill::perf {

/// The peers of one workload. A peer is a source file in peers/ with an object of this class at
/// namespace scope, which adds a row to the list; nothing else names it. `Peer` has an `algorithm`.
template <class Peer>
class RegisteredPeer {
 public:
  explicit RegisteredPeer(Peer peer) { list().push_back(std::move(peer)); }

  /// The peer called `name`, or nullptr.
  static const Peer* find(std::string_view name) {
    const auto found =
        std::ranges::find_if(list(), [&](const Peer& peer) { return peer.algorithm.name == name; });
    return found == list().end() ? nullptr : &*found;
  }

  /// `ours`, followed by the peers in alphabetical order: source files register in none.
  static std::vector<Algorithm> list_after(std::vector<Algorithm> ours) {
    const auto num_ours = static_cast<std::ptrdiff_t>(ours.size());
    for (const Peer& peer : list()) ours.push_back(peer.algorithm);
    std::ranges::sort(ours.begin() + num_ours, ours.end(), {}, &Algorithm::name);
    return ours;
  }

 private:
  // A function's: sources are initialised in no order.
  static std::vector<Peer>& list() {
    static std::vector<Peer> peers;
    return peers;
  }
};

}  // namespace hashmill::perf
