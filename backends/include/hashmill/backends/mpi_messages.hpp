#pragma once

#include <mpi.h>

#include <algorithm>
#include <functional>
#include <hashmill/backends/mpi_call.hpp>
#include <hashmill/backends/transport.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hashmill::backends {

/// Calls `message(begin, bytes)` for each message of a piece: at least one, since a piece without
/// bytes is a message too.
template <class Message>
void for_each_message(std::uint64_t piece_bytes, std::uint64_t most_bytes, const Message& message) {
  std::uint64_t begin = 0;
  do {
    const std::uint64_t length = std::min(piece_bytes - begin, most_bytes);
    message(begin, static_cast<int>(length));
    begin += length;
  } while (begin < piece_bytes);
}

/// Throws `TransportFailure` where a call for a message of a rank failed.
inline void require_message(int code, int rank) {
  if (code != MPI_SUCCESS) throw TransportFailure(rank, mpi_error_text(code));
}

/// Throws `TransportFailure` unless a message that came has the expected number of bytes.
inline void require_bytes(const MPI_Status& status, int expected, int rank) {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (bytes == expected) return;
  throw TransportFailure(rank, "it sends " + std::to_string(bytes) + " bytes where " +
                                   std::to_string(expected) + " are expected");
}

/// The pieces of an exchange in memory that MPI reaches, all given to MPI at once.
class MpiMessages final : public Transfer {
 public:
  /// `others` keeps other transfers going, and is called by `test`; it may be empty.
  MpiMessages(std::shared_ptr<const void> owner, std::function<void()> others)
      : others_(std::move(others)), owner_(std::move(owner)) {}
  /// Gives all pieces to MPI, in messages of at most `most_bytes` bytes. Where it throws, MPI may
  /// still use what was given to it before.
  void begin(MPI_Comm communicator, int rank, const Exchange& exchange, std::uint64_t most_bytes) {
    // Messages that are expected are received in place, so receives come first.
    for (const Receive& piece : exchange.receives) {
      if (piece.rank == rank) continue;
      for_each_message(piece.bytes, most_bytes, [&](std::uint64_t begin, int bytes) {
        post(piece.rank, bytes,
             MPI_Irecv(piece.data + begin, bytes, MPI_BYTE, piece.rank, exchange.tag, communicator,
                       next_request()));
      });
    }
    num_receives_ = requests_.size();
    for (const Send& piece : exchange.sends) {
      if (piece.rank == rank) continue;
      for_each_message(piece.bytes, most_bytes, [&](std::uint64_t begin, int bytes) {
        post(piece.rank, bytes,
             MPI_Isend(piece.data + begin, bytes, MPI_BYTE, piece.rank, exchange.tag, communicator,
                       next_request()));
      });
    }
    done_.resize(requests_.size());
    statuses_.resize(requests_.size());
    copy_own_pieces(exchange, rank);
  }

  bool test() override {
    if (others_) others_();
    int count = 0;
    const int code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                  done_.data(), statuses_.data());
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {
      throw TransportFailure(-1, mpi_error_text(code));
    }
    if (count == MPI_UNDEFINED) return true;
    for (int i = 0; i < count; ++i) {
      const auto message = static_cast<std::size_t>(done_[i]);
      const Peer& peer = peers_[message];
      if (code != MPI_SUCCESS) require_message(statuses_[i].MPI_ERROR, peer.rank);
      if (message < num_receives_) require_bytes(statuses_[i], peer.bytes, peer.rank);
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
  [[nodiscard]] MPI_Request* next_request() {
    requests_.push_back(MPI_REQUEST_NULL);
    return &requests_.back();
  }
  void post(int rank, int bytes, int code) {
    peers_.push_back({rank, bytes});
    require_message(code, rank);
  }

  std::vector<MPI_Request> requests_;  // receives, then sends; null once they are done
  std::vector<Peer> peers_;            // of each request
  std::size_t num_receives_ = 0, num_done_ = 0;
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
  std::function<void()> others_;
  std::shared_ptr<const void> owner_;
};

}  // namespace hashmill::backends
