#pragma once

#include <algorithm>
#include <chrono>
#include <hashmill/backends/process.hpp>
#include <hashmill/backends/transport.hpp>
#include <hashmill/error.hpp>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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
/// so no call can hang. The loop ends in one of four cases:
///
/// | case | then |
/// | --- | --- |
/// | all is sent and received | it returns |
/// | a rank that it waits for is gone | it throws CommunicationError, which names that rank |
/// | another rank's link died | likewise; it names the rank that the other one names |
/// | nothing arrived for the time limit | likewise; it names the first rank that it waits for |
///
/// A rank that is named may itself have waited for another one. So the link listens a little
/// longer, and follows what the named ranks report.
///
/// After an error the link is dead, and every further use of it throws at once. It tells the other
/// ranks, whose links die when they next wait.
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
      const bool waits = exchange.memory == MemoryKind::host || !transport_->orders_after_events();
      if (exchange.after != nullptr && waits) exchange.after->wait();
      return transport_->start(exchange);
    } catch (const TransportFailure& failure) {
      die(nullptr, failure.rank(), failure.what(), phase);
    } catch (...) {
      give_up(phase);
      throw;
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
    try {
      wait(transfer, phase);
      statistics_.phases[phase].seconds +=
          std::chrono::duration<double>(Clock::now() - began).count();
    } catch (...) {
      // Without memory to look at a transfer: other ranks may still use its arrays.
      if (transfer != nullptr) abandon(std::move(transfer));
      throw;
    }
  }

  /// Gives up a transfer for which nobody will wait.
  void abandon(std::unique_ptr<Transfer> transfer) noexcept {
    transport_->abandon(std::move(transfer));
    end(rank(), "it gave up a transfer");
  }
  /// Ends the link, unless it is dead already, since this rank leaves a call that others are in.
  void give_up(const char* call) noexcept { end(rank(), "it left this call: ", call); }

 private:
  static constexpr std::chrono::milliseconds look_interval{20}, patience{2000};
  static constexpr std::chrono::milliseconds least_grace{250}, most_grace{500};
  static constexpr std::chrono::microseconds long_pause{50};
  static constexpr std::uint64_t looks_a_yield = 64;

  /// Leaves a transfer that is done, or that is to be abandoned. One that failed has been.
  void wait(std::unique_ptr<Transfer>& transfer, const char* phase) {
    auto progress = Clock::now(), looked = progress;
    std::size_t left = ~std::size_t{0};
    std::uint64_t looks = 0;
    while (!test(transfer, phase)) {
      const auto now = Clock::now();
      if (now - looked >= look_interval) {
        looked = now;
        const std::vector<int> pending = transfer->pending();
        if (pending.size() < left) progress = now;
        left = pending.size();
        // A rank leaves after it told of its failure, so notices come first.
        require_no_notice(transfer, phase);
        require_running(transfer, pending, phase);
        if (now - progress > time_limit_) {
          time_out(std::move(transfer), pending.empty() ? -1 : pending.front(), phase);
        }
      }
      pause(++looks, now - progress);
    }
  }
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
    if (!is_dead_) return;
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
  void require_no_notice(std::unique_ptr<Transfer>& transfer, const char* phase) {
    hear();
    // What this rank waits for may just have arrived.
    if (notices_.empty() || test(transfer, phase)) return;
    const FailureNotice notice = notices_.front();
    is_dead_ = true;
    const bool known = notice.failed >= 0 && notice.failed != rank();
    failed_rank_ = known ? reported_instead(notice.failed) : notice.reporter;
    cause_ = "rank " + std::to_string(notice.reporter) + " reports: " + notice.cause.data();
    transport_->abandon(std::move(transfer));
    throw CommunicationError(name(phase) + cause_, rank(), phase, failed_rank_);
  }
  /// Ends the link, since nothing arrived from a rank.
  [[noreturn]] void time_out(std::unique_ptr<Transfer> transfer, int from, const char* phase) {
    transport_->abandon(std::move(transfer));
    end(from, limit_text().c_str());
    failed_rank_ = reported_instead(from);
    if (failed_rank_ != from) {
      cause_ += ", since rank " + std::to_string(failed_rank_) + " did not go on";
    }
    throw CommunicationError(name(phase) + cause_, rank(), phase, failed_rank_);
  }
  void hear() {
    while (const std::optional<FailureNotice> notice = transport_->notice()) {
      notices_.push_back(*notice);
    }
  }
  /// The rank that `named` reports in its place, if it does so soon, and so on.
  [[nodiscard]] int reported_instead(int named) {
    const auto until = Clock::now() + std::clamp(time_limit_ / 4, least_grace, most_grace);
    for (int followed = 0; followed < size();) {
      hear();
      const auto report = std::ranges::find(notices_, named, &FailureNotice::reporter);
      if (report != notices_.end()) {
        const int next = report->failed;
        if (next < 0 || next == rank() || next == named) break;
        named = next;
        ++followed;
      } else if (Clock::now() < until) {
        std::this_thread::sleep_for(long_pause);
      } else {
        break;
      }
    }
    return named;
  }
  [[noreturn]] void die(std::unique_ptr<Transfer> transfer, int failed, const std::string& what,
                        const char* phase) {
    if (transfer != nullptr) transport_->abandon(std::move(transfer));
    end(failed, what.c_str());
    throw CommunicationError(name(phase) + cause_, rank(), phase, failed);
  }
  /// Ends the link, and tells the other ranks.
  void end(int failed, const char* what, const char* more = "") noexcept {
    if (is_dead_) return;
    is_dead_ = true;
    failed_rank_ = failed;
    FailureNotice notice{rank(), failed, {}};
    try {
      cause_ = failed < 0 ? "" : "rank " + std::to_string(failed) + ": ";
      cause_.append(what).append(more);
      if (failed < 0) cause_ += " (at which rank is not known)";
      copy_text(cause_, notice.cause);
    } catch (const std::bad_alloc&) {
      cause_.clear();  // no memory for words
    }
    transport_->notify(notice);
  }
  [[nodiscard]] std::string name(const char* phase) const {
    return "rank " + std::to_string(rank()) + ", " + phase + ": ";
  }

  std::unique_ptr<Transport> transport_;
  std::chrono::milliseconds time_limit_;
  std::map<int, WatchedProcess> processes_;
  CommunicationStatistics statistics_;
  bool is_dead_ = false;
  std::string cause_;  // of death
  int failed_rank_ = -1;
  std::vector<FailureNotice> notices_;  // that have come
  int next_tag_ = 1;
};

}  // namespace hashmill::backends
