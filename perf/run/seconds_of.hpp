#pragma once

#include <chrono>

namespace hashmill::perf {

/// The seconds that a call takes.
template <class Call>
double seconds_of(const Call& call) {
  const auto began = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace hashmill::perf
