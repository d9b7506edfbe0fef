#pragma once

#include <functional>
#include <hashmill/communicator.hpp>
#include <span>

namespace hashmill::test {

/// A call in which something may go wrong, as a rank sees it.
class Trial {
 public:
  virtual ~Trial() = default;
  /// Makes the call. `check(done)` tells what must hold after it, whether it was done or failed.
  /// Where the ranks can go on after a failure, they then make the call again.
  void run(const std::function<void()>& call, const std::function<void(bool done)>& check) {
    const bool done = attempt(call);
    check(done);
    if (done || !can_go_on()) return;
    call();
    check(true);
  }

 private:
  virtual bool attempt(const std::function<void()>& call) = 0;
  [[nodiscard]] virtual bool can_go_on() const = 0;
};

/// A call that all ranks prepare and try. It checks what the caller can see.
struct FaultCase {
  const char* name;
  void (*run)(const Communicator&, Trial&);
};
std::span<const FaultCase> fault_cases();

}  // namespace hashmill::test
