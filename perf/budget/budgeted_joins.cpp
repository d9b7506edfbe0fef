#include "budgeted_joins.hpp"

#include "join/join_algorithms.hpp"
#include "report/table_columns.hpp"
#include "topology/topology_report.hpp"

namespace hashmill::perf {
namespace {

std::string whole(double value) { return plain_number(value); }
std::string share(double value) { return value == 0 ? "-" : short_decimal(value, 2); }
std::string bytes(double value) {
  return value == 0 ? "-" : readable_bytes(static_cast<std::uint64_t>(value));
}

}  // namespace

const Workload budgeted_joins_workload = {
    .rate_counter = "Gtuples_per_second",
    .rate_heading = "Mtuples/s",
    .rate_factor = 1e3,
    .rate_decimals = 1,
    .keeps_memory = false,
    .figures = {{"device_peak", "peak", bytes},
                {"host_bytes", "to host", bytes},
                {"file_bytes", "to file", bytes},
                {"rounds", "rounds", whole},
                {"resident_rounds", "resident", whole},
                {"share_of_transfers", "of transfers", share}},
    .legend =
        "n: rows of the right side, of a key and a payload of 8 bytes each, as those of the left\n"
        "budget: memory that the join may take beside its sides, in percent of their bytes\n"
        "time: from both sides, ours in batches of 2^17 rows, DuckDB's in a database file, to the "
        "sum\n"
        "of a function of both payloads over all joined rows\n"
        "peak: the most memory at a time; to host, to file: bytes that were moved to pinned memory "
        "and\n"
        "written to the file; rounds into which the rows were parted; resident: those that never "
        "left\n"
        "of transfers: the time in which as many bytes are copied out and back, and written and "
        "read\n"
        "by plain calls, over that of the join: 1 where nothing else costs time\n"};

std::span<const Algorithm> budgeted_join_algorithms() {
  static const std::vector<OurJoin> ours = {
      {{.name = "hybrid",
        .kind = OperationKind::both_sides,
        .structure = "hybrid_hash_join",
        .axes = {.queries = true, .sides = true, .budget = true}},
       std::nullopt},
      our_joins().front(),  // takes the memory that it needs
  };
  static const std::vector<Algorithm> all = RegisteredBudgetedJoinPeer::list_after(ours);
  return all;
}

}  // namespace hashmill::perf
