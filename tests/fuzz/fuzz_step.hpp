#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "random_source.hpp"

namespace hashmill::test {

/// A result that is not what the reference says.
struct Mismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws Mismatch, naming what differs, unless both are equal.
template <class Value>
void require_equal(const std::string& what, const Value& actual, const Value& expected) {
  if (actual == expected) return;
  if constexpr (requires { actual.size(); }) {
    throw Mismatch(what + ": " + std::to_string(actual.size()) + " entries, expected " +
                   std::to_string(expected.size()) +
                   (actual.size() == expected.size() ? " others" : ""));
  } else {
    throw Mismatch(what + ": " + std::to_string(actual) + ", expected " + std::to_string(expected));
  }
}

/// Draws an input, has the library work on it, and compares; throws Mismatch.
struct FuzzStep {
  std::string name;
  void (*run)(RandomSource&);
};

/// What the parts of the fuzzer do.
std::vector<FuzzStep> join_steps();
std::vector<FuzzStep> hash_join_steps();
std::vector<FuzzStep> hybrid_group_steps();
std::vector<FuzzStep> hybrid_join_steps();
std::vector<FuzzStep> column_join_steps();
std::vector<FuzzStep> group_steps();
std::vector<FuzzStep> mixed_key_steps();
std::vector<FuzzStep> compression_steps();
std::vector<FuzzStep> shuffle_steps();
std::vector<FuzzStep> distributed_hash_graph_steps();
std::vector<FuzzStep> distributed_join_steps();
std::vector<FuzzStep> distributed_batch_join_steps();
std::vector<FuzzStep> distributed_mark_steps();
std::vector<FuzzStep> distributed_group_steps();

}  // namespace hashmill::test
