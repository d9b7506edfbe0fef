#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <hashmill/backends/transport.hpp>
#include <hashmill/error.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hashmill::backends {

/// The link between a rank and the others: a network card.
struct LinkSpeed {
  double bytes_per_second;                     ///< in each direction
  std::chrono::duration<double> latency = {};  ///< of each exchange

  /// The time that an exchange takes at least, of so many bytes in one direction.
  [[nodiscard]] std::chrono::duration<double> time_of(std::uint64_t bytes) const {
    return latency + std::chrono::duration<double>(static_cast<double>(bytes) / bytes_per_second);
  }
};

/// Another transport, slowed down to a link, for networks that are not there. The pieces that a
/// rank sends to others pass its link one after another, also those of several exchanges. So do
/// those that it receives, beside them. A piece arrives when the other transport has brought it and
/// the link had time for it:
///
///     exchange starts | bytes of earlier pieces | bytes of this piece | latency | piece arrives
///
/// A receiver counts from the start of its own exchange, so a sender that starts later is slowed
/// down by its own link only.
class ThrottledTransport final : public Transport {
 public:
  using Clock = std::chrono::steady_clock;

  /// Throws InvalidArgument unless the speed is above 0 and the latency is not negative.
  ThrottledTransport(std::unique_ptr<Transport> transport, const LinkSpeed& speed)
      : transport_(std::move(transport)), speed_(speed) {
    if (!(speed.bytes_per_second > 0) || !std::isfinite(speed.bytes_per_second)) {
      throw InvalidArgument("a link has " + std::to_string(speed.bytes_per_second) +
                            " bytes a second, but more than 0");
    }
    if (!(speed.latency.count() >= 0) || !std::isfinite(speed.latency.count())) {
      throw InvalidArgument("a link has a latency of " + std::to_string(speed.latency.count()) +
                            " s, but at least 0");
    }
  }

  [[nodiscard]] int rank() const override { return transport_->rank(); }
  [[nodiscard]] int size() const override { return transport_->size(); }
  [[nodiscard]] std::unique_ptr<Transfer> start(const Exchange& exchange) override {
    const auto now = Clock::now();
    std::vector<Clock::time_point> arrivals;
    pass(exchange.sends, now, sends_end_, arrivals);
    pass(exchange.receives, now, receives_end_, arrivals);
    auto delayed = std::make_unique<Delayed>(rank(), std::move(arrivals));
    delayed->follow(transport_->start(exchange));
    return delayed;
  }
  [[nodiscard]] bool has_left(int rank) const override { return transport_->has_left(rank); }
  void notify(const FailureNotice& notice) noexcept override { transport_->notify(notice); }
  [[nodiscard]] std::optional<FailureNotice> notice() noexcept override {
    return transport_->notice();
  }
  [[noreturn]] void abort(int code) override {
    transport_->abort(code);
    std::abort();
  }
  void abandon(std::unique_ptr<Transfer> transfer) noexcept override {
    transport_->abandon(static_cast<Delayed&>(*transfer).release());
  }

 private:
  /// A transfer that is done when the other transport's is, and the link had time for it.
  class Delayed final : public Transfer {
   public:
    Delayed(int rank, std::vector<Clock::time_point> arrivals)
        : rank_(rank), arrivals_(std::move(arrivals)) {}
    void follow(std::unique_ptr<Transfer> transfer) noexcept { transfer_ = std::move(transfer); }

    bool test() override {
      is_moved_ = is_moved_ || transfer_->test();
      return is_moved_ && num_on_link() == 0;
    }
    /// A piece that only the link keeps back counts as one of this rank: the other one may have
    /// ended.
    [[nodiscard]] std::vector<int> pending() const override {
      std::vector<int> ranks = transfer_->pending();
      ranks.insert(ranks.end(), num_on_link(), rank_);
      return ranks;
    }
    [[nodiscard]] std::unique_ptr<Transfer> release() { return std::move(transfer_); }

   private:
    [[nodiscard]] std::size_t num_on_link() const {
      const auto now = Clock::now();
      return static_cast<std::size_t>(
          std::count_if(arrivals_.begin(), arrivals_.end(),
                        [&](const Clock::time_point& arrival) { return arrival > now; }));
    }

    std::unique_ptr<Transfer> transfer_;
    int rank_;
    std::vector<Clock::time_point> arrivals_;  // of all pieces
    bool is_moved_ = false;                    // by the other transport
  };

  /// Lets pieces pass one direction of the link, which is busy until `end`.
  template <class Piece>
  void pass(std::span<const Piece> pieces, Clock::time_point now, Clock::time_point& end,
            std::vector<Clock::time_point>& arrivals) const {
    const auto whole = [](std::chrono::duration<double> time) {
      return std::chrono::ceil<Clock::duration>(time);
    };
    end = std::max(end, now);
    for (const Piece& piece : pieces) {
      if (piece.rank == rank()) continue;
      end += whole(speed_.time_of(piece.bytes) - speed_.latency);
      arrivals.push_back(end + whole(speed_.latency));
    }
  }

  std::unique_ptr<Transport> transport_;
  LinkSpeed speed_;
  Clock::time_point sends_end_{}, receives_end_{};
};

}  // namespace hashmill::backends
