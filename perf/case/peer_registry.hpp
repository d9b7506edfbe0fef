#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithm.hpp"

namespace hashmill::perf {

/// The row whose algorithm is called `name`, or nullptr. Rows have an `algorithm`, beside what
/// makes its operations.
template <class Row>
const Row* find_row(const std::vector<Row>& rows, std::string_view name) {
  const auto found =
      std::ranges::find_if(rows, [&](const Row& row) { return row.algorithm.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

/// The peers of one workload. A peer is a source file in peers/ with an object of this class at
/// namespace scope, which adds a row to the list; nothing else names it. `Peer` has an `algorithm`.
template <class Peer>
class RegisteredPeer {
 public:
  explicit RegisteredPeer(Peer peer) { list().push_back(std::move(peer)); }

  /// The peer called `name`, or nullptr.
  static const Peer* find(std::string_view name) { return find_row(list(), name); }

  /// The algorithms of `ours`, followed by those of the peers in alphabetical order: source files
  /// register in none.
  template <class Row>
  static std::vector<Algorithm> list_after(const std::vector<Row>& ours) {
    std::vector<Algorithm> all;
    for (const Row& row : ours) all.push_back(row.algorithm);
    const auto num_ours = static_cast<std::ptrdiff_t>(all.size());
    for (const Peer& peer : list()) all.push_back(peer.algorithm);
    std::ranges::sort(all.begin() + num_ours, all.end(), {}, &Algorithm::name);
    return all;
  }

 private:
  // A function's: sources are initialised in no order.
  static std::vector<Peer>& list() {
    static std::vector<Peer> peers;
    return peers;
  }
};

}  // namespace hashmill::perf
