#include "join_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <hashmill/error.hpp>

#include "budget/budgeted_joins.hpp"
#include "join_algorithms.hpp"
#include "keys/tpch_orders.hpp"
#include "plan/option_group.hpp"
#include "plan/option_values.hpp"

namespace hashmill::perf {
namespace {

JoinKind parse_kind(const std::string& word) {
  for (const JoinKind kind : {JoinKind::left, JoinKind::right, JoinKind::full}) {
    if (to_string(kind) == word) return kind;
  }
  return JoinKind::inner;
}

JoinOutput parse_output(const std::string& word) {
  for (const JoinOutput output :
       {JoinOutput::rows, JoinOutput::values_4, JoinOutput::values_8, JoinOutput::values_16}) {
    if (to_string(output) == word) return output;
  }
  return JoinOutput::count;
}

/// Takes `orders` of these scale factors for the right side.
void use_tpch(const std::vector<double>& scale_factors, JoinCommandOptions& options) {
  options.orders = {KeyOrder::tpch};
  for (const double factor : scale_factors) options.num_rows.push_back(num_tpch_orders(factor));
}

}  // namespace

void JoinCommand::add_to(CLI::App& app) {
  common_.add_to(app, options_, "Rows of the right side, such as 1000000 or 2^27 [by backend]",
                 "Zipf exponent of the left keys that have partners, 0 to 4 [0]",
                 join_sweep_names());
  const OptionGroup axes(app, "Axes");
  axes.list("--ratio", options_.ratios, "X,...", "Left rows per right row [1]")
      ->check(positive_number());
  axes.list("--multiplicity", options_.multiplicities, "X,...",
            "Right rows per key; drawn: on average, which may be below 1 [1]")
      ->transform(multiplicity());
  axes.list("--hit-rate", options_.hit_rates, "X,...",
            "Share of the left rows that have partners [1]")
      ->check(share());
  axes.list("--kind", kinds_, "inner|left|right|full,...",
            "Rows without partners too: of the left side, the right or both [inner]")
      ->check(one_of({"inner", "left", "right", "full"}));
  axes.list("--payload", payloads_, "rows|count|4|8|16,...",
            "What a pair gives: row numbers, or bytes a side [rows,count,4]")
      ->check(one_of({"count", "0", "rows", "4", "8", "16"}));
  CLI::Option* const tpch =
      axes.list("--tpch", scale_factors_, "SF,...",
                "TPC-H's lineitem (left) and orders (right) of these scale factors, such as 0.1, "
                "with 64-bit keys");
  tpch->check(positive_number());
  for (const char* own :
       {"--n", "--order", "--zipf", "--ratio", "--multiplicity", "--hit-rate", "--sweep"}) {
    tpch->excludes(own);
  }
  budget_.add_to(app, {"--sweep", "--key-bits", "--columns", "--kind", "--payload", "--tpch"});
  add_run_options(app, options_);
}

JoinCommandOptions JoinCommand::finish(const CLI::App& app, const std::vector<std::string>& rest) {
  JoinCommandOptions options = options_;
  options.budget = budget_.finish();
  common_.finish(rest, options.budget ? budgeted_join_algorithms() : join_algorithms(), options);
  if (!common_.sweep().empty()) {
    apply_join_sweep(common_.sweep(), app.count("--" + common_.sweep()) != 0, options);
    if (payloads_.empty()) options.outputs = {JoinOutput::rows};
  }
  if (!scale_factors_.empty()) {
    use_tpch(scale_factors_, options);
    if (app.count("--key-bits") == 0) options.key_bits = {64};
  }
  if (options.budget) {
    if (std::ranges::any_of(options.orders, is_left_to_chance))
      throw InvalidArgument("--budget excludes --order drawn");
    options.one_default_size = true;
    options.key_bits = {64};
    options.outputs = {JoinOutput::values_8};
  }
  if (!kinds_.empty()) options.kinds.clear();
  for (const std::string& kind : kinds_) options.kinds.push_back(parse_kind(kind));
  if (!payloads_.empty()) options.outputs.clear();
  for (const std::string& payload : payloads_) options.outputs.push_back(parse_output(payload));
  return options;
}

}  // namespace hashmill::perf
