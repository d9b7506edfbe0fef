#include "plan_sizes.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace hashmill::perf {

PlanSizes::PlanSizes(std::vector<std::uint64_t> asked, DefaultSizes defaults, bool one_a_backend,
                     const std::vector<BackendInfo>& backends)
    : defaults_(std::move(defaults)), all_(std::move(asked)), are_default_(all_.empty()) {
  if (one_a_backend) defaults_ = {{defaults_.host.front()}, {defaults_.gpu.back()}};
  if (!are_default_) return;
  std::set<std::uint64_t> of_any;
  for (const BackendInfo& backend : backends) {
    const auto& sizes = backend.is_host ? defaults_.host : defaults_.gpu;
    of_any.insert(sizes.begin(), sizes.end());
  }
  all_ = {of_any.begin(), of_any.end()};
}

bool PlanSizes::include(const BackendInfo& backend, std::uint64_t size) const {
  if (!are_default_) return true;
  return std::ranges::count(backend.is_host ? defaults_.host : defaults_.gpu, size) != 0;
}

}  // namespace hashmill::perf
