#pragma once

#include <algorithm>
#include <cstdint>

namespace hashmill::detail {

/// Pairs of a host on their way to two arrays, which are written in turns, many values of each:
/// kept pairs of a join took five times as long one of each at a time (2^25 of them, 2 cores of an
/// AMD EPYC, 116 ms in place of 22); why was not found out, and other writers gained little.
template <class LeftValue, class RightValue>
class PairBuffer {
 public:
  PairBuffer(LeftValue* left, RightValue* right) : left_out_(left), right_out_(right) {}

  void put(const LeftValue& left, const RightValue& right) {
    left_[count_] = left;
    right_[count_] = right;
    if (++count_ == size) flush();
  }
  /// Writes what is left.
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
