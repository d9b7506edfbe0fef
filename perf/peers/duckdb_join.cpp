#include "../compare_case.hpp"
#include "../join/join_algorithms.hpp"
#include "duckdb_peer.hpp"

namespace hashmill::perf {
namespace {

/// How SQL calls a kind of join.
std::string sql_of(JoinKind kind) {
  switch (kind) {
    case JoinKind::inner:
      return "INNER";
    case JoinKind::left:
      return "LEFT";
    case JoinKind::right:
      return "RIGHT";
    case JoinKind::full:
      return "FULL";
  }
  return "";
}

/// Peer: DuckDB's join of two tables that it holds, counted.
class DuckDbJoin : public CountOfHostJoin {
 public:
  explicit DuckDbJoin(const HostJoin& sides)
      : CountOfHostJoin(sides),
        duck_(open_duckdb(sides.num_threads,
                          (sides.sizes.num_keys + sides.sizes.num_queries) * sides.key_bits / 8)) {
    const unsigned key_bytes = sides.key_bits / 8;
    duck_->create("r", {{"k", sides.right_keys, key_bytes}}, sides.sizes.num_keys);
    duck_->create("s", {{"k", sides.left_keys, key_bytes}}, sides.sizes.num_queries);
  }
  void run() override {
    const auto rows =
        duck_->query("SELECT count(*) FROM s " + sql_of(sides().kind) + " JOIN r USING (k)");
    num_pairs = static_cast<std::uint64_t>(rows.at(0).at(0).value());
  }

 private:
  std::unique_ptr<DuckDb> duck_;
};

std::string left_out(const CompareCase& row) {
  if (!DuckDb::is_there()) return duckdb_is_missing;
  return row.result.output == JoinOutput::count ? "" : "of all but --payload count";
}

std::unique_ptr<Operation> make(const HostJoin& sides) {
  return std::make_unique<DuckDbJoin>(sides);
}

const RegisteredJoinPeer peer({{.name = "duckdb",
                                .kind = OperationKind::both_sides,
                                .structure = "DuckDB",
                                .runs_on = RunsOn::host_threads,
                                .axes = {.queries = true, .sides = true},
                                .is_peer = true,
                                .left_out = left_out},
                               make});

}  // namespace
}  // namespace hashmill::perf
