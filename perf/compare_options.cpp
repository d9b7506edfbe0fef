#include "compare_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <hashmill/error.hpp>
#include <hashmill/version.hpp>
#include <iostream>
#include <map>
#include <set>

#include "compare_case.hpp"
#include "option_values.hpp"
#include "sweep.hpp"

namespace hashmill::perf {
namespace {

constexpr const char* description =
    "Builds, probes and joins HashGraph tables, beside the tables people use today, on the same\n"
    "keys and queries. Every timed result is checked. Lists are separated by commas; every\n"
    "combination is run. Options that begin with --benchmark_ go to Google Benchmark, those that\n"
    "begin with --kokkos- to Kokkos.";

constexpr const char* footer =
    "What is timed: of a build all of it, with its memory; of a look-up all queries against a\n"
    "table that is there; of churn five rounds on a table that is there, each of which erases a\n"
    "tenth of its keys and inserts as many others, in keys erased and inserted per second.";

/// Option values before they are resolved.
struct RawOptions {
  std::vector<std::string> algorithms = {"all"};
  std::vector<std::string> orders = {"random"};
  std::string keys;
  std::string key_format = "auto";
  std::string sweep;
  bool no_progress = false;
  bool list_algorithms = false;
};

void add_axes(CLI::App& app, CompareOptions& options, RawOptions& raw) {
  const auto list = [&](const char* name, auto& target, const char* text, const char* description) {
    return app.add_option(name, target, description)
        ->delimiter(',')
        ->option_text(text)
        ->group("Axes");
  };
  const auto single = [&](const char* name, auto& target, const char* text,
                          const char* description) {
    return app.add_option(name, target, description)->option_text(text)->group("Axes");
  };
  list("--backend", options.backends, "NAME,...",
       "Execution spaces: OpenMP, Cuda, ... [all compiled in]");
  list("--algorithm", raw.algorithms, "NAME,...", "Algorithms; also all, ours, peers [all]");
  single("--sweep", raw.sweep, "fill|hit-rate|load-factor",
         "Look-ups (find) over one axis, at one size a backend")
      ->check(one_of(sweep_names()));
  list("--n", options.num_keys, "COUNT,...",
       "Keys to build from, such as 1000000 or 2^27 [by backend]")
      ->transform(count_from(1));
  single("--queries", options.num_queries, "COUNT", "Queries [as many as keys]")
      ->transform(count_from(1));
  list("--key-bits", options.key_bits, "32|64|128,...",
       "Bits of a key [32, or what the key file says]")
      ->check(one_of({"32", "64", "128"}));
  list("--load-factor", options.load_factors, "X,...", "Keys per bucket [1]")
      ->check(positive_number());
  list("--fill", options.fills, "X,...",
       "Share of slots in use, of LinearProbing, TagBucket and cuCollections [0.5]")
      ->check(positive_number());
  list("--multiplicity", options.multiplicities, "COUNT,...",
       "Times each key occurs; zipf: on average [1]")
      ->transform(count_from(1));
  list("--bins", options.bins, "COUNT,...", "Bins of V2; 0: chosen by the library [0]")
      ->transform(count_from(0));
  list("--hit-rate", options.hit_rates, "X,...", "Share of the queries whose key is there [1]")
      ->check(share());
  list("--order", raw.orders, "sequential|random|zipf,...", "Order and skew of the keys [random]")
      ->check(one_of({"sequential", "random", "zipf"}));
  single("--zipf-exponent", options.zipf_exponent, "X", "Skew of --order zipf [1]")
      ->check(positive_number());
  single("--seed", options.seed, "N", "Seed of the generated keys [1]")->transform(count_from(0));
}

void add_input(CLI::App& app, RawOptions& raw) {
  const auto add = [&](const char* name, auto& target, const char* text, const char* description) {
    return app.add_option(name, target, description)->option_text(text)->group("Input");
  };
  add("--keys", raw.keys, "FILE[:COLUMN]",
      "Keys from a file: SOSD binary, raw binary (.raw, .bin) or FILE.csv:COLUMN");
  add("--key-format", raw.key_format, "auto|sosd|raw|csv",
      "Format of the key file, where its name does not tell [auto]")
      ->check(one_of({"auto", "sosd", "raw", "csv"}));
}

void add_output(CLI::App& app, CompareOptions& options, RawOptions& raw) {
  const auto add = [&](const char* name, auto& target, const char* text, const char* description) {
    return app.add_option(name, target, description)->option_text(text)->group("Run and output");
  };
  add("--repetitions", options.repetitions, "N", "Timed repetitions; the median is shown [5]")
      ->transform(count_from(1));
  add("--seconds", options.seconds, "S", "Leave repetitions out to end in about this time [120]")
      ->check(positive_number());
  add("--json", options.json_path, "FILE", "Write the results as Google Benchmark's JSON");
  add("--plot", options.plot_path, "FILE.png|FILE.svg", "Plot the results (python3 and gnuplot)");
  app.add_flag("--no-progress", raw.no_progress, "No progress on stderr")->group("Run and output");
  app.add_flag("--list-algorithms", raw.list_algorithms, "List the algorithms and end")
      ->group("Run and output");
}

std::vector<const Algorithm*> select_algorithms(const std::vector<std::string>& names) {
  std::set<const Algorithm*> chosen;
  for (const auto& name : names) {
    const bool is_group = name == "all" || name == "ours" || name == "peers";
    for (const Algorithm& algorithm : all_algorithms()) {
      if (is_group ? (name == "all" || (name == "peers") == algorithm.is_peer)
                   : algorithm.name == name) {
        chosen.insert(&algorithm);
      }
    }
    if (!is_group && find_algorithm(name) == nullptr) {
      throw InvalidArgument("--algorithm: there is no '" + name +
                            "' (--list-algorithms lists them)");
    }
  }
  return {chosen.begin(), chosen.end()};
}

std::vector<KeyOrder> parse_orders(const std::vector<std::string>& names) {
  std::vector<KeyOrder> orders;
  for (const KeyOrder order : {KeyOrder::sequential, KeyOrder::random, KeyOrder::zipf}) {
    if (std::ranges::find(names, to_string(order)) != names.end()) orders.push_back(order);
  }
  return orders;
}

KeyFileRequest make_file_request(const RawOptions& raw, const CompareOptions& options) {
  KeyFileRequest request = KeyFileRequest::parse(raw.keys);
  const std::map<std::string, KeyFileFormat> formats = {{"auto", KeyFileFormat::automatic},
                                                        {"sosd", KeyFileFormat::sosd},
                                                        {"raw", KeyFileFormat::raw},
                                                        {"csv", KeyFileFormat::csv}};
  request.format = formats.at(raw.key_format);
  if (options.key_bits.size() > 1) throw InvalidArgument("--keys: give one --key-bits, or none");
  if (!options.key_bits.empty()) request.key_bits = options.key_bits.front();
  return request;
}

/// Hands each argument that CLI11 does not know to the library it belongs to.
void sort_out_rest(const std::vector<std::string>& rest, CompareOptions& options) {
  for (const auto& argument : rest) {
    if (argument.starts_with("--benchmark_") || argument.starts_with("--v=")) {
      options.benchmark_flags.push_back(argument);
    } else if (argument.starts_with("--kokkos-")) {
      options.kokkos_flags.push_back(argument);
    } else {
      throw InvalidArgument("there is no option " + argument + " (--help lists them)");
    }
  }
}

void list_algorithms() {
  std::size_t width = 0;
  for (const Algorithm& algorithm : all_algorithms())
    width = std::max(width, algorithm.name.size());
  for (const Algorithm& algorithm : all_algorithms()) {
    std::cout << algorithm.name << std::string(width + 2 - algorithm.name.size(), ' ')
              << to_string(algorithm.kind) << " · " << algorithm.structure << '\n';
  }
}

}  // namespace

bool CompareOptions::has_benchmark_flag(const std::string& name) const {
  return std::ranges::any_of(benchmark_flags,
                             [&](const auto& flag) { return flag.starts_with("--" + name); });
}

std::optional<CompareOptions> parse_compare_options(int argc, const char* const* argv) {
  CompareOptions options;
  RawOptions raw;
  CLI::App app(description, "hashmill-compare");
  app.get_formatter()->column_width(42);
  app.footer(footer);
  app.allow_extras();
  app.set_version_flag("--version", "hashmill " HASHMILL_VERSION_STRING);
  add_axes(app, options, raw);
  add_input(app, raw);
  add_output(app, options, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success))
      throw InvalidArgument(error.what());
    app.exit(error);
    return std::nullopt;
  }
  if (raw.list_algorithms) {
    list_algorithms();
    return std::nullopt;
  }
  sort_out_rest(app.remaining(), options);
  options.algorithms = select_algorithms(raw.algorithms);
  if (!raw.sweep.empty()) {
    apply_sweep(raw.sweep, {app.count("--" + raw.sweep) != 0, app.count("--algorithm") != 0},
                options);
  }
  options.orders = parse_orders(raw.orders);
  options.show_progress = !raw.no_progress;
  if (!raw.keys.empty()) options.keys = make_file_request(raw, options);
  if (!options.plot_path.empty() && !options.plot_path.ends_with(".png") &&
      !options.plot_path.ends_with(".svg")) {
    throw InvalidArgument("--plot: the file must end in .png or .svg, not " + options.plot_path);
  }
  return options;
}

}  // namespace hashmill::perf
