#pragma once

#include <cstdlib>
#include <deque>
#include <hashmill/backends/transport.hpp>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace hashmill::backends {

/// Where ranks of one process meet. Who comes second, sender or receiver, copies the piece.
class ThreadMeeting {
 public:
  /// One side of a piece.
  struct Side {
    /// Waiting for the other side, copied, or of another number of bytes than the other side.
    enum class State { waiting, done, failed };
    int rank;  ///< the other one
    std::uint64_t bytes;
    int tag;
    MemoryKind memory;
    const std::byte* from;  ///< null at the receiver
    std::byte* to;          ///< null at the sender
    State state = State::waiting;
  };

  /// Of `size` ranks.
  explicit ThreadMeeting(int size)
      : waiting_(index(size) * index(size)), left_(index(size)), notices_(index(size)) {}

  /// The number of ranks.
  [[nodiscard]] int size() const { return static_cast<int>(left_.size()); }
  /// Matches a side with the first of the other one that waits for it, or lets it wait. It must
  /// stay where it is until it is done.
  void come(int rank, Side& mine) {
    const std::lock_guard lock(mutex_);
    const bool sends = mine.from != nullptr;
    auto& pair = waiting_[sends ? index(rank) * left_.size() + index(mine.rank)
                                : index(mine.rank) * left_.size() + index(rank)];
    for (auto found = pair.begin(); found != pair.end(); ++found) {
      Side& other = **found;
      if (other.tag != mine.tag || (other.from != nullptr) == sends) continue;
      const bool fits = other.bytes == mine.bytes;
      if (fits && sends) copy_bytes(mine.memory, other.to, mine.from, mine.bytes);
      if (fits && !sends) copy_bytes(mine.memory, mine.to, other.from, mine.bytes);
      mine.state = other.state = fits ? Side::State::done : Side::State::failed;
      pair.erase(found);
      return;
    }
    pair.push_back(&mine);
  }
  /// The state of a side.
  [[nodiscard]] Side::State state(const Side& side) {
    const std::lock_guard lock(mutex_);
    return side.state;
  }
  /// Notes that a rank ended.
  void leave(int rank) {
    const std::lock_guard lock(mutex_);
    left_[index(rank)] = true;
  }
  /// Whether a rank ended.
  [[nodiscard]] bool has_left(int rank) {
    const std::lock_guard lock(mutex_);
    return left_[index(rank)];
  }
  /// Tells all other ranks of a failure. A rank keeps the first that it is told of.
  void notify(const FailureNotice& notice) {
    const std::lock_guard lock(mutex_);
    for (std::size_t r = 0; r < notices_.size(); ++r) {
      if (r != index(notice.reporter)) notices_[r].push_back(notice);
    }
  }
  /// The next that a rank was told of.
  [[nodiscard]] std::optional<FailureNotice> notice(int rank) {
    const std::lock_guard lock(mutex_);
    auto& notices = notices_[index(rank)];
    if (notices.empty()) return {};
    const FailureNotice first = notices.front();
    notices.pop_front();
    return first;
  }
  /// Keeps a transfer as long as any rank is there, or for ever if no memory is left to note it.
  void keep(std::unique_ptr<Transfer> transfer) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      kept_.push_back(std::move(transfer));
    } catch (const std::bad_alloc&) {
      static_cast<void>(transfer.release());
    }
  }

 private:
  [[nodiscard]] static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  std::mutex mutex_;
  std::vector<std::deque<Side*>> waiting_;  // by sender, then receiver
  std::vector<bool> left_;
  std::vector<std::deque<FailureNotice>> notices_;  // to each rank
  std::vector<std::unique_ptr<Transfer>> kept_;
};

/// A rank that is a thread, for tests: the ranks share the memory and the devices of their process.
/// On a GPU each launches on an execution-space instance of its own, as Kokkos asks of threads.
class ThreadTransport final : public Transport {
 public:
  /// A rank of a meeting.
  ThreadTransport(std::shared_ptr<ThreadMeeting> meeting, int rank)
      : meeting_(std::move(meeting)), rank_(rank) {}
  ThreadTransport(const ThreadTransport&) = delete;
  ThreadTransport& operator=(const ThreadTransport&) = delete;
  ~ThreadTransport() override { meeting_->leave(rank_); }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return meeting_->size(); }
  [[nodiscard]] std::unique_ptr<Transfer> start(const Exchange& exchange) override {
    auto pieces = std::make_unique<Pieces>(*meeting_, exchange.owner);
    try {
      pieces->begin(rank_, exchange);
    } catch (...) {
      meeting_->keep(std::move(pieces));
      throw;
    }
    return pieces;
  }
  [[nodiscard]] bool has_left(int rank) const override { return meeting_->has_left(rank); }
  [[noreturn]] void abort(int code) override { std::exit(code); }
  void abandon(std::unique_ptr<Transfer> transfer) noexcept override {
    meeting_->keep(std::move(transfer));
  }
  void notify(const FailureNotice& notice) noexcept override { meeting_->notify(notice); }
  [[nodiscard]] std::optional<FailureNotice> notice() noexcept override {
    return meeting_->notice(rank_);
  }

 private:
  using Side = ThreadMeeting::Side;

  class Pieces final : public Transfer {
   public:
    Pieces(ThreadMeeting& meeting, std::shared_ptr<const void> owner)
        : meeting_(meeting), owner_(std::move(owner)) {}
    /// Where it throws, other ranks may still use what was begun.
    void begin(int rank, const Exchange& exchange) {
      copy_own_pieces(exchange, rank);
      static std::byte nothing;  // stands for arrays without bytes, which may be null
      for (const Receive& piece : exchange.receives) {
        if (piece.rank == rank) continue;
        std::byte* const to = piece.bytes != 0 ? piece.data : &nothing;
        sides_.push_back({piece.rank, piece.bytes, exchange.tag, exchange.memory, nullptr, to});
        meeting_.come(rank, sides_.back());
      }
      for (const Send& piece : exchange.sends) {
        if (piece.rank == rank) continue;
        const std::byte* const from = piece.bytes != 0 ? piece.data : &nothing;
        sides_.push_back({piece.rank, piece.bytes, exchange.tag, exchange.memory, from, nullptr});
        meeting_.come(rank, sides_.back());
      }
    }

    bool test() override {
      bool done = true;
      for (const Side& side : sides_) {
        const Side::State state = meeting_.state(side);
        if (state == Side::State::failed) {
          throw TransportFailure(side.rank, "it has another number of bytes than the " +
                                                std::to_string(side.bytes) + " of this rank");
        }
        done &= state == Side::State::done;
      }
      return done;
    }
    [[nodiscard]] std::vector<int> pending() const override {
      std::vector<int> ranks;
      for (const Side& side : sides_) {
        if (meeting_.state(side) != Side::State::done) ranks.push_back(side.rank);
      }
      return ranks;
    }

   private:
    ThreadMeeting& meeting_;
    std::deque<Side> sides_;  // a deque: the meeting has their addresses
    std::shared_ptr<const void> owner_;
  };

  std::shared_ptr<ThreadMeeting> meeting_;
  int rank_;
};

}  // namespace hashmill::backends
