#include <gtest/gtest.h>

#include <hashmill/hashmill.hpp>

#include "algorithms/support/keys.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

using Key = std::uint32_t;

/// Every third query from the second on.
struct EveryThird {
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return i % 3 == 1; }
};

/// Look-ups of those queries for which a predicate holds, in each kind of table.
template <class Table>
class LookupIf : public testing::Test {
 protected:
  template <class Value>
  using Results = Kokkos::View<Value*, Memory>;

  static constexpr std::uint64_t num_queries = 1100;

  const Exec exec{};
  const KeyColumns<Key> keys{repeated_numbers(3000, 1000, 51)};
  const KeyColumns<Key> queries{sequential_numbers(num_queries)};
  const Table table{exec, keys.source()};

  /// Expects the answers of the queries for which the predicate holds, and `otherwise` elsewhere.
  template <class Value>
  static void expect_answers(const Results<Value>& some, const Results<Value>& all,
                             Value otherwise) {
    const auto actual = to_host(some);
    const auto expected = to_host(all);
    for (std::uint64_t q = 0; q < num_queries; ++q) {
      ASSERT_EQ(actual[q], EveryThird{}(q) ? expected[q] : otherwise) << "query " << q;
    }
  }
};

using Tables = SampledTypes<HashGraph<Key, Memory>, Chaining<Key, Memory>,
                            LinearProbing<Key, Memory, RepeatedKeys>, TagBucket<Key, Memory>,
                            ArrayTable<Key, Memory>>;
TYPED_TEST_SUITE(LookupIf, Tables);

TYPED_TEST(LookupIf, ContainsAnswersWhereThePredicateHolds) {
  const typename TestFixture::template Results<bool> some("some", this->num_queries),
      all("all", this->num_queries);
  this->table.contains(this->exec, this->queries.source(), all);
  this->table.contains_if(this->exec, this->queries.source(), EveryThird{}, some);
  this->expect_answers(some, all, false);
}

TYPED_TEST(LookupIf, CountAnswersWhereThePredicateHolds) {
  const typename TestFixture::template Results<std::uint64_t> some("some", this->num_queries),
      all("all", this->num_queries);
  this->table.count(this->exec, this->queries.source(), all);
  this->table.count_if(this->exec, this->queries.source(), EveryThird{}, some);
  this->expect_answers(some, all, std::uint64_t{0});
}

TYPED_TEST(LookupIf, FindAnswersWhereThePredicateHolds) {
  using Row = typename TypeParam::row_type;
  const typename TestFixture::template Results<Row> some("some", this->num_queries),
      all("all", this->num_queries);
  this->table.find(this->exec, this->queries.source(), all);
  this->table.find_if(this->exec, this->queries.source(), EveryThird{}, some);
  const auto found = to_host(some);
  const auto whole = to_host(all);
  for (std::uint64_t q = 0; q < this->num_queries; ++q) {
    // Which row of a key is found is not specified.
    ASSERT_EQ(found[q] != no_row<Row>, EveryThird{}(q) && whole[q] != no_row<Row>);
  }
}

TYPED_TEST(LookupIf, RefusesResultsOfAnotherLength) {
  const typename TestFixture::template Results<bool> short_by_one("short", this->num_queries - 1);
  EXPECT_THROW(
      this->table.contains_if(this->exec, this->queries.source(), EveryThird{}, short_by_one),
      InvalidArgument);
}

}  // namespace
}  // namespace hashmill::test
