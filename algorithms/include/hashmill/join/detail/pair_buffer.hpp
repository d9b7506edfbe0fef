#pragma once

#include <algorithm>
#include <cstdint>

namespace hashmill::detail {

/// Gathers the pairs that a host writes to two arrays, and writes 128 values to each array in turn.
///
/// Without it, writing the kept pairs of a join took five times as long: 116 ms in place of 22 ms
/// for 2^25 pairs, on 2 cores of an AMD EPYC. The cause is unknown. Other loops that write pairs
/// gained little.
template <class LeftValue, class RightValue>
class PairBuffer {
 public:
  PairBuffer(LeftValue* left, RightValue* right) : left_out_(left), right_out_(right) {}

  void put(const LeftValue& left, const RightValue& right) {
    left_[count_] = left;
    right_[count_] = right;
    if (++count_ == size) flush();
  }
  /// Writes the pairs that are still held.
  void flush() {
    left_out_ = std::copy_n(left_, count_, left_out_);
    right_out_ = std::copy_n(right_, count_, right_out_);
    count_ = 0;
  }

 private:
  static constexpr std::uint32_t size = 128;
  LeftValue left_[size];
  RightValue right_[size];
  std::uint32_t count_ = 0;
  LeftValue* left_out_;
  RightValue* right_out_;
};

}  // namespace hashmill::detail
