#pragma once

#include "distributed/exchange_rows.hpp"

namespace hashmill::perf {

/// What programs call MPI for, on MPI_COMM_WORLD: one collective call, and messages of their own.
/// Throws `InvalidArgument` where MPI cannot count the words.
std::vector<RankRow> mpi_exchanges(const std::shared_ptr<ExchangeArrays>& arrays);

}  // namespace hashmill::perf
