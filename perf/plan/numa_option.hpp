#pragma once

#include <optional>
#include <string>

#include "option_group.hpp"
#include "option_values.hpp"

namespace hashmill::perf {

/// The option that overrides HASHMILL_NUMA.
inline void add_numa_option(const OptionGroup& group, std::optional<std::string>& target) {
  group
      .single("--numa", target, "off|local|interleaved",
              "Where arrays lie on hosts with several nodes [HASHMILL_NUMA or off]")
      ->check(one_of({"off", "local", "interleaved"}));
}

}  // namespace hashmill::perf
