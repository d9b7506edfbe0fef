#include "distributed_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <hashmill/error.hpp>

#include "case/compare_case.hpp"
#include "link_option.hpp"
#include "machine/execution_spaces.hpp"
#include "plan/option_group.hpp"
#include "plan/option_values.hpp"
#include "plan/plan_sizes.hpp"
#include "rank_row.hpp"

namespace hashmill::perf {
namespace {

/// The operations of these names. "query" stands for all look-ups.
std::vector<std::string> operations_called(const std::vector<std::string>& names) {
  std::vector<std::string> operations;
  for (const std::string& name : names) {
    if (name == "query") {
      operations.insert(operations.end(), {"contains", "find", "count"});
      continue;
    }
    operations.push_back(name);
    if (std::ranges::find(rank_operations(), name, &RankOperation::name) ==
        rank_operations().end()) {
      throw InvalidArgument("distributed: there is no operation '" + name +
                            "' (--help lists them)");
    }
  }
  return operations;
}

/// The enumerators of these names, of which `all` are in their order.
template <class Choice>
std::vector<Choice> chosen(const std::vector<std::string>& all,
                           const std::vector<std::string>& names) {
  std::vector<Choice> choices;
  for (const std::string& name : names) {
    choices.push_back(static_cast<Choice>(std::ranges::find(all, name) - all.begin()));
  }
  return choices;
}

void add_input_options(CLI::App& app, DistributedOptions& options,
                       std::vector<std::string>& orders) {
  const OptionGroup keys(app, "Keys");
  keys.list("--n", options.num_rows, "COUNT,...",
            "Rows of a rank, with --strong of all ranks [2^22; 2^27 on a GPU]")
      ->allow_extra_args(false)
      ->transform(count_from(1));
  keys.list("--key-bits", options.key_bits, "32|64,...", "Bits of a key [32; of join 64]")
      ->allow_extra_args(false)
      ->check(one_of({"32", "64"}));
  keys.list("--order", orders, "sequential|random|drawn,...",
            "Keys 0, 1, ...; shuffled; drawn with replacement, but not of join [random]")
      ->allow_extra_args(false)
      ->check(one_of({"sequential", "random", "drawn"}));
  keys.list("--zipf", options.zipf_exponents, "X,...",
            "Zipf exponents of keys drawn with skew, of join: of left keys; 0: as --order says "
            "[0]")
      ->allow_extra_args(false)
      ->check(zipf_exponent());
  keys.list("--hot", options.hot_shares, "X,...",
            "Shares of the left rows of join with partners that have one key [0]")
      ->allow_extra_args(false)
      ->check(share());
  keys.list("--hot-right", options.right_hot_shares, "X,...",
            "Shares of the right rows of join that have one key, another than that of --hot [0]")
      ->allow_extra_args(false)
      ->check(share());
  keys.list("--multiplicity", options.multiplicities, "X,...",
            "Times each key occurs; drawn, zipf: on average, which may be below 1 [1]")
      ->allow_extra_args(false)
      ->transform(multiplicity());
  keys.single("--hit-rate", options.hit_rate, "X",
              "Share of the queries whose key is there [1; of join 0.3]")
      ->check(share());
  keys.list("--tpch", options.scale_factors, "SF,...",
            "Scale factors of tpch, of a rank, with --strong of all ranks [1; 30 on a GPU]")
      ->allow_extra_args(false)
      ->check(positive_number());
  keys.single("--seed", options.seed, "N", "Seed of keys, and of what is exchanged [1]")
      ->transform(count_from(0));
}

}  // namespace

std::vector<Travel> DistributedOptions::travels() const {
  std::vector<Travel> all;
  for (const ShuffleLevels level : levels) {
    for (const Compression compression : compressions) all.push_back({compression, level});
  }
  return all;
}

void DistributedCommand::add_to(CLI::App& app) {
  const OptionGroup what(app, "What is timed");
  what.list("operation", operations_, "NAME ...",
            "Operations: exchange, shuffle, build, query (which is contains, find and count), "
            "intersect, group-by, join, tpch [all]");
  what.list("--bytes-per-rank", options_.bytes_per_rank, "COUNT,...",
            "Bytes that a rank exchanges, with itself too [2^20,2^24,2^28]")
      ->allow_extra_args(false)
      ->transform(count_from(1));
  add_input_options(app, options_, orders_);
  const OptionGroup ranks(app, "Ranks");
  ranks
      .list("--ranks", options_.num_ranks, "COUNT,...",
            "Use so many of the ranks, one number after another [all]")
      ->allow_extra_args(false)
      ->transform(count_from(1));
  ranks.flag("--strong", options_.is_strong,
             "Strong scaling: all numbers of ranks share the same rows");
  ranks.single("--transport", transport_, "mpi|nccl", "What moves their memory [nccl if built]")
      ->check(one_of({"mpi", "nccl"}));
  ranks.single("--link", link_, "RATE[,LATENCY]",
               "Slow each rank down to a link, such as 25GB/s,5us");
  ranks
      .list("--compression", compressions_, "automatic|never|always,...",
            "Compress columns on their way, of shuffle, join and tpch [automatic]")
      ->allow_extra_args(false)
      ->check(one_of({"automatic", "never", "always"}));
  ranks
      .list("--levels", levels_, "automatic|one|across|inside,...",
            "Send rows of these straight, or first across nodes, or first inside [automatic]")
      ->allow_extra_args(false)
      ->check(one_of({"automatic", "one", "across", "inside"}));
  ranks
      .single("--ranks-per-node", options_.ranks_per_node, "COUNT",
              "Let so many consecutive ranks count as one node [what is found]")
      ->transform(count_from(1));
  const OptionGroup run(app, "Run and output");
  add_timing_options(run, options_);
  run.flag("--phases", options_.phases, "Run once more, and show the seconds of each phase");
  add_file_options(run, options_, "Plot scaling and phases (python3 and gnuplot)");
}

DistributedOptions DistributedCommand::finish(const std::vector<std::string>& rest) const {
  DistributedOptions options = options_;
  finish_run_options(rest, options);
  if (!options.benchmark_flags.empty()) {
    throw InvalidArgument("distributed: ranks are not timed by Google Benchmark, so there is no " +
                          options.benchmark_flags[0]);
  }
  options.operations = operations_called(operations_);
  options.orders =
      called<KeyOrder>({KeyOrder::sequential, KeyOrder::random, KeyOrder::drawn}, orders_);
  options.compressions = chosen<Compression>({"automatic", "never", "always"}, compressions_);
  options.levels = chosen<ShuffleLevels>({"automatic", "one", "across", "inside"}, levels_);
  constexpr bool is_host = is_host_space<Kokkos::DefaultExecutionSpace>;
  if (options.num_rows.empty()) options.num_rows = {is_host ? small_size : device_size};
  if (options.scale_factors.empty()) options.scale_factors = {is_host ? 1.0 : 30.0};
  if (!transport_.empty()) {
    options.transport = transport_ == "nccl" ? RankTransport::nccl : RankTransport::mpi;
  }
  if (!link_.empty()) options.link = parse_link(link_);
  return options;
}

}  // namespace hashmill::perf
