#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace hashmill::perf {

/// Whether a file can be written, which becomes empty: to be asked before much is timed.
bool is_writable(const std::string& path);

/// Writes the runs of rows as Google Benchmark's JSON, with the name of the command that made them.
/// Throws `InvalidArgument` where the file cannot be written.
void write_json_file(const std::string& path, const std::string& command,
                     const std::vector<std::vector<benchmark::BenchmarkReporter::Run>>& rows);

}  // namespace hashmill::perf
