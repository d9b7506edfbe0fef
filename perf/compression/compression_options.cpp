#include "compression_options.hpp"

#include <algorithm>
#include <array>
#include <hashmill/error.hpp>

#include "plan/option_group.hpp"
#include "plan/option_values.hpp"

namespace hashmill::perf {
namespace {

constexpr std::array all_columns{CompressedValues::order_key,      CompressedValues::line_key,
                                 CompressedValues::order_priority, CompressedValues::narrow,
                                 CompressedValues::sorted,         CompressedValues::runs,
                                 CompressedValues::random};

std::string to_string(CompressionScheme scheme) { return std::string(name(scheme)); }

/// Those of `all` whose names are listed, all of them where none is.
template <class All>
std::vector<typename All::value_type> called_or_all(const All& all,
                                                    const std::vector<std::string>& names) {
  std::vector<typename All::value_type> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](auto value) {
    return names.empty() || std::ranges::find(names, to_string(value)) != names.end();
  });
  return found;
}

template <class All>
std::vector<std::string> names_of(const All& all) {
  std::vector<std::string> names;
  for (const auto value : all) names.push_back(to_string(value));
  return names;
}

}  // namespace

std::string to_string(CompressedValues values) {
  switch (values) {
    case CompressedValues::order_key:
      return "o_orderkey";
    case CompressedValues::line_key:
      return "l_orderkey";
    case CompressedValues::order_priority:
      return "o_orderpriority";
    case CompressedValues::narrow:
      return "narrow";
    case CompressedValues::sorted:
      return "sorted";
    case CompressedValues::runs:
      return "runs";
    case CompressedValues::random:
      return "random";
  }
  return "unknown";
}

void CompressionCommand::add_to(CLI::App& app) {
  const OptionGroup group(app, "Columns");
  group.single("--n", options_.num_rows, "N", "Rows of each column [2^24]")
      ->transform(count_from(1));
  group
      .list("--columns", columns_, "LIST",
            "o_orderkey, l_orderkey, o_orderpriority (TPC-H's), "
            "narrow, sorted, runs, random [all]")
      ->check(one_of(names_of(all_columns)));
  group
      .list("--schemes", schemes_, "LIST",
            "raw, pack, delta, runs, runs_delta, runs_delta_runs [all]")
      ->check(one_of(names_of(compression_schemes)));
  const OptionGroup how(app, "Run and output");
  how.single("--repetitions", options_.run.repetitions, "N",
             "Timed repetitions; the median is shown [5]")
      ->check(CLI::Range(1U, 1000U));
  add_file_options(how, options_.run, "Plot ratios and speeds (python3 and gnuplot)");
  how.flag("--no-progress", options_.run.no_progress, "No progress on stderr");
}

CompressionCommandOptions CompressionCommand::finish(const std::vector<std::string>& rest) const {
  CompressionCommandOptions options = options_;
  finish_run_options(rest, options.run);
  if (!options.run.benchmark_flags.empty()) {
    throw InvalidArgument("compress: Google Benchmark times nothing here, so there is no " +
                          options.run.benchmark_flags[0]);
  }
  options.columns = called_or_all(all_columns, columns_);
  options.schemes = called_or_all(compression_schemes, schemes_);
  return options;
}

}  // namespace hashmill::perf
