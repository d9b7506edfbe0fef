#pragma once

#include <cstdint>
#include <hashmill/join/options.hpp>
#include <memory>
#include <string>

#include "algorithm.hpp"
#include "keys/key_file.hpp"
#include "keys/key_generator.hpp"
#include "memory_limit.hpp"

namespace hashmill::perf {

/// The columns that the keys of joins and group-bys are spread over.
enum class KeyColumns {
  one,      ///< a view of integers
  two,      ///< two columns of integers, the upper and the lower half of each key
  strings,  ///< a column of strings, the hexadecimal digits of each key
  nulls     ///< a column of integers, of which one in 16 is null
};

/// The data of a case: keys to build from and queries to look up. Equal values give equal data.
struct DataAxes {
  unsigned key_bits = 32;
  std::uint64_t num_keys = 0;
  std::uint64_t num_queries = 0;
  double multiplicity = 1;
  double hit_rate = 1.0;
  KeyOrder order = KeyOrder::random;
  double zipf_exponent = 1.0;
  std::uint64_t seed = 1;
  std::shared_ptr<const KeyFile> file;  ///< keys from a file instead of generated ones
  double skew = 0;  ///< Zipf exponent of a join's left side, a group-by's keys; 0: none
  std::uint64_t num_groups = 0;          ///< of a group-by that asks for so many
  KeyColumns columns = KeyColumns::one;  ///< of joins and group-bys
  double hot_share = 0;        ///< of the left rows of a join that have partners: those of one key
  double right_hot_share = 0;  ///< of the right rows of a join of ranks: those of one key

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

/// What a join gives for each pair of rows: nothing but their number, the numbers of both rows, or
/// a column of so many bytes of each side.
enum class JoinOutput { count = 0, rows = 1, values_4 = 4, values_8 = 8, values_16 = 16 };

/// What a group-by gives for each group, of a value of 4 bytes.
enum class Aggregates {
  count,  ///< rows
  sum,    ///< sum and count
  all     ///< sum, count, least, greatest and mean
};

/// What is asked of the data, where the algorithm does not say it.
struct ResultAxes {
  JoinOutput output = JoinOutput::rows;
  JoinKind kind = JoinKind::inner;
  Aggregates aggregates = Aggregates::sum;
  MemoryLimit budget = {};  ///< of the memory of operations that have one

  bool operator==(const ResultAxes&) const = default;
};

/// One row of the comparison.
struct CompareCase {
  const Algorithm* algorithm = nullptr;
  std::string backend;
  DataAxes data;
  TableAxes table;
  ResultAxes result = {};
  unsigned threads = 0;  ///< of the host; 0: all that Kokkos has
};

/// "sequential", "random", "dense", "zipf", "drawn" or "tpch".
std::string to_string(KeyOrder order);

/// "one", "two", "strings" or "nulls", as --columns takes them.
std::string to_string(KeyColumns columns);

/// "count", "rows", "4", "8" or "16", as --payload takes them.
std::string to_string(JoinOutput output);

/// "inner", "left", "right" or "full", as --kind takes them.
std::string to_string(JoinKind kind);

/// "count", "sum" or "all", as --aggregate takes them.
std::string to_string(Aggregates aggregates);

/// "2^22" for powers of two from 2^10 on, else the plain number.
std::string short_count(std::uint64_t count);

/// Number with its digits in groups of three.
std::string grouped_count(std::uint64_t count);

/// Number without trailing zeros; whole ones with all digits.
std::string plain_number(double value);

/// Name under which Google Benchmark knows the case:
/// algorithm/backend/u<key bits>/order/n:…/multiplicity:…/load:…/hit:…/bins:… and so on
std::string benchmark_name(const CompareCase& row);

}  // namespace hashmill::perf
