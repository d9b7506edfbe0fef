#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "answers/tally.hpp"
#include "case/algorithm.hpp"
#include "case/operation.hpp"
#include "case/peer_registry.hpp"
#include "case/suite.hpp"
#include "case/workload.hpp"

namespace hashmill::perf {

/// Rows in host memory whose group-by has limited memory, as peers see it. They stay where they are
/// while the peer's operation lives.
struct BudgetedGroupBy {
  const std::uint64_t* keys;
  const std::uint32_t* values;
  std::uint64_t rows;
  int num_threads;        ///< as many as Hashmill uses
  std::uint64_t budget;   ///< bytes of memory
  std::string directory;  ///< where files may be made
  Tally expected;         ///< the groups, by `group_sum_weight`

  static constexpr std::uint64_t bytes_of_row = sizeof(std::uint64_t) + sizeof(std::uint32_t);
  std::uint64_t bytes() const { return rows * bytes_of_row; }
};

/// What a group adds to the sum that each group-by ends in, modulo 2^64. No product has more than
/// 52 bits.
KOKKOS_FUNCTION constexpr std::uint64_t group_sum_weight(std::uint64_t key, std::uint64_t count,
                                                         std::uint64_t sum) {
  return (key & 0xffffffff) * ((sum + count) & 0xfffff);
}

/// Somebody else's group-by on a host within limited memory; see RegisteredPeer.
struct BudgetedGroupByPeer {
  Algorithm algorithm;
  std::unique_ptr<Operation> (*make)(const BudgetedGroupBy& rows);
};
using RegisteredBudgetedGroupByPeer = RegisteredPeer<BudgetedGroupByPeer>;

/// What the table of `group-by --budget` shows.
extern const Workload budgeted_group_bys_workload;

/// The group-bys of `--budget`, in the order of the table.
std::span<const Algorithm> budgeted_group_by_algorithms();

/// Sums and counts by 64-bit keys within limited memory, a suite for each execution space compiled
/// in. They make files in `directory`.
std::vector<std::unique_ptr<Suite>> make_budgeted_group_by_suites(const std::string& directory);

}  // namespace hashmill::perf
