#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "case/workload.hpp"
#include "machine/backend_info.hpp"
#include "plan/run_options.hpp"

namespace hashmill::perf {

/// What `hashmill-compare cpu` was asked for.
struct CpuOptions : RunOptions {
  std::vector<const Algorithm*> algorithms;                        ///< in the order of the table
  std::vector<std::uint64_t> num_rows = {std::uint64_t{1} << 22};  ///< of the right side
  std::vector<unsigned> key_bits = {32};
  std::vector<std::string> shapes;                       ///< empty: all of cpu_shape_names()
  std::vector<unsigned> threads;                         ///< empty: 1, 2, 4, … and all
  std::vector<JoinOutput> outputs = {JoinOutput::rows};  ///< of joins: rows or count
  std::uint64_t seed = 1;
};

/// What compares on hosts: joins from nothing, ours as it chooses by itself, and builds and finds
/// of tables, each with the peers'.
std::span<const Algorithm> cpu_algorithms();

/// The inputs: which keys the right side has, how often, and what the left side asks of them.
std::vector<std::string> cpu_shape_names();

/// Every algorithm on every shape and number of threads; peers with one thread once a shape. Of
/// tables only those shapes in which the left side is like the right. Throws `InvalidArgument` if
/// more threads are asked for than there are, rows exceed what can be numbered, or nothing is left.
Plan plan_cpu(const CpuOptions& options, const std::vector<BackendInfo>& backends);

}  // namespace hashmill::perf
