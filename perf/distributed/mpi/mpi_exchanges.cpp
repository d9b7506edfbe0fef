#include "mpi_exchanges.hpp"

#include <mpi.h>

#include <hashmill/backends/mpi_transport.hpp>
#include <hashmill/error.hpp>
#include <limits>

namespace hashmill::perf {
namespace {

int count(std::uint64_t words) { return static_cast<int>(words); }

/// The counts and places of equal pieces, as MPI takes them.
struct EqualPieces {
  explicit EqualPieces(const ExchangeArrays& arrays) {
    for (int r = 0; r < arrays.num_ranks(); ++r) {
      counts.push_back(count(arrays.piece_words()));
      begins.push_back(r * count(arrays.piece_words()));
    }
  }
  std::vector<int> counts, begins;
};

void all_to_all_v(const EqualPieces& pieces, ExchangeArrays& arrays) {
  backends::require_mpi(
      MPI_Alltoallv(arrays.piece_to(0), pieces.counts.data(), pieces.begins.data(), MPI_UINT64_T,
                    arrays.piece_from(0), pieces.counts.data(), pieces.begins.data(), MPI_UINT64_T,
                    MPI_COMM_WORLD),
      "MPI_Alltoallv");
}

void messages(ExchangeArrays& arrays) {
  const int words = count(arrays.piece_words());
  std::vector<MPI_Request> requests(2 * static_cast<std::size_t>(arrays.num_ranks()));
  auto request = requests.data();
  for (int r = 0; r < arrays.num_ranks(); ++r) {
    backends::require_mpi(
        MPI_Irecv(arrays.piece_from(r), words, MPI_UINT64_T, r, 0, MPI_COMM_WORLD, request++),
        "MPI_Irecv");
  }
  for (int r = 0; r < arrays.num_ranks(); ++r) {
    backends::require_mpi(
        MPI_Isend(arrays.piece_to(r), words, MPI_UINT64_T, r, 0, MPI_COMM_WORLD, request++),
        "MPI_Isend");
  }
  backends::require_mpi(MPI_Waitall(count(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
                        "MPI_Waitall");
}

}  // namespace

std::vector<RankRow> mpi_exchanges(const std::shared_ptr<ExchangeArrays>& arrays) {
  const std::uint64_t words =
      arrays->piece_words() * static_cast<std::uint64_t>(arrays->num_ranks());
  if (words > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
    throw InvalidArgument("--bytes-per-rank: MPI_Alltoallv cannot count " + std::to_string(words) +
                          " words; at most 2^34 - 8 bytes");
  }
  std::vector<RankRow> rows;
  rows.push_back(exchange_row(
      "MPI_Alltoallv", true, arrays,
      [pieces = EqualPieces(*arrays)](ExchangeArrays& all) { all_to_all_v(pieces, all); }));
  rows.push_back(exchange_row("MPI_Isend, MPI_Irecv", false, arrays, messages));
  return rows;
}

}  // namespace hashmill::perf
