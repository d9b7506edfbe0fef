#include "duckdb_arrow.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <hashmill/arrow.hpp>

namespace hashmill::test {
namespace {

using perf::DuckDb;
using perf::DuckRow;

using Host = Kokkos::HostSpace;

class DuckDbArrow : public testing::Test {
 protected:
  void SetUp() override {
    duck_ = DuckDb::load();
    if (duck_ == nullptr) GTEST_SKIP() << "libduckdb.so was not found";
    try {
      arrow_.emplace(*duck_);
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  std::unique_ptr<DuckDb> duck_;
  std::optional<DuckArrow> arrow_;
};

std::optional<double> number_of(const StringView& text) {
  return std::stod(std::string(text.data, text.size));
}
template <class Number>
std::optional<double> number_of(Number number) {
  return static_cast<double>(number);
}

/// Appends the column as a cell of each of the rows, from `first` up.
template <class Column>
void append(std::vector<DuckRow>& rows, std::size_t first, const Column& column) {
  for (std::uint64_t i = 0; i < column.size(); ++i) {
    rows[first + i].push_back(column.is_null(i) ? std::nullopt : number_of(column(i)));
  }
}

TEST_F(DuckDbArrow, ColumnsOfItsResultsAreReadInPlace) {
  duck_->run("CREATE TYPE digit AS ENUM ('5', '7', '11')");
  duck_->run(
      "CREATE TABLE t AS SELECT i AS l, (i % 100)::TINYINT AS c, (i % 200)::UTINYINT AS uc, "
      "(-i)::SMALLINT AS s, i::USMALLINT AS us, (i * 9)::INTEGER AS n, i::UINTEGER AS un, "
      "i::UBIGINT AS ul, (i / 8)::FLOAT AS f, CASE WHEN i % 3 <> 0 THEN i / 4 END AS g, "
      "CASE WHEN i % 5 <> 0 THEN i::VARCHAR END AS u, "
      "CASE WHEN i % 7 <> 0 THEN i % 2 = 0 END AS b, DATE '1970-01-01' + i::INTEGER AS d, "
      "make_timestamp(i * 1000) AS t, "
      "CASE WHEN i % 2 = 0 THEN (['5', '7', '11'])[1 + i % 3]::digit END AS e "
      "FROM range(5000) AS r(i)");
  const auto expected = duck_->query(
      "SELECT l, c, uc, s, us, n, un, ul, f, g, u::DOUBLE, b::INT, d - DATE '1970-01-01', "
      "epoch_us(t), e::VARCHAR::DOUBLE FROM t ORDER BY l");
  std::vector<DuckRow> actual;
  for (const ArrowOwner& owner : arrow_->query("SELECT * FROM t ORDER BY l")) {
    const ArrowView batch = owner.view();
    const std::size_t first = actual.size();
    actual.resize(first + batch.size());
    append(actual, first, arrow_column<std::int64_t>(batch.child("l")));
    append(actual, first, arrow_column<std::int8_t>(batch.child("c")));
    append(actual, first, arrow_column<std::uint8_t>(batch.child("uc")));
    append(actual, first, arrow_column<std::int16_t>(batch.child("s")));
    append(actual, first, arrow_column<std::uint16_t>(batch.child("us")));
    append(actual, first, arrow_column<std::int32_t>(batch.child("n")));
    append(actual, first, arrow_column<std::uint32_t>(batch.child("un")));
    append(actual, first, arrow_column<std::uint64_t>(batch.child("ul")));
    append(actual, first, arrow_column<float>(batch.child("f")));
    append(actual, first, arrow_column<double>(batch.child("g")));
    append(actual, first, arrow_string_column(batch.child("u")));
    append(actual, first, arrow_boolean_column(batch.child("b")));
    append(actual, first, arrow_column<std::int32_t>(batch.child("d")));
    append(actual, first, arrow_column<std::int64_t>(batch.child("t")));
    const ArrowView digits = batch.child("e");
    append(actual, first,
           arrow_dictionary_column<std::uint8_t>(digits, arrow_string_column(digits.dictionary())));
  }
  EXPECT_EQ(expected.size(), 5000U);
  EXPECT_TRUE(actual == expected);
}

TEST_F(DuckDbArrow, ReadsColumnsInPlace) {
  constexpr std::size_t rows = 3001;
  const Kokkos::View<std::int64_t*, Host> numbers("hashmill::test::numbers", rows);
  const Kokkos::View<std::int32_t*, Host> days("hashmill::test::days", rows);
  const Kokkos::View<std::uint8_t*, Host> codes("hashmill::test::codes", rows);
  const Kokkos::View<std::int32_t*, Host> offsets("hashmill::test::offsets", rows + 1);
  const Kokkos::View<char*, Host> bytes("hashmill::test::bytes", 5 * rows);
  const Kokkos::View<std::uint8_t*, Host> bits("hashmill::test::bits", (rows + 7) / 8);
  std::vector<DuckRow> expected;
  for (std::size_t i = 0; i < rows; ++i) {
    numbers(i) = static_cast<std::int64_t>(i) - 1500;
    days(i) = static_cast<std::int32_t>(i);
    codes(i) = i % 2 == 0 ? 1 : 0;
    const std::string text = std::to_string(i * i % 10'000);
    for (std::size_t c = 0; c < text.size(); ++c) {
      bytes(static_cast<std::size_t>(offsets(i)) + c) = text[c];
    }
    offsets(i + 1) = offsets(i) + static_cast<std::int32_t>(text.size());
    const bool valid = i % 3 != 0;
    if (valid) bits(i / 8) = static_cast<std::uint8_t>(bits(i / 8) | 1U << (i % 8));
    const auto present = [&](double number) {
      return valid ? std::optional<double>(number) : std::nullopt;
    };
    expected.push_back({present(static_cast<double>(numbers(i))), static_cast<double>(i),
                        present(codes(i)), present(std::stod(text))});
  }
  const Kokkos::View<std::int32_t*, Host> word_offsets("hashmill::test::word_offsets", 3);
  const Kokkos::View<char*, Host> words("hashmill::test::words", 2);
  words(0) = '0';
  words(1) = '1';
  word_offsets(1) = 1;
  word_offsets(2) = 2;
  const auto actual = arrow_->query_batch(
      "batch",
      to_arrow_batch(
          to_arrow("n", numbers, bits), to_arrow({"d", "tdD"}, days),
          to_arrow_dictionary("e", codes, to_arrow_strings("", word_offsets, words), bits),
          to_arrow_strings("u", offsets, bytes, bits)),
      "SELECT n, d - DATE '1970-01-01', e::VARCHAR::DOUBLE, u::DOUBLE FROM batch ORDER BY d");
  EXPECT_TRUE(actual == expected);
  EXPECT_EQ(numbers.use_count(), 1);  // all is released
  EXPECT_EQ(bits.use_count(), 1);
  EXPECT_EQ(words.use_count(), 1);
}

}  // namespace
}  // namespace hashmill::test
