#include <hashmill/backends/mpi_transport.hpp>
#include <hashmill/error.hpp>
#include <limits>
#include <utility>

#include "distributed/exchange_rows.hpp"
#include "distributed/own_transport.hpp"

namespace hashmill::perf {
namespace {

int count(std::uint64_t words) { return static_cast<int>(words); }

/// Arrays as MPI reaches them: themselves, or copies of them on the host.
class ReachedArrays {
  using HostWords = Kokkos::View<std::uint64_t*, Kokkos::HostSpace>;

 public:
  explicit ReachedArrays(const ExchangeArrays& arrays)
      : has_copies_(backends::memory_kind<ExchangeArrays::Words::memory_space> ==
                        backends::MemoryKind::device &&
                    !backends::mpi_is_gpu_aware(GpuAware::automatic)),
        words_(arrays.piece_words()) {
    if (!has_copies_) return;
    out_ = HostWords("hashmill::perf::sent", arrays.out().extent(0));
    in_ = HostWords("hashmill::perf::received", arrays.in().extent(0));
  }
  bool has_copies() const { return has_copies_; }
  int piece_words() const { return count(words_); }
  const std::uint64_t* piece_to(const ExchangeArrays& arrays, int rank) const {
    return has_copies_ ? out_.data() + static_cast<std::uint64_t>(rank) * words_
                       : arrays.piece_to(rank);
  }
  std::uint64_t* piece_from(const ExchangeArrays& arrays, int rank) const {
    return has_copies_ ? in_.data() + static_cast<std::uint64_t>(rank) * words_
                       : arrays.piece_from(rank);
  }
  void fetch(const ExchangeArrays& arrays) const {
    if (has_copies_) Kokkos::deep_copy(out_, arrays.out());
  }
  void store(const ExchangeArrays& arrays) const {
    if (has_copies_) Kokkos::deep_copy(arrays.in(), in_);
  }

 private:
  bool has_copies_;
  std::uint64_t words_;
  HostWords out_, in_;
};

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

/// One collective call.
struct AllToAllV {
  MPI_Comm ranks;
  ReachedArrays reached;
  EqualPieces pieces;
  void operator()(ExchangeArrays& arrays) const {
    reached.fetch(arrays);
    backends::require_mpi(
        MPI_Alltoallv(reached.piece_to(arrays, 0), pieces.counts.data(), pieces.begins.data(),
                      MPI_UINT64_T, reached.piece_from(arrays, 0), pieces.counts.data(),
                      pieces.begins.data(), MPI_UINT64_T, ranks),
        "MPI_Alltoallv");
    reached.store(arrays);
  }
};

/// Messages of the program's own.
struct Messages {
  MPI_Comm ranks;
  ReachedArrays reached;
  void operator()(ExchangeArrays& arrays) const {
    const int words = reached.piece_words();
    std::vector<MPI_Request> requests(2 * static_cast<std::size_t>(arrays.num_ranks()));
    auto request = requests.data();
    reached.fetch(arrays);
    for (int r = 0; r < arrays.num_ranks(); ++r) {
      backends::require_mpi(
          MPI_Irecv(reached.piece_from(arrays, r), words, MPI_UINT64_T, r, 0, ranks, request++),
          "MPI_Irecv");
    }
    for (int r = 0; r < arrays.num_ranks(); ++r) {
      backends::require_mpi(
          MPI_Isend(reached.piece_to(arrays, r), words, MPI_UINT64_T, r, 0, ranks, request++),
          "MPI_Isend");
    }
    backends::require_mpi(MPI_Waitall(count(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
                          "MPI_Waitall");
    reached.store(arrays);
  }
};

/// Throws `InvalidArgument` where MPI cannot count the words.
std::vector<RankRow> mpi_rows(MPI_Comm ranks, const std::shared_ptr<ExchangeArrays>& arrays) {
  const std::uint64_t words =
      arrays->piece_words() * static_cast<std::uint64_t>(arrays->num_ranks());
  if (words > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
    throw InvalidArgument("MPI_Alltoallv cannot count " + std::to_string(words) +
                          " words; at most 2^34 - 8 bytes of a rank");
  }
  const ReachedArrays reached(*arrays);
  const std::string how = reached.has_copies() ? ", copied to hosts" : "";
  std::vector<RankRow> rows;
  rows.push_back(exchange_row("MPI_Alltoallv" + how, true, arrays,
                              AllToAllV{ranks, reached, EqualPieces(*arrays)}));
  rows.push_back(
      exchange_row("MPI_Isend, MPI_Irecv" + how, false, arrays, Messages{ranks, reached}));
  return rows;
}

OwnExchanges mpi_exchanges(MPI_Comm ranks) {
  return [ranks](const std::shared_ptr<ExchangeArrays>& arrays) { return mpi_rows(ranks, arrays); };
}

std::unique_ptr<backends::Transport> make(MPI_Comm ranks, const CommunicationOptions& options) {
  return std::make_unique<backends::MpiTransport>(ranks, options);
}

}  // namespace

OwnTransport mpi_transport() { return {"MPI", make, mpi_exchanges}; }

}  // namespace hashmill::perf
