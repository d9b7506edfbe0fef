#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "algorithm_table.hpp"
#include "key_file.hpp"
#include "key_generator.hpp"

namespace hashmill::perf {

/// The data of a case: keys to build from and queries to look up. Equal values give equal data.
struct DataAxes {
  unsigned key_bits = 32;
  std::uint64_t num_keys = 0;
  std::uint64_t num_queries = 0;
  std::uint64_t multiplicity = 1;
  double hit_rate = 1.0;
  KeyOrder order = KeyOrder::random;
  double zipf_exponent = 1.0;
  std::uint64_t seed = 1;
  std::shared_ptr<const KeyFile> file;  ///< keys from a file instead of generated ones

  /// How the keys are generated; meaningless with a file.
  KeyDistribution distribution() const {
    return {num_keys, multiplicity, order, zipf_exponent, seed};
  }

  bool operator==(const DataAxes&) const = default;
};

/// How the table under test is shaped.
struct TableAxes {
  double load_factor = 1.0;  ///< keys a bucket
  double fill = 0.5;         ///< share of slots in use, of open addressing
  std::uint64_t bins = 0;    ///< 0: chosen by the library

  bool operator==(const TableAxes&) const = default;
};

/// One row of the comparison.
struct CompareCase {
  const Algorithm* algorithm = nullptr;
  std::string backend;
  DataAxes data;
  TableAxes table;
};

/// "sequential", "random" or "zipf".
std::string to_string(KeyOrder order);

/// "2^22" for powers of two from 2^10 on, else the plain number.
std::string short_count(std::uint64_t count);

/// Number with its digits in groups of three.
std::string grouped_count(std::uint64_t count);

/// Number without trailing zeros.
std::string plain_number(double value);

/// Name under which Google Benchmark knows the case:
/// algorithm/backend/u<key bits>/order/n:…/multiplicity:…/load:…/hit:…/bins:…
std::string benchmark_name(const CompareCase& row);

}  // namespace hashmill::perf
