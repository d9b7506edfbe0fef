#pragma once

#include <atomic>
#include <hashmill/error.hpp>
#include <string>

namespace hashmill::detail {

/// Detects that two host threads change one table at the same time, which its contract forbids.
/// Moving an object that contains it does not move its state: the destination is not in use.
class ExclusiveUse {
 public:
  ExclusiveUse() = default;
  ExclusiveUse(ExclusiveUse&&) noexcept {}
  ExclusiveUse& operator=(ExclusiveUse&&) noexcept { return *this; }

  /// The period during which one thread changes the table.
  class Scope {
   public:
    /// Throws InvalidArgument when another thread is changing the table.
    Scope(ExclusiveUse& use, const char* table, const char* operation) : use_(use) {
      if (use_.busy_.exchange(true)) {
        throw InvalidArgument(std::string(table) + "::" + operation +
                              ": another thread is changing this table at the moment");
      }
    }
    ~Scope() { use_.busy_.store(false); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ExclusiveUse& use_;
  };

 private:
  std::atomic<bool> busy_{false};
};

}  // namespace hashmill::detail
