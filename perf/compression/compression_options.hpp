#pragma once

#include <cstdint>
#include <hashmill/compression/scheme.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plan/run_options.hpp"

namespace hashmill::perf {

/// What a column that is compressed holds.
enum class CompressedValues {
  order_key,       ///< O_ORDERKEY of TPC-H
  line_key,        ///< L_ORDERKEY of TPC-H
  order_priority,  ///< O_ORDERPRIORITY of TPC-H, a number from 1 to 5
  narrow,          ///< numbers of 13 bits
  sorted,          ///< sorted numbers, 8 apart on average
  runs,            ///< random numbers, each 8 times on average
  random,          ///< all bits random
};

/// Its name on the command line and in tables.
std::string to_string(CompressedValues values);

/// What to compress, and how.
struct CompressionCommandOptions {
  std::uint64_t num_rows = 1ULL << 24;
  std::vector<CompressedValues> columns;   ///< in order, once each
  std::vector<CompressionScheme> schemes;  ///< in order, once each
  RunOptions run;
};

/// The command `compress`, for CLI11.
class CompressionCommand {
 public:
  /// Lets `app` take the options; this must outlive it.
  void add_to(CLI::App& app);

  /// What was asked for, once `app` has parsed; `rest` are the arguments that it does not know.
  /// Throws `InvalidArgument` with one line that says what is wrong.
  CompressionCommandOptions finish(const std::vector<std::string>& rest) const;

 private:
  CompressionCommandOptions options_;
  std::vector<std::string> columns_, schemes_;
};

}  // namespace hashmill::perf
