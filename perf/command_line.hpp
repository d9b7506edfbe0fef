#pragma once

#include <optional>
#include <variant>

#include "compression/compression_options.hpp"
#include "cpu/cpu_plan.hpp"
#include "distributed/distributed_options.hpp"
#include "group_by/group_by_plan.hpp"
#include "join/join_plan.hpp"
#include "plan/compare_options.hpp"
#include "topology/topology_options.hpp"

namespace hashmill::perf {

/// What the command line asks for: tables, joins, group-bys, hosts, ranks or columns, or to show
/// the machine.
using Command = std::variant<CompareOptions, JoinCommandOptions, GroupByOptions, CpuOptions,
                             DistributedOptions, CompressionCommandOptions, TopologyOptions>;

/// Parses the command line. Returns nothing if the program is done (--help, --version,
/// --list-algorithms); throws `InvalidArgument` with one line that says what is wrong.
std::optional<Command> parse_command_line(int argc, const char* const* argv);

}  // namespace hashmill::perf
