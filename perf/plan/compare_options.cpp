#include "compare_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <hashmill/error.hpp>
#include <map>

#include "algorithm_choice.hpp"
#include "case/compare_case.hpp"
#include "option_group.hpp"
#include "option_values.hpp"
#include "sweep.hpp"
#include "tables/table_algorithms.hpp"

namespace hashmill::perf {
namespace {

KeyFileRequest make_file_request(const std::string& keys, const std::string& format,
                                 const CompareOptions& options) {
  KeyFileRequest request = KeyFileRequest::parse(keys);
  const std::map<std::string, KeyFileFormat> formats = {{"auto", KeyFileFormat::automatic},
                                                        {"sosd", KeyFileFormat::sosd},
                                                        {"raw", KeyFileFormat::raw},
                                                        {"csv", KeyFileFormat::csv}};
  request.format = formats.at(format);
  if (options.key_bits.size() > 1) throw InvalidArgument("--keys: give one --key-bits, or none");
  if (!options.key_bits.empty()) request.key_bits = options.key_bits.front();
  return request;
}

}  // namespace

void CompareCommand::add_to(CLI::App& app) {
  const OptionGroup axes(app, "Axes");
  axes.list("--backend", options_.backends, "NAME,...",
            "Execution spaces: OpenMP, Cuda, ... [all compiled in]");
  axes.list("--algorithm", algorithms_, "NAME,...", "Algorithms; also all, ours, peers [all]");
  axes.single("--sweep", sweep_, "fill|hit-rate|load-factor",
              "Look-ups (find) over one axis, at one size a backend")
      ->check(one_of(sweep_names()));
  axes.list("--n", options_.num_keys, "COUNT,...",
            "Keys to build from, such as 1000000 or 2^27 [by backend]")
      ->transform(count_from(1));
  axes.single("--queries", options_.num_queries, "COUNT", "Queries [as many as keys]")
      ->transform(count_from(1));
  axes.list("--key-bits", options_.key_bits, "32|64|128,...",
            "Bits of a key [32, or what the key file says]")
      ->check(one_of({"32", "64", "128"}));
  axes.list("--load-factor", options_.load_factors, "X,...", "Keys per bucket [1]")
      ->check(positive_number());
  axes.list("--fill", options_.fills, "X,...",
            "Share of slots in use, of LinearProbing, TagBucket and cuCollections [0.5]")
      ->check(positive_number());
  axes.list("--multiplicity", options_.multiplicities, "X,...",
            "Times each key occurs; drawn, zipf: on average, which may be below 1 [1]")
      ->transform(multiplicity());
  axes.list("--bins", options_.bins, "COUNT,...", "Bins of V2; 0: chosen by the library [0]")
      ->transform(count_from(0));
  axes.list("--hit-rate", options_.hit_rates, "X,...",
            "Share of the queries whose key is there [1]")
      ->check(share());
  axes.list("--order", orders_, "sequential|random|drawn|zipf,...",
            "Keys 0, 1, ...; shuffled; drawn with replacement; drawn with skew [random]")
      ->check(one_of({"sequential", "random", "drawn", "zipf"}));
  axes.single("--zipf-exponent", options_.zipf_exponent, "X", "Skew of --order zipf [1]")
      ->check(positive_number());
  axes.single("--seed", options_.seed, "N", "Seed of the generated keys [1]")
      ->transform(count_from(0));
  const OptionGroup input(app, "Input");
  input.single(
      "--keys", keys_, "FILE[:COLUMN]",
      "Keys from a file: SOSD binary, raw binary (.raw, .bin) or FILE.csv:COLUMN; both names "
      "may hold colons");
  input
      .single("--key-format", key_format_, "auto|sosd|raw|csv",
              "Format of the key file, where its name does not tell [auto]")
      ->check(one_of({"auto", "sosd", "raw", "csv"}));
  add_run_options(app, options_);
}

CompareOptions CompareCommand::finish(const CLI::App& app, const std::vector<std::string>& rest) {
  CompareOptions options = options_;
  finish_run_options(rest, options);
  options.algorithms = select_algorithms(table_algorithms(), algorithms_);
  if (!sweep_.empty()) {
    apply_sweep(sweep_, {app.count("--" + sweep_) != 0, app.count("--algorithm") != 0}, options);
  }
  options.orders = called<KeyOrder>(
      {KeyOrder::sequential, KeyOrder::random, KeyOrder::drawn, KeyOrder::zipf}, orders_);
  if (!keys_.empty()) options.keys = make_file_request(keys_, key_format_, options);
  return options;
}

}  // namespace hashmill::perf
