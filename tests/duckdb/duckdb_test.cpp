#include <cmath>
#include <cstdio>

#include "algorithms/group_by/values.hpp"
#include "algorithms/join/join_fixture.hpp"
#include "algorithms/join/row_rules.hpp"
#include "algorithms/support/row_tables.hpp"
#include "peers/duckdb_library.hpp"

namespace hashmill::test {
namespace {

using perf::DuckDb;
using perf::DuckRow;

std::string sql_number(double number) {
  if (std::isnan(number)) return "'nan'::DOUBLE";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g::DOUBLE", number);
  return text;
}

/// A text of SQL; its quotes are doubled.
std::string sql_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

std::string sql_row(std::uint64_t id, const Row& row) {
  return "(" + std::to_string(id) + "," + (row.city ? std::to_string(*row.city) : "NULL") + "," +
         (row.street ? sql_text(*row.street) : "NULL") + "," +
         (row.height ? sql_number(*row.height) : "NULL") + ")";
}

/// Makes a table of the rows, with their numbers as `id`.
void create_rows(DuckDb& duck, const std::string& name, const std::vector<Row>& rows) {
  duck.run("CREATE OR REPLACE TABLE " + name +
           " (id BIGINT, city BIGINT, street VARCHAR, height DOUBLE)");
  std::string insert = "INSERT INTO " + name + " VALUES ";
  for (std::size_t i = 0; i < rows.size(); ++i) insert += (i == 0 ? "" : ",") + sql_row(i, rows[i]);
  if (!rows.empty()) duck.run(insert);
}

/// That rows of l and r match: where nulls are equal, by SQL's IS NOT DISTINCT FROM.
std::string sql_match(bool nulls_equal) {
  const std::string op = nulls_equal ? " IS NOT DISTINCT FROM " : " = ";
  return "l.city" + op + "r.city AND l.street" + op + "r.street AND l.height" + op + "r.height";
}

Pairs duck_pairs(DuckDb& duck, JoinKind kind, const std::string& match) {
  const char* const joins[] = {"INNER", "LEFT", "RIGHT", "FULL"};
  Pairs pairs;
  for (const DuckRow& row : duck.query(std::string("SELECT l.id, r.id FROM l ") +
                                       joins[static_cast<int>(kind)] + " JOIN r ON " + match)) {
    const auto number = [](const std::optional<double>& cell) {
      return cell ? static_cast<std::uint64_t>(*cell) : nothing;
    };
    pairs.emplace_back(number(row[0]), number(row[1]));
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// The rows of l that have a match, or those that have none.
std::vector<std::uint64_t> duck_half_join(DuckDb& duck, bool with, const std::string& match) {
  std::vector<std::uint64_t> rows;
  for (const DuckRow& row :
       duck.query(std::string("SELECT id FROM l WHERE ") + (with ? "" : "NOT ") +
                  "EXISTS (SELECT 1 FROM r WHERE " + match + ") ORDER BY id")) {
    rows.push_back(static_cast<std::uint64_t>(*row[0]));
  }
  return rows;
}

class AgainstDuckDb : public testing::Test {
 protected:
  void SetUp() override {
    if (!duck_) {
      GTEST_SKIP() << "libduckdb.so is not found; name it in the environment as HASHMILL_DUCKDB";
    }
  }
  std::unique_ptr<DuckDb> duck_ = DuckDb::load();
};

TEST_F(AgainstDuckDb, JoinsOfEveryKindGiveTheSameRows) {
  for (const std::uint64_t rows : {0, 1, 90, 700}) {
    const auto left = random_rows(rows, 81 + rows), right = random_rows(400, 82);
    create_rows(*duck_, "l", left);
    create_rows(*duck_, "r", right);
    for (const bool nulls_equal : {false, true}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, nulls equal " + std::to_string(nulls_equal));
      const std::string match = sql_match(nulls_equal);
      const Rules rules{nulls_equal, false};
      const RowColumns<std::int16_t> left_columns(left);
      const RowColumns<std::int64_t> right_columns(right);
      const auto table = FingerprintTable::make(rules.apply(right_columns.keys()));
      const auto queries = rules.apply(left_columns.keys());
      for (const JoinKind kind : every_kind) {
        SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
        EXPECT_TRUE(sorted_pairs(join(Exec(), kind, queries, table)) ==
                    duck_pairs(*duck_, kind, match));
      }
      EXPECT_EQ(to_wide_host(semi_join(Exec(), queries, table)),
                duck_half_join(*duck_, true, match));
      EXPECT_EQ(to_wide_host(anti_join(Exec(), queries, table)),
                duck_half_join(*duck_, false, match));
    }
  }
}

/// The cells of a column of results.
template <class Column>
std::vector<std::optional<double>> cells(const Column& column) {
  std::vector<std::optional<double>> cells;
  for (const auto& result : host_results(column)) {
    cells.push_back(result ? std::optional<double>(static_cast<double>(*result)) : std::nullopt);
  }
  return cells;
}

void expect_near(const std::vector<DuckRow>& actual, const std::vector<DuckRow>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t r = 0; r < actual.size(); ++r) {
    ASSERT_EQ(actual[r].size(), expected[r].size());
    for (std::size_t c = 0; c < actual[r].size(); ++c) {
      SCOPED_TRACE("group of row " + std::to_string(r) + ", column " + std::to_string(c));
      ASSERT_EQ(actual[r][c].has_value(), expected[r][c].has_value());
      if (!actual[r][c]) continue;
      ASSERT_NEAR(*actual[r][c], *expected[r][c], 1e-9 * (1 + std::abs(*expected[r][c])));
    }
  }
}

TEST_F(AgainstDuckDb, GroupBysGiveTheSameRows) {
  for (const std::uint64_t count : {0, 1, 50, 3000}) {
    SCOPED_TRACE(count);
    const auto rows = random_rows(count, 83 + count);
    const Values values(count, 84);
    create_rows(*duck_, "t", rows);
    std::string insert = "INSERT INTO v VALUES ";
    std::vector<std::uint32_t> ids;
    for (std::uint64_t i = 0; i < count; ++i) {
      insert += (i == 0 ? "(" : ",(") + std::to_string(i) + "," +
                (values.valid[i] ? std::to_string(values.ints[i]) : "NULL") + ")";
      ids.push_back(static_cast<std::uint32_t>(i));
    }
    duck_->run("CREATE OR REPLACE TABLE v (id BIGINT, value INTEGER)");
    if (count > 0) duck_->run(insert);
    const auto expected = duck_->query(
        "SELECT min(id), count(*), count(value), sum(value), min(value), max(value), avg(value), "
        "var_samp(value), var_pop(value), arg_min(value, id), count(DISTINCT value) "
        "FROM t JOIN v USING (id) GROUP BY city, street, height ORDER BY 1");

    const RowColumns<std::int32_t> columns(rows);
    const auto device_ids = to_device(ids);
    const auto nullable = values.nullable();
    const auto groups = group_rows(Exec(), columns.keys());
    const auto [id, all, present, sum, least, most, mean, sample, population, first] =
        aggregate(Exec(), groups, agg::min(device_ids), agg::count(), agg::count(nullable),
                  agg::sum(nullable), agg::min(nullable), agg::max(nullable), agg::mean(nullable),
                  agg::variance(nullable), agg::variance(nullable, 0), agg::first(nullable));
    const auto distinct = to_host(count_distinct(Exec(), groups, nullable));
    const std::vector<std::vector<std::optional<double>>> results{
        cells(id),   cells(all),  cells(present), cells(sum),        cells(least),
        cells(most), cells(mean), cells(sample),  cells(population), cells(first)};
    std::vector<DuckRow> actual(groups.size());
    for (std::uint64_t g = 0; g < groups.size(); ++g) {
      for (const auto& column : results) actual[g].push_back(column[g]);
      actual[g].emplace_back(static_cast<double>(distinct[g]));
    }
    std::sort(actual.begin(), actual.end());
    ASSERT_NO_FATAL_FAILURE(expect_near(actual, expected));
  }
}

}  // namespace
}  // namespace hashmill::test
