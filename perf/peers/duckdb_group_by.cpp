#include <optional>

#include "../compare_case.hpp"
#include "../group_by/group_by_algorithms.hpp"
#include "duckdb_peer.hpp"

namespace hashmill::perf {
namespace {

std::string query_of(Aggregates aggregates) {
  std::string columns = "k, count(*)";
  if (aggregates != Aggregates::count) columns += ", sum(v)";
  if (aggregates == Aggregates::all) columns += ", min(v), max(v), avg(v)";
  return "SELECT " + columns + " FROM t GROUP BY k";
}

/// Adds the groups of one piece of a result. DuckDB's sums have 128 bits, the lower half first.
template <class Key>
void add_piece(std::uint64_t rows, const std::vector<const void*>& columns, Aggregates aggregates,
               Tally& tally) {
  for (std::uint64_t i = 0; i < rows; ++i) {
    GroupResult group;
    group.count = static_cast<const std::uint64_t*>(columns[1])[i];
    if (aggregates != Aggregates::count)
      group.sum = static_cast<const std::uint64_t*>(columns[2])[2 * i];
    if (aggregates == Aggregates::all) {
      group.least = static_cast<const std::uint32_t*>(columns[3])[i];
      group.greatest = static_cast<const std::uint32_t*>(columns[4])[i];
      group.mean = static_cast<const double*>(columns[5])[i];
    }
    add_group(static_cast<const Key*>(columns[0])[i], group, aggregates, tally);
  }
}

/// Peer: DuckDB's group-by of a table that it holds; all groups are in memory when it ends.
class DuckDbGroupBy : public HostGroupByOperation {
 public:
  explicit DuckDbGroupBy(const HostGroupBy& rows)
      : HostGroupByOperation(rows),
        duck_(open_duckdb(rows.num_threads, rows.num_rows * (rows.key_bits / 8 + 4))),
        query_(query_of(rows.aggregates)) {
    duck_->create("t", {{"k", rows.keys, rows.key_bits / 8}, {"v", rows.values, 4}}, rows.num_rows);
  }
  bool runs_in(RunMemory memory) const override { return memory == RunMemory::fresh; }
  void prepare(RunMemory) override { groups_.reset(); }
  void run() override { groups_.emplace(*duck_, query_); }

 protected:
  Tally tally_groups() override {
    Tally tally;
    groups_->for_each_piece([&](std::uint64_t count, const std::vector<const void*>& columns) {
      if (rows().key_bits == 32) {
        add_piece<std::uint32_t>(count, columns, rows().aggregates, tally);
      } else {
        add_piece<std::uint64_t>(count, columns, rows().aggregates, tally);
      }
    });
    return tally;
  }

 private:
  std::unique_ptr<DuckDb> duck_;
  std::string query_;
  std::optional<DuckDb::DuckTable> groups_;
};

std::string left_out(const CompareCase&) { return DuckDb::is_there() ? "" : duckdb_is_missing; }

std::unique_ptr<Operation> make(const HostGroupBy& rows) {
  return std::make_unique<DuckDbGroupBy>(rows);
}

const RegisteredGroupByPeer peer({{.name = "duckdb",
                                   .kind = OperationKind::group,
                                   .structure = "DuckDB",
                                   .runs_on = RunsOn::host_threads,
                                   .axes = {.groups = true},
                                   .is_peer = true,
                                   .left_out = left_out},
                                  make});

}  // namespace
}  // namespace hashmill::perf
