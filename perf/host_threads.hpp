#pragma once

#include <string>

#include "execution_spaces.hpp"
#include "unsupported_case.hpp"

namespace hashmill::perf {

/// An instance of `Exec` with so many of its threads, all for 0. Throws `UnsupportedCase` where
/// there are none with fewer.
template <class Exec>
Exec instance_with_threads([[maybe_unused]] unsigned threads) {
  if constexpr (is_host_space<Exec>) {
    const auto all = static_cast<unsigned>(Exec().concurrency());
    if (threads != 0 && threads != all) {
      if constexpr (std::is_constructible_v<Exec, int>) {
        return Exec(static_cast<int>(threads));
      } else {
        throw UnsupportedCase(std::string(Exec::name()) + " has no instances with some of its " +
                              std::to_string(all) + " threads");
      }
    }
  }
  return Exec();
}

}  // namespace hashmill::perf
