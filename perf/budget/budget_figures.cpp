#include "budget_figures.hpp"

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

std::vector<FigureHeading> budget_columns() {
  return {{"device_peak", "peak", bytes},         {"host_bytes", "to host", bytes},
          {"file_bytes", "to file", bytes},       {"rounds", "rounds", whole},
          {"resident_rounds", "resident", whole}, {"share_of_transfers", "of transfers", share}};
}

std::string budget_legend(const std::string& runs) {
  return "peak: the most memory at a time; to host, to file: bytes that were moved to pinned "
         "memory "
         "and\n"
         "written to the file; rounds into which all was parted; resident: those that never left\n"
         "of transfers: the time in which as many bytes are copied out and back, and written and "
         "read\n"
         "by plain calls, over that of the " +
         runs + ": 1 where nothing else costs time\n";
}

}  // namespace hashmill::perf
