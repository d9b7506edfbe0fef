#pragma once

#include <string>
#include <string_view>

namespace hashmill::perf {

struct CompareCase;

/// What a row measures; rows of one operation are compared with each other.
enum class OperationKind {
  build,
  insert,
  churn,
  partition_8,   ///< into 2^8 parts
  partition_16,  ///< into 2^16 parts
  contains,
  find,
  count,
  retrieve,
  join_count,
  join_pairs,
  both_sides,
  group
};

/// The axes, beyond the keys themselves, on which an algorithm's time can depend.
struct UsedAxes {
  bool queries = false;      ///< number of queries and hit rate
  bool load_factor = false;  ///< keys a bucket
  bool bins = false;         ///< number of bins
  bool fill = false;         ///< share of slots in use
  bool sides = false;        ///< of a join: ratio of the sides, skew and payload
  bool groups = false;       ///< of a group-by: number of groups, skew and aggregates
  bool budget = false;       ///< how much memory it may take
};

/// Where an algorithm runs.
enum class RunsOn {
  every_backend,  ///< on each chosen execution space
  gpu,            ///< on those that are no host
  host_threads,   ///< on the host only, with all its threads
  host_serial     ///< on the host only, with one thread
};

/// What a table cannot do; rows beyond it are left out.
struct TableLimits {
  double fill = 1;          ///< the largest share of slots in use
  unsigned key_bits = 128;  ///< of the widest key
};

/// What the run without options, which has to end within minutes, asks of an algorithm.
enum class DefaultRun {
  none,   ///< nothing: other rows of its table show what it would
  small,  ///< on a host, the small data set
  all     ///< on a host, the larger one too
};

/// One row of a list of algorithms: what is said of it. What makes it stands in the same row of the
/// list, see tables/table_list.hpp, join/join_algorithms.cpp and group_by/group_by_algorithms.cpp.
struct Algorithm {
  std::string name;  ///< as given to --algorithm
  OperationKind kind = OperationKind::build;
  std::string structure;  ///< as shown in the table
  RunsOn runs_on = RunsOn::every_backend;
  UsedAxes axes = {};
  bool is_peer = false;  ///< someone else's table
  DefaultRun default_run = DefaultRun::small;
  TableLimits limits = {};
  /// Why a case cannot be run, as the end of "<structure> is left out ..."; empty if it can.
  std::string (*left_out)(const CompareCase&) = nullptr;
};

/// "build", "find", ...
std::string_view to_string(OperationKind kind);

}  // namespace hashmill::perf
