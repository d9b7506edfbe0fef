#include "run_phases.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <numeric>
#include <string_view>
#include <vector>

namespace hashmill::perf {
namespace {

namespace Tools = Kokkos::Tools::Experimental;
using Clock = std::chrono::steady_clock;

/// What Kokkos's callbacks, which are plain functions, write to.
struct KernelTimes {
  PhaseSeconds seconds{};
  std::vector<std::string> regions;
  RunPhase phase = RunPhase::other;
  Clock::time_point began;
  Tools::EventSet others;  // callbacks of a tool that was there before
};

KernelTimes& times() {
  static KernelTimes all;
  return all;
}

/// The open region of work on one rank's rows.
std::string rank_region() {
  const auto& regions = times().regions;
  for (const char* whole : {"hashmill::hash_join", "hashmill::gather", "hashmill::group_by",
                            "hashmill::hash_aggregation"}) {
    if (std::ranges::find(regions, whole) != regions.end()) return whole;
  }
  const auto found = std::find_if(regions.rbegin(), regions.rend(), [](const std::string& region) {
    return region.starts_with("hashmill::HashGraph::") ||
           region.starts_with("hashmill::JoinFilter::") || region == "hashmill::intersect_count";
  });
  return found == regions.rend() ? "" : *found;
}

void begin_kernel(const char* label, std::uint32_t, std::uint64_t* id) {
  *id = 0;
  times().phase = phase_of_kernel(label, rank_region());
  times().began = Clock::now();
}
void end_kernel(std::uint64_t) {
  const std::chrono::duration<double> took = Clock::now() - times().began;
  times().seconds[static_cast<std::size_t>(times().phase)] += took.count();
}
void push_region(const char* name) { times().regions.emplace_back(name); }
void pop_region() {
  if (!times().regions.empty()) times().regions.pop_back();
}

}  // namespace

const char* name_of(RunPhase phase) {
  static constexpr const char* names[num_run_phases] = {
      "count bins", "add bins", "filter", "partition", "exchange sizes", "exchange rows", "build",
      "look up",    "join",     "gather", "group",     "put answers",    "other"};
  return names[static_cast<std::size_t>(phase)];
}

RunPhase phase_of_kernel(const std::string& label, const std::string& rank_region) {
  if (rank_region == "hashmill::hash_join") return RunPhase::join;
  if (rank_region == "hashmill::gather") return RunPhase::gather;
  if (rank_region == "hashmill::group_by") return RunPhase::group;
  if (rank_region == "hashmill::hash_aggregation") return RunPhase::group;
  if (rank_region.starts_with("hashmill::JoinFilter::")) return RunPhase::filter;
  if (rank_region.ends_with("build")) return RunPhase::build;
  if (!rank_region.empty()) return RunPhase::look_up;
  const auto begins = [&](const char* start) { return label.starts_with(start); };
  if (begins("hashmill::hash_graph")) return RunPhase::build;  // in rounds, in no region of its own
  if (begins("hashmill::distributed_hash_graph::count_bins")) return RunPhase::count_bins;
  if (begins("hashmill::join_filter::") || begins("hashmill::or_over_ranks") ||
      begins("hashmill::distributed_join::sample")) {
    return RunPhase::filter;
  }
  if (begins("hashmill::partition") || begins("hashmill::shuffle") ||
      begins("hashmill::exclusive_scan")) {
    return RunPhase::partition;
  }
  if (begins("hashmill::pick::")) return RunPhase::gather;
  if (begins("hashmill::queries") || begins("hashmill::distributed_hash_graph::origins")) {
    return RunPhase::put_answers;
  }
  return RunPhase::other;
}

RunPhase phase_of_wait(const std::string& name) {
  if (name == "add bins") return RunPhase::add_bins;
  return name == "exchange rows" || name == "exchange" ? RunPhase::exchange : RunPhase::sizes;
}

PhaseClock::PhaseClock(Communicator timed)
    : timed_(std::move(timed)), before_(timed_.statistics()) {
  times() = {};
  times().others = Tools::get_callbacks();
  Tools::set_begin_parallel_for_callback(begin_kernel);
  Tools::set_begin_parallel_reduce_callback(begin_kernel);
  Tools::set_begin_parallel_scan_callback(begin_kernel);
  Tools::set_end_parallel_for_callback(end_kernel);
  Tools::set_end_parallel_reduce_callback(end_kernel);
  Tools::set_end_parallel_scan_callback(end_kernel);
  Tools::set_push_region_callback(push_region);
  Tools::set_pop_region_callback(pop_region);
}

PhaseClock::~PhaseClock() { Tools::set_callbacks(times().others); }

PhaseSeconds PhaseClock::finish(double seconds) {
  PhaseSeconds phases = times().seconds;
  for (const auto& [name, after] : timed_.statistics().phases) {
    const auto before = before_.phases.find(name);
    const double waited = before == before_.phases.end() ? 0 : before->second.seconds;
    phases[static_cast<std::size_t>(phase_of_wait(name))] += after.seconds - waited;
  }
  const auto other = static_cast<std::size_t>(RunPhase::other);
  phases[other] = 0;
  phases[other] = std::max(0.0, seconds - std::accumulate(phases.begin(), phases.end(), 0.0));
  return phases;
}

PhaseSeconds mean_phases(const Communicator& ranks, const PhaseSeconds& mine) {
  std::array<std::uint64_t, num_run_phases> nanoseconds;
  std::ranges::transform(mine, nanoseconds.begin(),
                         [](double seconds) { return static_cast<std::uint64_t>(1e9 * seconds); });
  ranks.all_reduce(nanoseconds, Reduction::sum);
  PhaseSeconds mean;
  std::ranges::transform(nanoseconds, mean.begin(), [&](std::uint64_t all) {
    return 1e-9 * static_cast<double>(all) / ranks.size();
  });
  return mean;
}

}  // namespace hashmill::perf
