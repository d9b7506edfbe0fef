#pragma once

#include <chrono>
#include <cstddef>

namespace hashmill::perf {

/// Divides a wall-clock budget among equal steps. A step may continue only while the steps so far
/// have not exceeded their share. An early slow step therefore costs later repetitions, not the
/// limit of the whole run.
class TimeBudget {
 public:
  TimeBudget(double seconds, std::size_t num_steps)
      : seconds_(seconds), num_steps_(num_steps), start_(std::chrono::steady_clock::now()) {}

  /// Seconds since the budget began.
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  /// Whether step `step` (from 0) may take `more` seconds within its share.
  bool allows(std::size_t step, double more) const {
    const double share = seconds_ * static_cast<double>(step + 1) / static_cast<double>(num_steps_);
    return elapsed() + more <= share;
  }

 private:
  double seconds_;
  std::size_t num_steps_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace hashmill::perf
