#pragma once

#include <hashmill/error.hpp>
#include <hashmill/join/options.hpp>
#include <string>

namespace hashmill::detail {

/// Throws CapacityError if a result of `bytes` bytes is above the budget.
inline void check_budget(const char* operation, std::uint64_t bytes, std::uint64_t rows,
                         const JoinOptions& options) {
  if (bytes <= options.memory_budget) return;
  throw CapacityError(std::string(operation) + ": a result of " + std::to_string(rows) + " takes " +
                          std::to_string(bytes) + " bytes, above the budget of " +
                          std::to_string(options.memory_budget),
                      bytes, options.memory_budget);
}

}  // namespace hashmill::detail
