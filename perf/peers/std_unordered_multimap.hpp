#pragma once

#include <cstdint>
#include <hashmill/row.hpp>
#include <unordered_map>

#include "host_entries.hpp"

namespace hashmill::perf {

/// Peer: std::unordered_multimap from key to row, one thread.
template <class Exec, class Key>
class StdUnorderedMultimap {
 public:
  static constexpr bool keeps_duplicates = true;
  static constexpr std::uint64_t bytes_a_key = 64;

  template <class Keys>
  StdUnorderedMultimap(const Exec& exec, const Keys& keys) {
    map_.reserve(keys.size());
    insert(exec, keys, 0);
  }

  /// Inserts keys whose rows are numbered from `first_row`.
  template <class Keys>
  void insert(const Exec&, const Keys& keys, std::uint64_t first_row) {
    for (std::uint64_t i = 0; i < keys.size(); ++i)
      map_.emplace(keys(i), static_cast<std::uint32_t>(first_row + i));
  }

  template <class Keys>
  void erase(const Exec&, const Keys& keys) {
    for (std::uint64_t i = 0; i < keys.size(); ++i) map_.erase(keys(i));
  }

  std::uint64_t size(const Exec&) const { return map_.size(); }

  template <class Keys, class Rows>
  void find(const Exec&, const Keys& queries, const Rows& rows) const {
    for (std::uint64_t i = 0; i < queries.size(); ++i) {
      const auto found = map_.find(queries(i));
      rows(i) = found == map_.end() ? no_row<std::uint32_t> : found->second;
    }
  }

  template <class Keys, class Counts>
  void count(const Exec&, const Keys& queries, const Counts& counts) const {
    for (std::uint64_t i = 0; i < queries.size(); ++i) counts(i) = map_.count(queries(i));
  }

  template <class Keys>
  Tally tally_entries(const Exec&, const Keys& keys) const {
    return tally_host_entries<keeps_duplicates>(map_, keys);
  }

 private:
  std::unordered_multimap<Key, std::uint32_t, PeerHash<Key>> map_;
};

}  // namespace hashmill::perf
