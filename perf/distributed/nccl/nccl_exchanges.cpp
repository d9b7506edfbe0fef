#include <hashmill/backends/mpi_call.hpp>
#include <hashmill/nccl_communicator.hpp>
#include <memory>

#include "distributed/exchange_rows.hpp"
#include "distributed/own_transport.hpp"

namespace hashmill::perf {
namespace {

/// A communicator of NCCL as programs without us have it: its calls wait for other ranks.
class NcclRanks {
 public:
  explicit NcclRanks(MPI_Comm ranks) {
    int rank = 0, size = 0;
    MPI_Comm_rank(ranks, &rank);
    MPI_Comm_size(ranks, &size);
    ncclUniqueId id{};
    if (rank == 0) backends::require_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
    backends::require_mpi(MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, ranks), "MPI_Bcast");
    backends::require_nccl(ncclCommInitRank(&comm_, size, id, rank), "ncclCommInitRank");
  }
  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;
  ~NcclRanks() { static_cast<void>(ncclCommDestroy(comm_)); }

  ncclComm_t get() const { return comm_; }
  cudaStream_t stream() const { return stream_.get(); }

 private:
  ncclComm_t comm_ = nullptr;
  backends::CudaStream stream_;
};

/// All pieces in one group, as NCCL's manual exchanges all with all.
struct GroupedPieces {
  std::shared_ptr<const NcclRanks> ranks;
  void operator()(ExchangeArrays& arrays) const {
    const std::uint64_t words = arrays.piece_words();
    backends::require_nccl(ncclGroupStart(), "ncclGroupStart");
    for (int r = 0; r < arrays.num_ranks(); ++r) {
      backends::require_nccl(
          ncclSend(arrays.piece_to(r), words, ncclUint64, r, ranks->get(), ranks->stream()),
          "ncclSend");
      backends::require_nccl(
          ncclRecv(arrays.piece_from(r), words, ncclUint64, r, ranks->get(), ranks->stream()),
          "ncclRecv");
    }
    backends::require_nccl(ncclGroupEnd(), "ncclGroupEnd");
    backends::require_cuda(cudaStreamSynchronize(ranks->stream()), "cudaStreamSynchronize");
  }
};

OwnExchanges nccl_exchanges(MPI_Comm mpi) {
  const auto ranks = std::make_shared<const NcclRanks>(mpi);
  return [ranks](const std::shared_ptr<ExchangeArrays>& arrays) {
    std::vector<RankRow> rows;
    rows.push_back(exchange_row("ncclSend, ncclRecv", true, arrays, GroupedPieces{ranks}));
    return rows;
  };
}

std::unique_ptr<backends::Transport> make(MPI_Comm ranks, const CommunicationOptions& options) {
  return backends::make_nccl_transport(ranks, nullptr, options);
}

}  // namespace

OwnTransport nccl_transport() { return {"NCCL", make, nccl_exchanges}; }

}  // namespace hashmill::perf
