#pragma once

#include <mpi.h>

#include <algorithm>
#include <deque>
#include <hashmill/backends/mpi_messages.hpp>
#include <hashmill/backends/staging.hpp>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace hashmill::backends {

/// What transfers of a transport share where device memory goes through the host.
///
/// MPI matches messages of a pair of ranks and a tag in the order in which they are given to it.
/// Messages wait for room in a ring, so those of a later exchange must wait for them: all stand in
/// lines, one for each direction, rank and tag.
class MpiStaging {
 public:
  /// A transfer that must be kept going.
  class Staged {
   public:
    virtual ~Staged() = default;
    /// Does what can be done without waiting. Throws nothing.
    virtual void advance() noexcept = 0;
  };
  /// A place in a line.
  struct Turn {
    std::uint64_t* line;  // how many of its messages were given to MPI
    std::uint64_t number;
    /// Whether all before it were given to MPI.
    [[nodiscard]] bool has_come() const { return *line == number; }
  };

  /// Each exchange under way has `bytes` bytes of pinned memory.
  explicit MpiStaging(std::uint64_t bytes) : bytes_(bytes) {}

  /// The longest message for such buffers: two in each direction fit.
  [[nodiscard]] static std::uint64_t most_message_bytes(std::uint64_t staging_bytes) {
    return staging_bytes / 1024 * 256;
  }
  /// Whether any message waits to be given to MPI.
  [[nodiscard]] bool has_waiting() const { return num_waiting_ != 0; }
  /// Puts a message in its line.
  [[nodiscard]] Turn queue(bool is_send, int rank, int tag) {
    Line& line = lines_[{is_send, rank, tag}];
    ++num_waiting_;
    return {&line.given, line.queued++};
  }
  /// Notes that a message was given to MPI.
  void pass(const Turn& turn) {
    ++*turn.line;
    --num_waiting_;
  }

  /// Buffers that are not in use. Throws CapacityError.
  [[nodiscard]] std::unique_ptr<StagingBuffers> take_buffers() {
    if (unused_.empty()) return std::make_unique<StagingBuffers>(bytes_);
    std::unique_ptr<StagingBuffers> buffers = std::move(unused_.back());
    unused_.pop_back();
    return buffers;
  }
  /// Takes them back.
  void give_back(std::unique_ptr<StagingBuffers> buffers) { unused_.push_back(std::move(buffers)); }

  /// Begins to keep a transfer going.
  void add(Staged& transfer) { active_.push_back(&transfer); }
  /// Leaves a transfer alone again.
  void remove(Staged& transfer) { std::erase(active_, &transfer); }
  /// Keeps all going. Whoever waits for one transfer calls it, since another rank may wait for
  /// another one.
  void advance() noexcept {
    for (Staged* transfer : active_) transfer->advance();
  }

 private:
  struct Line {
    std::uint64_t queued = 0, given = 0;
  };

  std::uint64_t bytes_, num_waiting_ = 0;
  std::map<std::tuple<bool, int, int>, Line> lines_;
  std::vector<std::unique_ptr<StagingBuffers>> unused_;
  std::vector<Staged*> active_;
};

/// The pieces of an exchange, of which MPI cannot reach device memory: that is sent from a ring of
/// pinned memory and received in another. Copies, sends and receives of different messages overlap.
/// Host memory is sent and received in place.
///
/// Messages take room in the order of the distance between their ranks, upwards from a rank to send
/// and downwards to receive. It is the same order on both sides, so of all messages that are not
/// done, the nearest has room on both: ranks cannot wait for each other in a circle.
class MpiStagedMessages final : public Transfer, private MpiStaging::Staged {
 public:
  /// Messages have at most `most_bytes` bytes.
  MpiStagedMessages(MPI_Comm communicator, int rank, int size, const Exchange& exchange,
                    std::uint64_t most_bytes, std::shared_ptr<MpiStaging> staging)
      : communicator_(communicator),
        tag_(exchange.tag),
        on_device_(exchange.memory == MemoryKind::device),
        staging_(std::move(staging)),
        owner_(exchange.owner) {
    if (on_device_) buffers_ = staging_->take_buffers();
    for_each_own_piece(exchange, rank, [&](const Receive& receive, const Send& send) {
      if (on_device_) {
        buffers_->out_copies.start(receive.data, send.data, receive.bytes);
      } else {
        copy_bytes(exchange.memory, receive.data, send.data, receive.bytes);
      }
    });
    if (on_device_) buffers_->out_copies.record(own_copied_);
    for (const Send& piece : exchange.sends) {
      if (piece.rank == rank) continue;
      for_each_message(piece.bytes, most_bytes, [&](std::uint64_t begin, int bytes) {
        sends_.emplace_back(piece.rank, bytes);
        sends_.back().from = piece.data + begin;
      });
    }
    for (const Receive& piece : exchange.receives) {
      if (piece.rank == rank) continue;
      for_each_message(piece.bytes, most_bytes, [&](std::uint64_t begin, int bytes) {
        receives_.emplace_back(piece.rank, bytes);
        receives_.back().to = piece.data + begin;
      });
    }
    const auto nearest = [&](int sign) {
      return [=](const Message& a, const Message& b) {
        return (sign * (a.rank - rank) + size) % size < (sign * (b.rank - rank) + size) % size;
      };
    };
    std::stable_sort(sends_.begin(), sends_.end(), nearest(1));
    std::stable_sort(receives_.begin(), receives_.end(), nearest(-1));
    for (Message& message : sends_) message.turn = staging_->queue(true, message.rank, tag_);
    for (Message& message : receives_) message.turn = staging_->queue(false, message.rank, tag_);
    staging_->add(*this);
    advance();
  }
  MpiStagedMessages(const MpiStagedMessages&) = delete;
  MpiStagedMessages& operator=(const MpiStagedMessages&) = delete;
  ~MpiStagedMessages() override {
    staging_->remove(*this);
    if (buffers_ != nullptr) staging_->give_back(std::move(buffers_));
  }

  bool test() override {
    staging_->advance();
    if (failure_) throw TransportFailure(*failure_);
    return first_send_ == sends_.size() && first_receive_ == receives_.size() &&
           own_copied_.reached();
  }
  [[nodiscard]] std::vector<int> pending() const override {
    std::vector<int> ranks;
    for (const auto* messages : {&receives_, &sends_}) {
      for (const Message& message : *messages) {
        if (message.state != State::done) ranks.push_back(message.rank);
      }
    }
    return ranks;
  }

 private:
  /// Waits for room or its turn; is copied to the ring; is with MPI; is copied from the ring.
  enum class State { waiting, leaving, with_mpi, landing, done };
  struct Message {
    Message(int its_rank, int its_bytes) : rank(its_rank), bytes(its_bytes) {}

    int rank, bytes;
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::byte* stretch = nullptr;  // of a ring
    State state = State::waiting;
    MPI_Request request = MPI_REQUEST_NULL;
    MpiStaging::Turn turn{};
    Event<DeviceCopies::Space> copied{};
  };

  void advance() noexcept override {
    if (failure_) return;
    int rank = -1;  // of the message that is looked at
    try {
      advance(receives_, first_receive_, rank, [&](Message& m) { return advance_receive(m); });
      advance(sends_, first_send_, rank, [&](Message& m) { return advance_send(m); });
    } catch (const TransportFailure& failure) {
      failure_ = failure;
    } catch (const std::exception& error) {
      failure_ = TransportFailure(rank, error.what());
    }
  }
  template <class Step>
  static void advance(std::vector<Message>& messages, std::size_t& first, int& rank,
                      const Step& step) {
    for (std::size_t i = first; i < messages.size(); ++i) {
      rank = messages[i].rank;
      // Those behind a message without room wait too: it must be the next that gets some.
      if (messages[i].state != State::done && !step(messages[i])) break;
      if (i == first && messages[i].state == State::done) ++first;
    }
  }

  [[nodiscard]] bool is_staged(const Message& message) const {
    return on_device_ && message.bytes != 0;
  }
  /// False where the message has no room.
  [[nodiscard]] bool take_room(StagingRing StagingBuffers::*ring, Message& message) const {
    if (!is_staged(message)) return true;
    message.stretch = (buffers_.get()->*ring).take(static_cast<std::uint64_t>(message.bytes));
    return message.stretch != nullptr;
  }
  [[nodiscard]] static bool still_with_mpi(Message& message, MPI_Status& status) {
    int done = 0;
    require_message(MPI_Test(&message.request, &done, &status), message.rank);
    return done == 0;
  }

  [[nodiscard]] bool advance_send(Message& message) {
    if (message.state == State::waiting) {
      if (!take_room(&StagingBuffers::out, message)) return false;
      if (is_staged(message)) {
        buffers_->out_copies.to_ring(message.stretch, message.from,
                                     static_cast<std::uint64_t>(message.bytes));
        buffers_->out_copies.record(message.copied);
      }
      message.state = State::leaving;
    }
    if (message.state == State::leaving && message.turn.has_come() && message.copied.reached()) {
      const std::byte* const from = message.stretch != nullptr ? message.stretch : message.from;
      const int code = MPI_Isend(from, message.bytes, MPI_BYTE, message.rank, tag_, communicator_,
                                 &message.request);
      hand_over(message, code);
    }
    if (message.state == State::with_mpi) {
      MPI_Status status;
      if (still_with_mpi(message, status)) return true;
      if (message.stretch != nullptr) buffers_->out.give_back(message.stretch);
      message.state = State::done;
    }
    return true;
  }

  /// Lets the next message of the line follow one that MPI has got.
  void hand_over(Message& message, int code) {
    staging_->pass(message.turn);
    message.state = State::with_mpi;
    require_message(code, message.rank);
  }

  [[nodiscard]] bool advance_receive(Message& message) {
    if (message.state == State::waiting) {
      if (!message.turn.has_come()) return !is_staged(message);
      if (!take_room(&StagingBuffers::in, message)) return false;
      std::byte* const to = message.stretch != nullptr ? message.stretch : message.to;
      const int code = MPI_Irecv(to, message.bytes, MPI_BYTE, message.rank, tag_, communicator_,
                                 &message.request);
      hand_over(message, code);
    }
    if (message.state == State::with_mpi) {
      MPI_Status status;
      if (still_with_mpi(message, status)) return true;
      require_bytes(status, message.bytes, message.rank);
      message.state = State::landing;
      if (message.stretch != nullptr) {
        buffers_->in_copies.from_ring(message.to, message.stretch,
                                      static_cast<std::uint64_t>(message.bytes));
        buffers_->in_copies.record(message.copied);
      }
    }
    if (message.state == State::landing && message.copied.reached()) {
      if (message.stretch != nullptr) buffers_->in.give_back(message.stretch);
      message.state = State::done;
    }
    return true;
  }

  MPI_Comm communicator_;
  int tag_;
  bool on_device_;
  std::shared_ptr<MpiStaging> staging_;
  std::unique_ptr<StagingBuffers> buffers_;
  std::vector<Message> sends_, receives_;
  std::size_t first_send_ = 0, first_receive_ = 0;  // those before are done
  Event<DeviceCopies::Space> own_copied_;
  std::optional<TransportFailure> failure_;
  std::shared_ptr<const void> owner_;
};

}  // namespace hashmill::backends
