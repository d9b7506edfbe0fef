#pragma once

#include "compression_options.hpp"

namespace hashmill::perf {

/// Compresses columns by each scheme on each backend, times both ways and compares all values with
/// those that went in; the exit code.
int run_compression(const CompressionCommandOptions& options);

}  // namespace hashmill::perf
