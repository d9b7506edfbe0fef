#include "plot.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <hashmill/error.hpp>
#include <utility>

namespace hashmill::perf {
namespace {

/// Runs a program found on PATH and waits for it; whether it ended well.
bool run_program(const char* const* words) {
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    ::execvp(words[0], const_cast<char* const*>(words));
    std::perror(words[0]);
    std::_Exit(127);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

PlotFile::PlotFile(std::string plot_path, std::string json_path)
    : plot_path_(std::move(plot_path)), json_path_(std::move(json_path)) {
  if (plot_path_.empty() || !json_path_.empty()) return;
  is_temporary_ = true;
  json_path_ = (std::filesystem::temp_directory_path() /
                ("hashmill-compare-" + std::to_string(::getpid()) + ".json"));
}

PlotFile::~PlotFile() {
  std::error_code ignored;
  if (is_temporary_) std::filesystem::remove(json_path_, ignored);
}

void PlotFile::draw() const {
  if (plot_path_.empty()) return;
  const char* const words[] = {"python3", HASHMILL_PLOT_SCRIPT, json_path_.c_str(),
                               plot_path_.c_str(), nullptr};
  if (!run_program(words)) throw Error("--plot: " + plot_path_ + " was not drawn");
  std::printf("plot: %s\n", plot_path_.c_str());
}

}  // namespace hashmill::perf
