#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace hashmill::test {

/// Work of which the first piece lasts until all others are done, or cannot be done because they
/// wait for its thread: then it gives up after some seconds.
class SlowFirst {
 public:
  explicit SlowFirst(std::uint64_t pieces) : others_(pieces - 1) {}

  void run(std::int64_t piece) {
    if (piece != 0) {
      ++done_;
      return;
    }
    const auto begin = std::chrono::steady_clock::now();
    while (done_ < others_ && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)) {
      std::this_thread::yield();
    }
    done_beside_first_ = done_;
  }
  /// How many of the others were done before the first was.
  [[nodiscard]] std::uint64_t done_beside_first() const { return done_beside_first_; }

 private:
  std::uint64_t others_;
  std::atomic<std::uint64_t> done_ = 0;
  std::uint64_t done_beside_first_ = 0;
};

}  // namespace hashmill::test
