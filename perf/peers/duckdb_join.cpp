#include <hashmill/row.hpp>
#include <numeric>
#include <optional>

#include "answers/actual_results.hpp"
#include "case/compare_case.hpp"
#include "duckdb_columns.hpp"
#include "duckdb_peer.hpp"
#include "join/join_algorithms.hpp"

namespace hashmill::perf {
namespace {

using Row = std::uint32_t;

/// Row numbers in DuckDB's own memory, as TallyJoined takes them.
struct PieceOfPairs {
  const Row* of_keys;
  const Row* of_queries;
  std::uint64_t left(std::uint64_t i) const { return of_keys[i]; }
  std::uint64_t right(std::uint64_t i) const { return of_queries[i]; }
};

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

/// DuckDB with the sides as tables r and s of keys, and of the rows' numbers where pairs of them
/// are asked for.
std::unique_ptr<DuckDb> open_with_sides(const HostJoin& sides) {
  const unsigned key_bytes = sides.key_bits / 8;
  const bool with_rows = sides.output == JoinOutput::rows;
  const std::uint64_t bytes_of_key =
      key_bytes +
      (sides.columns == KeyColumns::one ? 0 : spread_bytes(sides.columns, sides.key_bits));
  const std::uint64_t bytes_of_sides = (sides.sizes.num_keys + sides.sizes.num_queries) *
                                       (bytes_of_key + (with_rows ? sizeof(Row) : 0));
  const std::uint64_t bytes_of_pairs = with_rows ? sides.pairs.count * 2 * sizeof(Row) : 0;
  auto duck = open_duckdb(sides.num_threads, bytes_of_sides, bytes_of_pairs);
  std::vector<Row> numbers;
  const auto create = [&](const char* name, const void* keys, std::uint64_t rows) {
    std::vector<DuckColumn> columns{{"k", keys, key_bytes}};
    if (with_rows) {
      numbers.resize(rows);
      std::iota(numbers.begin(), numbers.end(), Row{0});
      columns.push_back({"n", numbers.data(), sizeof(Row)});
    }
    duck->create(name, columns, rows);
    spread_keys(*duck, name, sides.columns, sides.key_bits, with_rows ? ", n" : "");
  };
  create("r", sides.right_keys, sides.sizes.num_keys);
  create("s", sides.left_keys, sides.sizes.num_queries);
  return duck;
}

std::string select(const std::string& what, const HostJoin& sides) {
  return "SELECT " + what + " FROM s " + sql_of(sides.kind) + " JOIN r USING (" +
         key_names(sides.columns) + ")";
}

/// Peer: DuckDB's join of two tables that it holds, counted.
class CountOfDuckDbJoin : public CountOfHostJoin {
 public:
  explicit CountOfDuckDbJoin(const HostJoin& sides)
      : CountOfHostJoin(sides), duck_(open_with_sides(sides)) {}
  bool runs_in(RunMemory memory) const override { return memory == RunMemory::fresh; }
  void prepare(RunMemory) override {}
  void run() override {
    const auto rows = duck_->query(select("count(*)", sides()));
    num_pairs = static_cast<std::uint64_t>(rows.at(0).at(0).value());
  }

 private:
  std::unique_ptr<DuckDb> duck_;
};

/// Peer: DuckDB's join that returns the numbers of both rows of each pair, in any order, in memory
/// when it ends. `no_row` stands for the missing rows of outer joins, as in the right result.
class RowsOfDuckDbJoin : public CountOfHostJoin {
 public:
  explicit RowsOfDuckDbJoin(const HostJoin& sides)
      : CountOfHostJoin(sides), duck_(open_with_sides(sides)) {
    duck_->run("SET preserve_insertion_order = false");
    const std::string none = std::to_string(no_row<Row>);
    const auto row = [&](const std::string& n) {
      return sides.kind == JoinKind::inner ? n : "coalesce(" + n + ", " + none + ")::UINTEGER";
    };
    query_ = select(row("r.n") + ", " + row("s.n"), sides);
  }
  bool runs_in(RunMemory memory) const override { return memory == RunMemory::fresh; }
  void prepare(RunMemory) override { pairs_.reset(); }
  void run() override { pairs_.emplace(*duck_, query_); }
  std::string verify() override {
    Tally tally;
    pairs_->for_each_piece([&](std::uint64_t count, const std::vector<const void*>& columns) {
      const TallyJoined<PieceOfPairs> add{
          {static_cast<const Row*>(columns[0]), static_cast<const Row*>(columns[1])}};
      for (std::uint64_t i = 0; i < count; ++i) add(i, tally);
    });
    return compare_tallies(sides().pairs, tally);
  }
  ByteBudget traffic() const override { return hash_join_budget(sides().sizes); }

 private:
  std::unique_ptr<DuckDb> duck_;
  std::string query_;
  std::optional<DuckDb::DuckTable> pairs_;
};

std::string left_out(const CompareCase& row) {
  return DuckDb::is_there() ? with_payload(row) : duckdb_is_missing;
}

std::unique_ptr<Operation> make(const HostJoin& sides) {
  if (sides.output == JoinOutput::count) return std::make_unique<CountOfDuckDbJoin>(sides);
  return std::make_unique<RowsOfDuckDbJoin>(sides);
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
