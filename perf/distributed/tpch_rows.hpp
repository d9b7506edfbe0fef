#pragma once

#include "rank_row.hpp"

namespace hashmill::perf {

/// Joins TPC-H's `lineitem` with `orders`, on the default execution space. Its own source file, so
/// that it compiles beside the operations on keys.
std::vector<RankRow> tpch_rows(const Ranks& ranks, const RankCase& input);

}  // namespace hashmill::perf
