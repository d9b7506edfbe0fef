#include "linear_probing_fixture.hpp"

namespace hashmill::test {
namespace {

template <class Types>
class LinearProbingIf : public LinearProbingOf<Types> {};
TYPED_TEST_SUITE(LinearProbingIf, ProbingCombinations);

struct EvenOnes {
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return i % 2 == 0; }
};

TYPED_TEST(LinearProbingIf, InsertsWhereAPredicateHolds) {
  using Fixture = LinearProbingOf<TypeParam>;
  typename Fixture::Table table(Exec(), Fixture::source(Numbers{4}));
  const Kokkos::View<InsertOutcome*, Memory> outcomes("hashmill::test::outcomes", 8);
  const InsertResult result = table.insert_if(Exec(), Fixture::source(sequential_numbers(8)),
                                              RowsFrom{0}, EvenOnes{}, outcomes);
  EXPECT_EQ(result, (InsertResult{3, 1, 0}));
  const auto found = to_host(outcomes);
  for (std::uint64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(found[i], i % 2 != 0 ? InsertOutcome::skipped
                        : i == 4   ? InsertOutcome::existing
                                   : InsertOutcome::inserted);
  }
}

/// Entries with an odd row.
struct OddRows {
  template <class Key, class Row>
  KOKKOS_FUNCTION bool operator()(const Key&, Row row) const {
    return row % 2 != 0;
  }
};

TYPED_TEST(LinearProbingIf, ErasesWhereAPredicateHolds) {
  using Fixture = LinearProbingOf<TypeParam>;
  typename Fixture::Table table(Exec(), Fixture::source(sequential_numbers(301)));
  EXPECT_EQ(table.erase_if(Exec(), OddRows{}), 150U);
  EXPECT_EQ(table.erase_if(Exec(), OddRows{}), 0U);
  Fixture::expect_rows(table, Fixture::rows_like_numbers(301, 2));
}

}  // namespace
}  // namespace hashmill::test
