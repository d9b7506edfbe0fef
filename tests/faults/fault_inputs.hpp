#pragma once

#include <hashmill/distributed_hash_graph.hpp>

#include "ranks/rank_inputs.hpp"

namespace hashmill::test {

using FaultTable = DistributedHashGraph<std::uint64_t, Memory>;
inline const ShuffleInput& fault_input() {
  static const ShuffleInput input{"repeated",
                                  [](int rank, int) { return 120 + 20 * std::uint64_t(rank); },
                                  [](std::uint64_t i) { return murmur3_fmix64(i % 90); }};
  return input;
}
inline auto fault_keys(const Communicator& ranks) {
  return keys_of(fault_input(), ranks.rank(), ranks.size());
}

}  // namespace hashmill::test
