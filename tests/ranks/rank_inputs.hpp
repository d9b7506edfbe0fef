#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <hashmill/murmur.hpp>
#include <hashmill/shuffle.hpp>
#include <string>
#include <vector>

#include "algorithms/support/views.hpp"
#include "rank_exec.hpp"
#include "ranks/rank_cases.hpp"

namespace hashmill::test {

// Rows of ranks, and what is expected where one of them fails.

/// How rows are spread over ranks, and what keys they have.
struct ShuffleInput {
  const char* name;
  std::uint64_t (*rows)(int rank, int ranks);
  std::uint64_t (*key)(std::uint64_t i);
};
inline std::uint64_t hundreds(int rank, int) { return 600 + 200 * std::uint64_t(rank); }
inline std::uint64_t all_on_one(int rank, int ranks) { return rank == ranks / 2 ? 4000 : 0; }
inline std::uint64_t every_second(int rank, int) { return rank % 2 == 0 ? 1000 : 0; }
inline std::uint64_t none(int, int) { return 0; }
inline constexpr ShuffleInput shuffle_inputs[] = {
    {"random", hundreds, murmur3_fmix64},
    {"sequential", hundreds, [](std::uint64_t i) { return i; }},
    {"equal", hundreds, [](std::uint64_t) { return std::uint64_t{7}; }},
    {"few", hundreds, [](std::uint64_t i) { return i % 3; }},
    {"zipf", hundreds, [](std::uint64_t i) { return (1 << 20) / (murmur3_fmix64(i) % 4096 + 1); }},
    {"on_one_rank", all_on_one, murmur3_fmix64},
    {"on_every_second", every_second, murmur3_fmix64},
    {"none", none, murmur3_fmix64},
};

/// The keys of a rank; other columns are made of them and of the row's number.
inline std::vector<std::uint64_t> keys_of(const ShuffleInput& input, int rank, int ranks) {
  std::vector<std::uint64_t> keys(input.rows(rank, ranks));
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    keys[i] = input.key((std::uint64_t(rank) << 32) + i);
  }
  return keys;
}

/// The error of each rank where one of them fails, and that all can go on.
template <class Fails>
void expect_failure(const Communicator& ranks, int failing, const char* step, const Fails& fails) {
  try {
    fails();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(ranks.rank(), failing) << error.what();
  } catch (const CommunicationError& error) {
    EXPECT_NE(ranks.rank(), failing) << error.what();
    EXPECT_EQ(error.failed_rank(), failing);
    EXPECT_EQ(error.phase(), step);
  }
  collects_and_distributes(ranks);
}

}  // namespace hashmill::test
