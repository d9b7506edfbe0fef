#include "json_file.hpp"

#include <fstream>
#include <hashmill/commit.hpp>
#include <hashmill/error.hpp>
#include <hashmill/version.hpp>

namespace hashmill::perf {

bool is_writable(const std::string& path) { return std::ofstream(path).is_open(); }

void write_json_file(const std::string& path, const std::string& command,
                     const std::vector<std::vector<benchmark::BenchmarkReporter::Run>>& rows) {
  std::ofstream file(path);
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&file);
  reporter.SetErrorStream(&file);
  benchmark::AddCustomContext("hashmill_version", HASHMILL_VERSION_STRING);
  benchmark::AddCustomContext("hashmill_git_hash", HASHMILL_GIT_HASH);
  benchmark::AddCustomContext("hashmill_command", command);
  reporter.ReportContext({});
  for (const auto& runs : rows) reporter.ReportRuns(runs);
  reporter.Finalize();
  file.close();
  if (!file) throw InvalidArgument("--json: cannot write " + path);
}

}  // namespace hashmill::perf
