#pragma once

#include <cstdlib>
#include <hashmill/backends/transport.hpp>

namespace hashmill::backends {

/// The only rank.
class SelfTransport final : public Transport {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] std::unique_ptr<Transfer> start(const Exchange& exchange) override {
    copy_own_pieces(exchange, 0);
    return std::make_unique<Done>();
  }
  [[noreturn]] void abort(int code) override { std::exit(code); }
  void abandon(std::unique_ptr<Transfer>) noexcept override {}

 private:
  struct Done final : Transfer {
    bool test() override { return true; }
    [[nodiscard]] std::vector<int> pending() const override { return {}; }
  };
};

}  // namespace hashmill::backends
