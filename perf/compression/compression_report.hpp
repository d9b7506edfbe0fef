#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "compression_options.hpp"
#include "machine/backend_info.hpp"

namespace hashmill::perf {

/// A column under one scheme.
struct CompressionResult {
  CompressedValues column;
  CompressionScheme scheme;
  std::string backend;
  std::uint64_t value_bytes = 0;  ///< of all values
  std::uint64_t frame_bytes = 0;  ///< of all values, compressed
  double encode_seconds = 0;      ///< medians
  double decode_seconds = 0;
  bool is_chosen = false;       ///< by the sample
  std::uint64_t num_wrong = 0;  ///< values that did not come back

  double ratio() const;
  double encoded_bytes_per_second() const;  ///< of values
  double decoded_bytes_per_second() const;
};

/// The values that a copy on the same backend reads and writes in a second, in bytes.
double copied_bytes_per_second(const CompressionResult& result,
                               const std::vector<BackendInfo>& backends);

/// Prints a row for each result, with its speeds beside that of a copy on the same backend.
void print_compression(std::ostream& out, const std::vector<CompressionResult>& results,
                       const std::vector<BackendInfo>& backends);

/// Prints the layers that the sample chose for each column, as Table 1 of Gao & Sakharnykh does,
/// with the ratio.
void print_chosen_layers(std::ostream& out, const std::vector<CompressionResult>& results);

/// Writes the results as Google Benchmark's JSON. Throws `InvalidArgument` where the file cannot be
/// written.
void write_json(const std::string& path, const std::vector<CompressionResult>& results,
                const std::vector<BackendInfo>& backends);

}  // namespace hashmill::perf
