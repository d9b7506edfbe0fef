#pragma once

#include <hashmill/join/hash_join_options.hpp>
#include <string>

namespace hashmill::test {

/// The same options for another strategy.
template <JoinStrategy Strategy>
HashJoinOptions<Strategy> with_strategy(const HashJoinOptions<>& options) {
  HashJoinOptions<Strategy> result;
  static_cast<JoinOptions&>(result) = options;
  result.prefilter = options.prefilter;
  return result;
}

/// Calls `use(options)` with the options for each of some strategies.
template <JoinStrategy... Some, class Use>
void for_each_strategy(const HashJoinOptions<>& options, const Use& use) {
  (use(with_strategy<Some>(options)), ...);
}

/// What failures say of the strategy of some options.
template <class Options>
std::string strategy_name(const Options&) {
  return "strategy " + std::to_string(static_cast<int>(Options::strategy));
}

}  // namespace hashmill::test
