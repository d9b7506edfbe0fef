#pragma once

#include <cstdint>
#include <functional>
#include <hashmill/backends/transport.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace hashmill::test {

/// What goes wrong in a transport: an action at one of its operations, counted from 0 as `counts`
/// is set. The action throws, waits, or ends the process.
struct Fault {
  /// An exchange begins; it was begun, and is looked at for the first time.
  enum class When { start, test };

  When when = When::start;
  std::uint64_t at = 0;
  std::function<void()> act{};
  bool counts = false, has_happened = false;
  std::uint64_t seen = 0;

  /// Notes an operation.
  void pass(When operation) {
    if (!counts || operation != when || seen++ != at) return;
    has_happened = true;
    act();
  }
};

/// Another transport, with a fault, which outlives it.
class FaultyTransport final : public backends::Transport {
 public:
  FaultyTransport(std::unique_ptr<Transport> transport, Fault& fault)
      : transport_(std::move(transport)), fault_(fault) {}

  [[nodiscard]] int rank() const override { return transport_->rank(); }
  [[nodiscard]] int size() const override { return transport_->size(); }
  [[nodiscard]] std::unique_ptr<backends::Transfer> start(
      const backends::Exchange& exchange) override {
    fault_.pass(Fault::When::start);
    auto watched = std::make_unique<Watched>(fault_);
    watched->transfer = transport_->start(exchange);
    return watched;
  }
  [[nodiscard]] bool has_left(int rank) const override { return transport_->has_left(rank); }
  [[noreturn]] void abort(int code) override {
    transport_->abort(code);
    std::abort();
  }
  void abandon(std::unique_ptr<backends::Transfer> transfer) noexcept override {
    transport_->abandon(std::move(static_cast<Watched&>(*transfer).transfer));
  }
  void notify(const backends::FailureNotice& notice) noexcept override {
    transport_->notify(notice);
  }
  [[nodiscard]] std::optional<backends::FailureNotice> notice() noexcept override {
    return transport_->notice();
  }

 private:
  struct Watched final : backends::Transfer {
    explicit Watched(Fault& its_fault) : fault(its_fault) {}
    bool test() override {
      if (!std::exchange(is_tested, true)) fault.pass(Fault::When::test);
      return transfer->test();
    }
    [[nodiscard]] std::vector<int> pending() const override { return transfer->pending(); }

    std::unique_ptr<Transfer> transfer{};
    Fault& fault;
    bool is_tested = false;
  };

  std::unique_ptr<Transport> transport_;
  Fault& fault_;
};

}  // namespace hashmill::test
