#include "workload_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "algorithm_choice.hpp"
#include "case/compare_case.hpp"
#include "option_group.hpp"
#include "option_values.hpp"

namespace hashmill::perf {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "|") + word;
  return text;
}

}  // namespace

void WorkloadCommand::add_to(CLI::App& app, WorkloadOptions& options, const char* rows,
                             const char* skewed, const std::vector<std::string>& sweeps) {
  const OptionGroup axes(app, "Axes");
  axes.list("--backend", options.backends, "NAME,...", "Execution spaces [all compiled in]");
  axes.list("--algorithm", algorithms_, "NAME,...", "Algorithms; also all, ours, peers [all]");
  axes.single("--sweep", sweep_, joined(sweeps).c_str(), "One axis, at one size a backend")
      ->check(one_of(sweeps));
  axes.list("--n", options.num_rows, "COUNT,...", rows)->transform(count_from(1));
  axes.list("--key-bits", options.key_bits, "32|64,...", "Bits of a key [32]")
      ->check(one_of({"32", "64"}));
  axes.list("--zipf", options.skews, "X,...", skewed)->check(zipf_exponent());
  axes.list("--order", orders_, "random|drawn|dense|sequential,...",
            "Scattered keys; drawn with replacement; 0, 1, ... shuffled; 0, 1, ... [random]")
      ->check(one_of({"random", "drawn", "dense", "sequential"}));
  axes.list("--columns", columns_, "one|two|strings|nulls,...",
            "Keys: integers; halves in two columns; strings; with nulls, one in 16 [one]")
      ->check(one_of({"one", "two", "strings", "nulls"}));
  axes.single("--seed", options.seed, "N", "Seed of the generated keys [1]")
      ->transform(count_from(0));
}

void WorkloadCommand::finish(const std::vector<std::string>& rest, std::span<const Algorithm> all,
                             WorkloadOptions& options) const {
  finish_run_options(rest, options);
  options.algorithms = select_algorithms(all, algorithms_);
  options.orders = called<KeyOrder>(
      {KeyOrder::random, KeyOrder::drawn, KeyOrder::dense, KeyOrder::sequential}, orders_);
  options.columns = called<KeyColumns>(
      {KeyColumns::one, KeyColumns::two, KeyColumns::strings, KeyColumns::nulls}, columns_);
}

}  // namespace hashmill::perf
