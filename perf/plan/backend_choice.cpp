#include "backend_choice.hpp"

#include <algorithm>
#include <cctype>
#include <hashmill/error.hpp>

namespace hashmill::perf {
namespace {

bool equal_ignoring_case(const std::string& a, const std::string& b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::vector<BackendInfo> choose_backends(const std::vector<std::string>& names,
                                         const std::vector<BackendInfo>& backends) {
  if (names.empty()) return backends;
  std::vector<BackendInfo> chosen;
  for (const BackendInfo& backend : backends) {
    const auto is_it = [&](const std::string& name) {
      return equal_ignoring_case(name, backend.name);
    };
    if (std::ranges::any_of(names, is_it)) chosen.push_back(backend);
  }
  for (const std::string& name : names) {
    const auto is_it = [&](const BackendInfo& backend) {
      return equal_ignoring_case(name, backend.name);
    };
    if (std::ranges::any_of(backends, is_it)) continue;
    std::string has;
    for (const BackendInfo& backend : backends) has += (has.empty() ? "" : ", ") + backend.name;
    throw InvalidArgument("--backend: this program has " + has + ", not " + name);
  }
  return chosen;
}

bool runs_here(const Algorithm& algorithm, const BackendInfo& backend) {
  if (algorithm.runs_on == RunsOn::gpu) return !backend.is_host;
  return algorithm.runs_on == RunsOn::every_backend || backend.is_host;
}

}  // namespace hashmill::perf
