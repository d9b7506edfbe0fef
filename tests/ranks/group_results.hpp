#pragma once

#include <gtest/gtest.h>

#include <hashmill/communicator.hpp>
#include <hashmill/distributed_group_by/options.hpp>
#include <hashmill/hash.hpp>
#include <map>
#include <vector>

#include "algorithms/group_by/batch_groups.hpp"

namespace hashmill::test {

// Results of group-bys over any ranks.

inline constexpr PreAggregation every_choice[] = {
    PreAggregation::automatic, PreAggregation::all_keys, PreAggregation::frequent_keys,
    PreAggregation::no_keys};

/// Keys of columns collide under it.
struct FourBitRowHash {
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return RowHash()(key) << 60;
  }
};

/// Expects each group of a map on exactly one rank. `keys` are those of this rank's groups.
template <class Key, class Group>
void expect_each_once(const Communicator& ranks, const std::vector<Key>& keys,
                      const std::map<Key, Group>& groups) {
  std::map<Key, std::size_t> numbers;
  for (const auto& [key, group] : groups) numbers.emplace(key, numbers.size());
  std::vector<std::uint64_t> owners(groups.size());
  for (const Key& key : keys) {
    const auto number = numbers.find(key);
    if (number == numbers.end()) {
      ADD_FAILURE() << "a group that no row has";
    } else {
      ++owners[number->second];
    }
  }
  ranks.all_reduce(owners, Reduction::sum);
  EXPECT_EQ(owners, std::vector<std::uint64_t>(groups.size(), 1));
}
/// Expects this rank's groups to be as expected, and those of all ranks to be all of them.
template <class Key>
void expect_groups(const Communicator& ranks, const std::vector<Key>& keys,
                   const std::vector<GroupSummary>& summaries,
                   const std::map<Key, GroupSummary>& expected) {
  expect_each_once(ranks, keys, expected);
  ASSERT_EQ(keys.size(), summaries.size());
  for (std::size_t g = 0; g < keys.size(); ++g) ASSERT_EQ(summaries[g], expected.at(keys[g]));
}

}  // namespace hashmill::test
