#pragma once

#include <hashmill/communicator.hpp>
#include <span>

namespace hashmill::test {

/// What holds for any ranks: a program that all of them run.
struct RankCase {
  const char* name;
  void (*run)(const Communicator&);
};

// Lists of cases, each compiled once for all test programs: for ranks that are threads, processes
// and parts of faked nodes.
std::span<const RankCase> shuffle_cases();
std::span<const RankCase> shuffle_column_cases();
std::span<const RankCase> shuffle_key_cases();
std::span<const RankCase> distributed_hash_graph_cases();
std::span<const RankCase> distributed_group_by_cases();
std::span<const RankCase> distributed_join_cases();
std::span<const RankCase> distributed_join_operator_cases();
std::span<const RankCase> distributed_semi_join_cases();

/// One of them, by which others see that the ranks can still talk.
void collects_and_distributes(const Communicator& ranks);

}  // namespace hashmill::test
