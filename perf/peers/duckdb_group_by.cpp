#include <optional>

#include "case/compare_case.hpp"
#include "duckdb_columns.hpp"
#include "duckdb_peer.hpp"
#include "group_by/group_by_algorithms.hpp"

namespace hashmill::perf {
namespace {

std::string query_of(Aggregates aggregates, KeyColumns keys) {
  std::string columns = key_names(keys) + ", count(*)";
  if (aggregates != Aggregates::count) columns += ", sum(v)";
  if (aggregates == Aggregates::all) columns += ", min(v), max(v), avg(v)";
  return "SELECT " + columns + " FROM t GROUP BY " + key_names(keys);
}

/// Adds the groups of one piece of a result. DuckDB's sums have 128 bits, the lower half first.
template <class Key>
void add_piece(std::uint64_t rows, const std::vector<const void*>& columns,
               const HostGroupBy& asked, Tally& tally) {
  const void* const* const results = columns.data() + (asked.columns == KeyColumns::two ? 2 : 1);
  for (std::uint64_t i = 0; i < rows; ++i) {
    GroupResult group;
    group.count = static_cast<const std::uint64_t*>(results[0])[i];
    if (asked.aggregates != Aggregates::count)
      group.sum = static_cast<const std::uint64_t*>(results[1])[2 * i];
    if (asked.aggregates == Aggregates::all) {
      group.least = static_cast<const std::uint32_t*>(results[2])[i];
      group.greatest = static_cast<const std::uint32_t*>(results[3])[i];
      group.mean = static_cast<const double*>(results[4])[i];
    }
    add_group(spread_key<Key>(asked.columns, columns.data(), i), group, asked.aggregates, tally);
  }
}

/// Peer: DuckDB's group-by of a table that it holds; all groups are in memory when it ends.
class DuckDbGroupBy : public HostGroupByOperation {
 public:
  explicit DuckDbGroupBy(const HostGroupBy& rows)
      : HostGroupByOperation(rows),
        duck_(open_duckdb(rows.num_threads,
                          rows.num_rows * (spread_bytes(rows.columns, rows.key_bits) + 4))),
        query_(query_of(rows.aggregates, rows.columns)) {
    duck_->create("t", {{"k", rows.keys, rows.key_bits / 8}, {"v", rows.values, 4}}, rows.num_rows);
    spread_keys(*duck_, "t", rows.columns, rows.key_bits, ", v");
  }
  bool runs_in(RunMemory memory) const override { return memory == RunMemory::fresh; }
  void prepare(RunMemory) override { groups_.reset(); }
  void run() override { groups_.emplace(*duck_, query_); }

 protected:
  Tally tally_groups() override {
    Tally tally;
    groups_->for_each_piece([&](std::uint64_t count, const std::vector<const void*>& columns) {
      if (rows().key_bits == 32) {
        add_piece<std::uint32_t>(count, columns, rows(), tally);
      } else {
        add_piece<std::uint64_t>(count, columns, rows(), tally);
      }
    });
    return tally;
  }

 private:
  std::unique_ptr<DuckDb> duck_;
  std::string query_;
  std::optional<DuckDb::DuckTable> groups_;
};

std::string left_out(const CompareCase& row) {
  if (row.data.columns == KeyColumns::nulls) return "of --columns nulls";
  return DuckDb::is_there() ? "" : duckdb_is_missing;
}

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
