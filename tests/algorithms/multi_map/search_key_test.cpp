#include <gtest/gtest.h>

#include <hashmill/hashmill.hpp>

#include "algorithms/support/views.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

/// A key that callers write in braces.
struct Edge {
  std::uint32_t from, to;
  friend KOKKOS_FUNCTION bool operator==(const Edge& a, const Edge& b) {
    return a.from == b.from && a.to == b.to;
  }
};

/// Edges of which two after another are equal.
std::vector<Edge> edges(std::uint32_t count) {
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i < count; ++i) edges.push_back({i / 2, i / 6});
  return edges;
}

struct CountRows {
  std::uint64_t* rows;
  template <class Row>
  KOKKOS_FUNCTION void operator()(Row) const {
    ++*rows;
  }
};

struct Found {
  std::uint64_t count, matches, row;
  bool contains;
};

/// Looks every edge up by its key in braces, by its hash, and by its home in the table.
template <class Ref>
struct AskAllWays {
  static constexpr unsigned ways = 3;
  Ref ref;
  Kokkos::View<const Edge*, Memory> edges;
  Kokkos::View<Found* [ways], Memory> found;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Edge edge = edges(i);
    const HashedKey<Edge> hashed{edge, ref.hasher()(edge)};
    const HomedKey<Edge> homed{hashed, ref.home_of_hash(hashed.hash)};
    Found braced{ref.count({edge.from, edge.to}), 0, ref.find({edge.from, edge.to}),
                 ref.contains({edge.from, edge.to})};
    ref.for_each_match({edge.from, edge.to}, CountRows{&braced.matches});
    found(i, 0) = braced;
    found(i, 1) = ask(hashed);
    found(i, 2) = ask(homed);
  }
  template <class SearchKey>
  KOKKOS_FUNCTION Found ask(const SearchKey& key) const {
    Found answer{ref.count(key), 0, ref.find(key), ref.contains(key)};
    ref.for_each_match(key, CountRows{&answer.matches});
    return answer;
  }
};

template <class Table>
class SearchKey : public testing::Test {};

using Tables = SampledTypes<HashGraph<Edge, Memory>, Chaining<Edge, Memory>,
                            LinearProbing<Edge, Memory, RepeatedKeys>, TagBucket<Edge, Memory>>;
TYPED_TEST_SUITE(SearchKey, Tables);

TYPED_TEST(SearchKey, IsAKeyOrOneWithItsHashOrItsHome) {
  constexpr std::uint32_t rows = 2000;
  const Exec exec;
  const auto keys = to_device(edges(rows));
  const TypeParam table(exec, keys);
  const auto queries = to_device(edges(2 * rows));  // the later half is not there
  const Kokkos::View<Found* [3], Memory> found("hashmill::test::found", queries.size());
  Kokkos::parallel_for("hashmill::test::ask",
                       Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(queries.size())),
                       AskAllWays<decltype(table.ref())>{table.ref(), queries, found});
  const auto seen = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, found);
  for (std::uint64_t i = 0; i < queries.size(); ++i) {
    const std::uint64_t expected = i < rows ? 2 : 0;
    for (unsigned way = 0; way < 3; ++way) {
      const Found& answer = seen(i, way);
      ASSERT_EQ(answer.count, expected) << i << ", way " << way;
      ASSERT_EQ(answer.matches, expected) << i << ", way " << way;
      ASSERT_EQ(answer.contains, expected != 0) << i << ", way " << way;
      if (expected != 0) {
        ASSERT_EQ(answer.row / 2, i / 2) << i << ", way " << way;
      }
    }
  }
}

}  // namespace
}  // namespace hashmill::test
