#include "cpu_options.hpp"

#include <CLI/CLI.hpp>

#include "plan/algorithm_choice.hpp"
#include "plan/option_group.hpp"
#include "plan/option_values.hpp"

namespace hashmill::perf {

void CpuCommand::add_to(CLI::App& app) {
  const OptionGroup axes(app, "Axes");
  axes.list("--threads", options_.threads, "N,...", "Threads [1, 2, 4, ... and all]")
      ->transform(count_from(1));
  axes.list("--shape", options_.shapes, "NAME,...",
            "Inputs: dense, random, drawn, repeated-4, repeated-32, zipf, 1:16 [all]")
      ->check(one_of(cpu_shape_names()));
  axes.list("--algorithm", algorithms_, "NAME,...", "Algorithms; also all, ours, peers [all]");
  axes.list("--n", options_.num_rows, "COUNT,...",
            "Rows of the right side, such as 1000000 or 2^25 [2^22]")
      ->transform(count_from(1));
  axes.list("--key-bits", options_.key_bits, "32|64,...", "Bits of a key [32]")
      ->check(one_of({"32", "64"}));
  axes.list("--payload", payloads_, "rows|count,...",
            "What a pair of a join gives: row numbers, or none are written [rows]")
      ->check(one_of({"rows", "count"}));
  axes.single("--seed", options_.seed, "N", "Seed of the generated keys [1]")
      ->transform(count_from(0));
  add_run_options(app, options_);
}

CpuOptions CpuCommand::finish(const std::vector<std::string>& rest) const {
  CpuOptions options = options_;
  finish_run_options(rest, options);
  options.algorithms = select_algorithms(cpu_algorithms(), algorithms_);
  if (!payloads_.empty()) options.outputs.clear();
  for (const std::string& payload : payloads_)
    options.outputs.push_back(payload == "count" ? JoinOutput::count : JoinOutput::rows);
  return options;
}

}  // namespace hashmill::perf
