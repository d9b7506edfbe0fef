#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace hashmill {

/// Base of every exception that the library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller passed a value, or a combination of values, that permits no result.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// A size exceeds its limit: memory, a row number type, a limit of a table or 64-bit arithmetic.
class CapacityError : public Error {
 public:
  /// `needed` and `available` are in the unit that `what` names (bytes, rows, buckets).
  CapacityError(const std::string& what, std::uint64_t needed, std::uint64_t available)
      : Error(what), needed_(needed), available_(available) {}

  /// The amount asked for; the largest 64-bit value when it does not fit 64 bits.
  [[nodiscard]] std::uint64_t needed() const noexcept { return needed_; }
  /// The amount that was available.
  [[nodiscard]] std::uint64_t available() const noexcept { return available_; }

 private:
  std::uint64_t needed_;
  std::uint64_t available_;
};

/// A device, a driver or a vendor's library failed.
class BackendError : public Error {
 public:
  using Error::Error;
};

/// A communication between ranks failed.
class CommunicationError : public Error {
 public:
  /// `what` is the message. `failed_rank` is -1 where it is not known.
  CommunicationError(const std::string& what, int rank, std::string phase, int failed_rank = -1)
      : Error(what), rank_(rank), failed_rank_(failed_rank), phase_(std::move(phase)) {}

  /// The rank that reports the failure.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// The rank that failed; -1 if that is not known.
  [[nodiscard]] int failed_rank() const noexcept { return failed_rank_; }
  /// The step in which it failed, such as "exchange sizes".
  [[nodiscard]] const std::string& phase() const noexcept { return phase_; }

 private:
  int rank_;
  int failed_rank_;
  std::string phase_;
};

}  // namespace hashmill
