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

/// A side of a join in host memory: of each row a key, and its number, which is its payload.
struct NumberedKeys {
  const std::uint64_t* keys;
  const std::uint64_t* numbers;
  std::uint64_t rows;
};

/// A join whose memory is limited, as peers see it. The sides stay where they are while the peer's
/// operation lives.
struct BudgetedJoin {
  NumberedKeys left, right;
  int num_threads;        ///< as many as Hashmill uses
  std::uint64_t budget;   ///< bytes of memory
  std::string directory;  ///< where files may be made
  Tally expected;         ///< the joined rows, by `pair_weight`

  /// Rows of both sides, and their bytes.
  std::uint64_t rows() const { return left.rows + right.rows; }
  std::uint64_t bytes() const { return rows() * 2 * sizeof(std::uint64_t); }
};

/// What a joined row adds to the sum that each join ends in, modulo 2^64.
KOKKOS_FUNCTION constexpr std::uint64_t pair_weight(std::uint64_t left, std::uint64_t right) {
  return left * right;
}

/// Somebody else's join on a host within limited memory; see RegisteredPeer.
struct BudgetedJoinPeer {
  Algorithm algorithm;
  std::unique_ptr<Operation> (*make)(const BudgetedJoin& join);
};
using RegisteredBudgetedJoinPeer = RegisteredPeer<BudgetedJoinPeer>;

/// What the table of `--budget` shows.
extern const Workload budgeted_joins_workload;

/// The joins of `--budget`, in the order of the table.
std::span<const Algorithm> budgeted_join_algorithms();

/// Joins of 64-bit keys within limited memory, a suite for each execution space compiled in. They
/// make files in `directory`.
std::vector<std::unique_ptr<Suite>> make_budgeted_join_suites(const std::string& directory);

}  // namespace hashmill::perf
