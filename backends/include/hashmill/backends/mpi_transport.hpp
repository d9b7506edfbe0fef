#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <hashmill/backends/transport.hpp>
#include <hashmill/error.hpp>
#include <string>
#include <utility>

namespace hashmill::backends {

/// The text of an MPI error code.
[[nodiscard]] inline std::string mpi_error_text(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return std::to_string(code);
  return {text, static_cast<std::size_t>(length)};
}

/// Throws `BackendError` where a call of MPI failed.
inline void require_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  throw BackendError(std::string("mpi: ") + call + " failed: " + mpi_error_text(code));
}

/// Ranks of MPI. The caller's communicator stays the caller's: this one talks through a duplicate,
/// whose errors are returned and never end the program.
class MpiTransport final : public Transport {
 public:
  /// Throws InvalidArgument where MPI cannot be used, or not by programs with threads. Collective.
  explicit MpiTransport(MPI_Comm communicator) {
    require_usable(communicator);
    require_mpi(MPI_Comm_dup(communicator, &communicator_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;
  ~MpiTransport() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0 && !abandoned_) MPI_Comm_free(&communicator_);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] std::unique_ptr<Transfer> start(const Exchange& exchange) override {
    return std::make_unique<Messages>(communicator_, rank_, exchange);
  }
  [[noreturn]] void abort(int code) override {
    MPI_Abort(communicator_, code);
    std::abort();
  }
  /// MPI may still touch the arrays of a transfer that failed, so they are never freed.
  void abandon(std::unique_ptr<Transfer> transfer) noexcept override {
    abandoned_ = true;
    static_cast<void>(transfer.release());
  }

 private:
  /// Counts of MPI's calls are ints.
  static constexpr std::uint64_t max_message_bytes = std::uint64_t{1} << 30;

  static void require_usable(MPI_Comm communicator) {
    int initialized = 0, finalized = 0, threads = MPI_THREAD_SINGLE;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized == 0) throw InvalidArgument("mpi: call MPI_Init_thread first");
    if (finalized != 0) throw InvalidArgument("mpi: MPI_Finalize was called before");
    if (communicator == MPI_COMM_NULL) throw InvalidArgument("mpi: MPI_COMM_NULL has no ranks");
    MPI_Query_thread(&threads);
    if (threads < MPI_THREAD_FUNNELED) {
      throw InvalidArgument(
          "mpi: it was initialized for programs without threads; call MPI_Init_thread and ask for "
          "MPI_THREAD_FUNNELED or more");
    }
    int between_groups = 0;
    require_mpi(MPI_Comm_test_inter(communicator, &between_groups), "MPI_Comm_test_inter");
    if (between_groups != 0) throw InvalidArgument("mpi: an intercommunicator is not supported");
  }

  /// The pieces of an exchange, each as one message or, where it is long, as several.
  class Messages final : public Transfer {
   public:
    Messages(MPI_Comm communicator, int rank, const Exchange& exchange) : owner_(exchange.owner) {
      // Messages that are expected are received in place, so receives come first.
      for (const Receive& piece : exchange.receives) {
        if (piece.rank == rank) continue;
        for_each_message(piece.bytes, [&](std::uint64_t begin, int bytes) {
          post(piece.rank, bytes,
               MPI_Irecv(piece.data + begin, bytes, MPI_BYTE, piece.rank, exchange.tag,
                         communicator, next_request()));
        });
      }
      num_receives_ = requests_.size();
      for (const Send& piece : exchange.sends) {
        if (piece.rank == rank) continue;
        for_each_message(piece.bytes, [&](std::uint64_t begin, int bytes) {
          post(piece.rank, bytes,
               MPI_Isend(piece.data + begin, bytes, MPI_BYTE, piece.rank, exchange.tag,
                         communicator, next_request()));
        });
      }
      done_.resize(requests_.size());
      statuses_.resize(requests_.size());
      copy_own_pieces(exchange, rank);
    }

    bool test() override {
      int count = 0;
      const int code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                    done_.data(), statuses_.data());
      if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {
        throw TransportFailure(-1, mpi_error_text(code));
      }
      if (count == MPI_UNDEFINED) return true;
      for (int i = 0; i < count; ++i) {
        const auto message = static_cast<std::size_t>(done_[i]);
        check(message, code == MPI_SUCCESS ? MPI_SUCCESS : statuses_[i].MPI_ERROR, statuses_[i]);
        ++num_done_;
      }
      return num_done_ == requests_.size();
    }
    [[nodiscard]] std::vector<int> pending() const override {
      std::vector<int> ranks;
      for (std::size_t i = 0; i < requests_.size(); ++i) {
        if (requests_[i] != MPI_REQUEST_NULL) ranks.push_back(peers_[i].rank);
      }
      return ranks;
    }

   private:
    struct Peer {
      int rank, bytes;
    };
    template <class Post>
    static void for_each_message(std::uint64_t bytes, const Post& post) {
      std::uint64_t begin = 0;
      do {  // a piece without bytes is a message too
        const std::uint64_t length = std::min(bytes - begin, max_message_bytes);
        post(begin, static_cast<int>(length));
        begin += length;
      } while (begin < bytes);
    }
    [[nodiscard]] MPI_Request* next_request() {
      requests_.push_back(MPI_REQUEST_NULL);
      return &requests_.back();
    }
    void post(int rank, int bytes, int code) {
      peers_.push_back({rank, bytes});
      if (code != MPI_SUCCESS) throw TransportFailure(rank, mpi_error_text(code));
    }
    void check(std::size_t message, int code, const MPI_Status& status) const {
      const Peer& peer = peers_[message];
      if (code != MPI_SUCCESS) throw TransportFailure(peer.rank, mpi_error_text(code));
      if (message >= num_receives_) return;
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      if (bytes == peer.bytes) return;
      throw TransportFailure(peer.rank, "it sends " + std::to_string(bytes) + " bytes where " +
                                            std::to_string(peer.bytes) + " are expected");
    }

    std::vector<MPI_Request> requests_;  // receives, then sends; null once they are done
    std::vector<Peer> peers_;            // of each request
    std::size_t num_receives_ = 0, num_done_ = 0;
    std::vector<int> done_;
    std::vector<MPI_Status> statuses_;
    std::shared_ptr<const void> owner_;
  };

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0;
  bool abandoned_ = false;
};

}  // namespace hashmill::backends
