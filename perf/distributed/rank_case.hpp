#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "case/compare_case.hpp"

namespace hashmill::perf {

struct DistributedOptions;
struct RankOperation;

/// What an operation is run on.
struct RankCase {
  std::uint64_t bytes_per_rank = 0;  ///< that a rank sends, to itself too; of an exchange
  std::uint64_t seed = 1;            ///< of their contents
  DataAxes keys = {};                ///< of all ranks together, with as many queries; of TPC-H,
                                     ///< whose lines are the queries, the orders alone
};

/// The keys of a case in words: "32-bit random, 8 times", "TPC-H". Empty for what has none.
std::string describe_keys(const RankOperation& operation, const DataAxes& keys);

/// The cases of an operation on so many ranks. Those of other numbers of ranks are as many, in the
/// same order. Throws `InvalidArgument` for what cannot be made, on all ranks alike.
std::vector<RankCase> rank_cases(const RankOperation& operation, const DistributedOptions& options,
                                 int num_ranks);

}  // namespace hashmill::perf
