#include "distributed_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <hashmill/error.hpp>

#include "link_option.hpp"
#include "plan/option_group.hpp"
#include "plan/option_values.hpp"
#include "rank_row.hpp"

namespace hashmill::perf {
namespace {

/// Throws unless there are operations of these names.
void require_operations(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::ranges::find(rank_operations(), name, &RankOperation::name) ==
        rank_operations().end()) {
      throw InvalidArgument("distributed: there is no operation '" + name +
                            "' (--help lists them)");
    }
  }
}

}  // namespace

void DistributedCommand::add_to(CLI::App& app) {
  const OptionGroup what(app, "What is timed");
  what.list("operation", options_.operations, "NAME ...", "Operations: exchange [all]");
  what.list("--bytes-per-rank", options_.bytes_per_rank, "COUNT,...",
            "Bytes that a rank sends, to itself too [2^20,2^24,2^28]")
      ->allow_extra_args(false)
      ->transform(count_from(1));
  what.single("--link", link_, "RATE[,LATENCY]",
              "Slow each rank down to a link, such as 25GB/s,5us");
  what.single("--seed", options_.seed, "N", "Seed of what is sent [1]")->transform(count_from(0));
  const OptionGroup run(app, "Run and output");
  add_timing_options(run, options_);
  run.flag("--phases", options_.phases, "Show what each phase sent, and the seconds it waited");
}

DistributedOptions DistributedCommand::finish(const std::vector<std::string>& rest) const {
  DistributedOptions options = options_;
  finish_run_options(rest, options);
  if (!options.benchmark_flags.empty()) {
    throw InvalidArgument("distributed: ranks are not timed by Google Benchmark, so there is no " +
                          options.benchmark_flags[0]);
  }
  require_operations(options.operations);
  if (!link_.empty()) options.link = parse_link(link_);
  return options;
}

}  // namespace hashmill::perf
