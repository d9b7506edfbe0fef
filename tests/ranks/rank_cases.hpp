#pragma once

#include <hashmill/communicator.hpp>
#include <ostream>
#include <span>

namespace hashmill::test {

/// What holds for any ranks: a program that all of them run.
struct RankCase {
  const char* name;
  void (*run)(const Communicator&);

  friend void PrintTo(const RankCase& program, std::ostream* out) { *out << program.name; }
};

// Lists of cases, each compiled once for all test programs: for ranks that are threads, processes
// and parts of faked nodes.
std::span<const RankCase> shuffle_cases();
std::span<const RankCase> shuffle_column_cases();
std::span<const RankCase> shuffle_key_cases();
std::span<const RankCase> distributed_hash_graph_cases();
std::span<const RankCase> distributed_group_by_cases();
std::span<const RankCase> distributed_group_by_column_cases();
std::span<const RankCase> distributed_aggregation_cases();
std::span<const RankCase> distributed_join_cases();
std::span<const RankCase> distributed_join_operator_cases();
std::span<const RankCase> distributed_semi_join_cases();

/// Joins sides of this rank, whose right one has `rows` rows, that come in `batches` batches each.
/// Returns the joined rows of all ranks, combined to a number that does not depend on their order.
std::uint64_t join_in_batches(const Communicator& ranks, std::uint64_t rows, std::uint64_t batches);
/// The same sides, joined at once.
std::uint64_t join_at_once(const Communicator& ranks, std::uint64_t rows);

/// One of them, by which others see that the ranks can still talk.
void collects_and_distributes(const Communicator& ranks);

}  // namespace hashmill::test
