#include "group_by_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "budget/budgeted_group_bys.hpp"
#include "group_by_algorithms.hpp"
#include "plan/option_group.hpp"
#include "plan/option_values.hpp"

namespace hashmill::perf {

void GroupByCommand::add_to(CLI::App& app) {
  common_.add_to(app, options_, "Rows, such as 1000000 or 2^27 [by backend]",
                 "Zipf exponent of the keys, 0 to 4 [0]", group_by_sweep_names());
  const OptionGroup axes(app, "Axes");
  axes.list("--groups", options_.num_groups, "COUNT,...",
            "Groups that keys are drawn from [4,2^10,2^20 and n/2]")
      ->transform(count_from(1));
  axes.list("--aggregate", aggregates_, "count|sum|all,...",
            "count; sum and count; these, min, max and mean [sum]")
      ->check(one_of({"count", "sum", "all"}));
  budget_.add_to(app, {"--sweep", "--key-bits", "--columns", "--aggregate"});
  add_run_options(app, options_);
}

GroupByOptions GroupByCommand::finish(const CLI::App& app, const std::vector<std::string>& rest) {
  GroupByOptions options = options_;
  options.budget = budget_.finish();
  common_.finish(rest, options.budget ? budgeted_group_by_algorithms() : group_by_algorithms(),
                 options);
  if (options.budget) {
    options.one_default_size = true;
    options.key_bits = {64};
  }
  if (!common_.sweep().empty())
    apply_group_by_sweep(common_.sweep(), app.count("--" + common_.sweep()) != 0, options);
  options.aggregates.clear();
  for (const Aggregates set : {Aggregates::count, Aggregates::sum, Aggregates::all}) {
    if (std::ranges::find(aggregates_, to_string(set)) != aggregates_.end())
      options.aggregates.push_back(set);
  }
  return options;
}

}  // namespace hashmill::perf
