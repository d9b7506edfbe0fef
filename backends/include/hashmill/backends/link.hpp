#pragma once

#include <algorithm>
#include <chrono>
#include <hashmill/backends/process.hpp>
#include <hashmill/backends/transport.hpp>
#include <hashmill/error.hpp>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace hashmill {

/// What was communicated so far, by this rank.
struct CommunicationStatistics {
  /// The share of one step, such as "exchange sizes".
  struct Phase {
    std::uint64_t calls = 0;
    std::uint64_t bytes_sent = 0;  ///< to other ranks
    double seconds = 0;            ///< spent waiting
  };
  std::uint64_t messages = 0;    ///< sent to other ranks
  std::uint64_t bytes_sent = 0;  ///< to other ranks
  std::map<std::string, Phase> phases;
};

}  // namespace hashmill

namespace hashmill::backends {

/// A transport, with the one loop that waits. Nothing else of the library waits for another rank,
/// so no call can hang. The loop ends in one of three cases:
///
/// | case | then |
/// | --- | --- |
/// | all is sent and received | it returns |
/// | a rank that it waits for is gone | it throws CommunicationError, which names that rank |
/// | nothing arrived for the time limit | likewise; it names the first rank that it waits for |
///
/// After an error the link is dead, and every further use of it throws at once.
class Link {
 public:
  using Clock = std::chrono::steady_clock;

  /// Takes over a transport. `time_limit` is the longest wait in which nothing arrives.
  Link(std::unique_ptr<Transport> transport, std::chrono::milliseconds time_limit)
      : transport_(std::move(transport)), time_limit_(time_limit) {}

  /// The number of this rank.
  [[nodiscard]] int rank() const { return transport_->rank(); }
  /// The number of ranks.
  [[nodiscard]] int size() const { return transport_->size(); }
  /// The transport.
  [[nodiscard]] Transport& transport() const { return *transport_; }
  /// What was sent so far.
  [[nodiscard]] const CommunicationStatistics& statistics() const { return statistics_; }
  /// The tag for the next group of ranks.
  [[nodiscard]] int& next_tag() { return next_tag_; }
  /// Watches the processes of ranks that run beside this one.
  void watch(int rank, std::int64_t process) { processes_.try_emplace(rank, process); }

  /// Starts an exchange. Throws CommunicationError where the link is dead or the transport fails.
  [[nodiscard]] std::unique_ptr<Transfer> start(const Exchange& exchange, const char* phase) {
    require_alive(phase);
    auto& share = statistics_.phases[phase];
    ++share.calls;
    for (const Send& send : exchange.sends) {
      if (send.rank == rank()) continue;
      ++statistics_.messages;
      statistics_.bytes_sent += send.bytes;
      share.bytes_sent += send.bytes;
    }
    try {
      return transport_->start(exchange);
    } catch (const TransportFailure& failure) {
      die(nullptr, failure.rank(), failure.what(), phase);
    }
  }

  /// Whether a transfer is done. Does not wait.
  [[nodiscard]] bool test(std::unique_ptr<Transfer>& transfer, const char* phase) {
    require_alive(phase);
    try {
      return transfer->test();
    } catch (const TransportFailure& failure) {
      die(std::move(transfer), failure.rank(), failure.what(), phase);
    }
  }

  /// Waits for a transfer.
  void finish(std::unique_ptr<Transfer> transfer, const char* phase) {
    const auto began = Clock::now();
    auto progress = began, looked = began;
    std::size_t left = ~std::size_t{0};
    std::uint64_t looks = 0;
    while (!test(transfer, phase)) {
      const auto now = Clock::now();
      if (now - looked >= look_interval) {
        looked = now;
        const std::vector<int> pending = transfer->pending();
        if (pending.size() < left) progress = now;
        left = pending.size();
        require_running(transfer, pending, phase);
        if (now - progress > time_limit_) {
          die(std::move(transfer), pending.empty() ? -1 : pending.front(), limit_text(), phase);
        }
      }
      pause(++looks, now - progress);
    }
    statistics_.phases[phase].seconds +=
        std::chrono::duration<double>(Clock::now() - began).count();
  }

  /// Gives up a transfer for which nobody will wait.
  void abandon(std::unique_ptr<Transfer> transfer) noexcept {
    if (cause_.empty()) cause_ = "a transfer was given up";
    transport_->abandon(std::move(transfer));
  }

 private:
  static constexpr std::chrono::milliseconds look_interval{20}, patience{2000};
  static constexpr std::chrono::microseconds long_pause{50};
  static constexpr std::uint64_t looks_a_yield = 64;

  /// Lets others run between two looks at a transfer. Transports move data while they are asked, so
  /// pauses are rare and short as long as some arrive: on a busy machine a yield may take as long
  /// as a short transfer. MPI yields by itself where it has more ranks than cores.
  static void pause(std::uint64_t looks, Clock::duration without_progress) {
    if (without_progress >= patience) {
      std::this_thread::sleep_for(long_pause);
    } else if (looks % looks_a_yield == 0) {
      std::this_thread::yield();
    }
  }

  [[nodiscard]] std::string limit_text() const {
    return "nothing arrived for " + std::to_string(time_limit_.count()) + " ms";
  }
  void require_alive(const char* phase) const {
    if (cause_.empty()) return;
    throw CommunicationError(name(phase) + "the communicator cannot be used any more: " + cause_,
                             rank(), phase, failed_rank_);
  }
  void require_running(std::unique_ptr<Transfer>& transfer, const std::vector<int>& pending,
                       const char* phase) {
    for (const int other : pending) {
      const auto process = processes_.find(other);
      const bool ended = process != processes_.end() && process->second.has_ended();
      if (!ended && !transport_->has_left(other)) continue;
      // What it sent before it ended may just have arrived.
      if (test(transfer, phase)) return;
      const std::vector<int> still = transfer->pending();
      if (std::find(still.begin(), still.end(), other) == still.end()) continue;
      die(std::move(transfer), other, ended ? "its process ended" : "it left", phase);
    }
  }
  [[noreturn]] void die(std::unique_ptr<Transfer> transfer, int failed, const std::string& what,
                        const char* phase) {
    failed_rank_ = failed;
    cause_ = failed < 0 ? what : "rank " + std::to_string(failed) + ": " + what;
    if (transfer != nullptr) transport_->abandon(std::move(transfer));
    throw CommunicationError(name(phase) + cause_, rank(), phase, failed);
  }
  [[nodiscard]] std::string name(const char* phase) const {
    return "rank " + std::to_string(rank()) + ", " + phase + ": ";
  }

  std::unique_ptr<Transport> transport_;
  std::chrono::milliseconds time_limit_;
  std::map<int, WatchedProcess> processes_;
  CommunicationStatistics statistics_;
  std::string cause_;  // of death; empty: alive
  int failed_rank_ = -1;
  int next_tag_ = 1;
};

}  // namespace hashmill::backends
