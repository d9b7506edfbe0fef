#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <hashmill/error.hpp>
#include <hashmill/version.hpp>

#include "budget/budgeted_joins.hpp"
#include "compression/compression_options.hpp"
#include "cpu/cpu_options.hpp"
#include "group_by/group_by_algorithms.hpp"
#include "group_by/group_by_options.hpp"
#include "join/join_algorithms.hpp"
#include "join/join_options.hpp"
#include "plan/algorithm_choice.hpp"
#include "tables/table_algorithms.hpp"

namespace hashmill::perf {
namespace {

constexpr const char* description =
    "Builds, probes and joins HashGraph tables, beside the tables people use today, on the same\n"
    "keys and queries. Every timed result is checked. Lists are separated by commas; every\n"
    "combination is run. Options that begin with --benchmark_ go to Google Benchmark, those that\n"
    "begin with --kokkos- to Kokkos.";

constexpr const char* footer =
    "What is timed: of a build all of it, with the table's memory; of an insert all keys into an\n"
    "empty table that is there, with room for them; of a look-up all queries against a table that\n"
    "is there; of churn five rounds on a table that is there, each of which erases a tenth of its\n"
    "keys and inserts as many others, in keys erased and inserted per second.";

constexpr const char* join_description =
    "Joins two sides that are in no table, left and right, beside other people's joins";

constexpr const char* group_by_description =
    "Groups and aggregates rows of a key and a value, beside other people's group-bys";

constexpr const char* cpu_description =
    "Joins, builds, inserts and finds on this machine's processor with 1, 2, 4, ... and all "
    "threads, "
    "beside\n"
    "the joins and tables that people use there, on keys of several shapes";

constexpr const char* distributed_description =
    "Under mpirun: shuffles, tables and joins of all ranks, beside calls of MPI or NCCL\n"
    "and the same on one rank; rank 0 prints";

constexpr const char* compress_description =
    "Compresses columns by each cascade of run lengths, differences and packed bits";

constexpr const char* topology_description =
    "Shows this machine, or one described as hwloc does, and how work would be spread over it";

/// The algorithms that a command can run.
std::span<const Algorithm> algorithms_of(const CompareOptions&) { return table_algorithms(); }
std::span<const Algorithm> algorithms_of(const JoinCommandOptions& options) {
  return options.budget ? budgeted_join_algorithms() : join_algorithms();
}
std::span<const Algorithm> algorithms_of(const GroupByOptions&) { return group_by_algorithms(); }
std::span<const Algorithm> algorithms_of(const CpuOptions&) { return cpu_algorithms(); }

/// The command, or nothing if it only lists its algorithms.
template <class Options>
std::optional<Command> unless_listed(Options options) {
  if (!options.list_algorithms) return options;
  list_algorithms(algorithms_of(options));
  return std::nullopt;
}

}  // namespace

std::optional<Command> parse_command_line(int argc, const char* const* argv) {
  CompareCommand compare;
  JoinCommand join;
  GroupByCommand group_by;
  CpuCommand cpu;
  CompressionCommand compression;
  DistributedCommand distributed;
  TopologyCommand topology;
  CLI::App app(description, "hashmill-compare");
  app.get_formatter()->column_width(42);
  app.footer(footer);
  app.allow_extras();
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", "hashmill " HASHMILL_VERSION_STRING);
  compare.add_to(app);
  CLI::App* const join_app = app.add_subcommand("join", join_description);
  CLI::App* const group_by_app = app.add_subcommand("group-by", group_by_description);
  CLI::App* const cpu_app = app.add_subcommand("cpu", cpu_description);
  CLI::App* const distributed_app = app.add_subcommand("distributed", distributed_description);
  CLI::App* const compress_app = app.add_subcommand("compress", compress_description);
  CLI::App* const topology_app = app.add_subcommand("topology", topology_description);
  for (CLI::App* const command :
       {join_app, group_by_app, cpu_app, distributed_app, compress_app, topology_app}) {
    command->footer("");
  }
  join.add_to(*join_app);
  group_by.add_to(*group_by_app);
  cpu.add_to(*cpu_app);
  distributed.add_to(*distributed_app);
  compression.add_to(*compress_app);
  topology.add_to(*topology_app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success))
      throw InvalidArgument(error.what());
    app.exit(error);
    return std::nullopt;
  }
  const auto rest = app.remaining(true);
  if (join_app->parsed()) return unless_listed(join.finish(*join_app, rest));
  if (group_by_app->parsed()) return unless_listed(group_by.finish(*group_by_app, rest));
  if (cpu_app->parsed()) return unless_listed(cpu.finish(rest));
  if (distributed_app->parsed()) return distributed.finish(rest);
  if (compress_app->parsed()) return compression.finish(rest);
  if (topology_app->parsed()) return topology.finish(rest);
  return unless_listed(compare.finish(app, rest));
}

}  // namespace hashmill::perf
