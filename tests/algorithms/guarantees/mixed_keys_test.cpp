// Keys, queries and rows of other number types than a table's: compared as numbers, never cut. What
// is expected is computed on the host in types that hold all of them.

#include <gtest/gtest.h>

#include <hashmill/hashmill.hpp>
#include <vector>

#include "algorithms/support/telling_numbers.hpp"
#include "algorithms/support/views.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

enum class Level : std::int8_t { low = -3 };
enum class Flags : std::uint16_t { some = 40000 };

/// All tables, with a set that takes any table of numbered keys.
template <template <class> class TableOf, class Stored, class Asked>
struct Mix {
  using Key = Stored;
  using Query = Asked;
  using Table = TableOf<Stored>;
};
template <class Key>
using Graph = HashGraph<Key, Memory>;
template <class Key>
using PrintGraph = HashGraph<Key, Memory, FingerprintRow<>>;
template <class Key>
using PackedGraph = HashGraph<Key, Memory, PackedRow>;
template <class Key>
using Chains = Chaining<Key, Memory>;
template <class Key>
using Probing = LinearProbing<Key, Memory, RepeatedKeys>;
template <class Key>
using Probing64 = LinearProbing<Key, Memory, RepeatedKeys, std::uint64_t>;
template <class Key>
using Buckets = TagBucket<Key, Memory>;

template <class Mix>
class MixedKeys : public testing::Test {
 protected:
  using Key = typename Mix::Key;
  using Query = typename Mix::Query;
  using Table = typename Mix::Table;
  using Row = typename Table::row_type;

  const Exec exec{};
  const std::vector<Key> keys = telling_numbers<Key>();
  const std::vector<Query> queries = telling_numbers<Query>();
  const Kokkos::View<const Key*, Memory> device_keys = to_device(keys);
  const Kokkos::View<const Query*, Memory> device_queries = to_device(queries);
  Table table{exec, device_keys};

  [[nodiscard]] std::uint64_t matches(Query query) const {
    std::uint64_t rows = 0;
    for (const Key key : keys) rows += same_number(key, query) ? 1 : 0;
    return rows;
  }
  [[nodiscard]] std::uint64_t matched_keys() const {
    std::uint64_t matched = 0;
    for (const Key key : keys) {
      bool found = false;
      for (const Query query : queries) found = found || same_number(key, query);
      matched += found ? 1 : 0;
    }
    return matched;
  }
};

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using I32 = std::int32_t;
using I64 = std::int64_t;
using Mixes =
    SampledTypes<Mix<Graph, U32, U64>, Mix<PrintGraph, I32, U64>, Mix<PackedGraph, float, double>,
                 Mix<Chains, Level, I64>, Mix<Chains, double, double>, Mix<Probing, U32, U64>,
                 Mix<Probing, I32, U32>, Mix<Probing, double, float>, Mix<Probing64, Flags, Level>,
                 Mix<Buckets, I64, U64>, Mix<Buckets, char8_t, I64>,
                 Mix<Buckets, long long, unsigned long>>;
TYPED_TEST_SUITE(MixedKeys, Mixes);

TYPED_TEST(MixedKeys, AreLookedUpByTheirNumbers) {
  using Row = typename TypeParam::Table::row_type;
  const std::uint64_t n = this->queries.size();
  const Kokkos::View<bool*, Memory> there("there", n), there_if("there_if", n);
  const Kokkos::View<std::uint64_t*, Memory> counts("counts", n);
  const Kokkos::View<Row*, Memory> rows("rows", n);
  this->table.contains(this->exec, this->device_queries, there);
  this->table.count(this->exec, this->device_queries, counts);
  this->table.find(this->exec, this->device_queries, rows);
  const auto host_there = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, there);
  const auto host_counts = to_host(counts);
  const auto host_rows = to_host(rows);
  const auto csr = this->table.retrieve(this->exec, this->device_queries);
  const auto offsets = to_host(csr.offsets);
  const auto all_rows = to_host(csr.rows);
  for (std::uint64_t q = 0; q < n; ++q) {
    const std::uint64_t expected = this->matches(this->queries[q]);
    ASSERT_EQ(host_there(q), expected != 0) << q;
    ASSERT_EQ(host_counts[q], expected) << q;
    ASSERT_EQ(host_rows[q] != no_row<Row>, expected != 0) << q;
    ASSERT_EQ(offsets[q + 1] - offsets[q], expected) << q;
    for (std::uint64_t k = offsets[q]; k < offsets[q + 1]; ++k) {
      ASSERT_TRUE(same_number(this->keys[all_rows[k]], this->queries[q])) << q;
    }
  }
}

template <class Ref, class Query>
struct AskRef {
  Ref ref;
  Kokkos::View<const Query*, Memory> queries;
  Kokkos::View<std::uint64_t*, Memory> counts;
  struct Count {
    std::uint64_t* rows;
    template <class Row>
    KOKKOS_FUNCTION void operator()(Row) const {
      ++*rows;
    }
  };
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Query query = queries(i);
    std::uint64_t rows = 0;
    ref.for_each_match(query, Count{&rows});
    const bool found = ref.find(query) != no_row<decltype(ref.find(query))>;
    const bool agree =
        ref.count(query) == rows && ref.contains(query) == (rows != 0) && found == (rows != 0);
    counts(i) = agree ? rows : ~std::uint64_t{0};
  }
};

TYPED_TEST(MixedKeys, AreLookedUpByKernels) {
  using Query = typename TypeParam::Query;
  using Ref = typename TypeParam::Table::ref_type;
  const auto n = static_cast<int>(this->queries.size());
  const Kokkos::View<std::uint64_t*, Memory> counts("counts", n);
  Kokkos::parallel_for("hashmill::test::ask", Kokkos::RangePolicy<Exec>(this->exec, 0, n),
                       AskRef<Ref, Query>{this->table.ref(), this->device_queries, counts});
  const auto seen = to_host(counts);
  for (int q = 0; q < n; ++q) ASSERT_EQ(seen[q], this->matches(this->queries[q])) << q;
}

TYPED_TEST(MixedKeys, EraseWhatTheyEqual) {
  std::vector<typename TypeParam::Query> absent;
  for (const auto query : this->queries) {
    if (this->matches(query) == 0) absent.push_back(query);
  }
  ASSERT_EQ(this->table.erase(this->exec, to_device(absent)), 0U);
  const std::uint64_t expected = this->matched_keys();
  ASSERT_EQ(this->table.erase(this->exec, this->device_queries), expected);
  ASSERT_EQ(this->table.size(), this->keys.size() - expected);
  ASSERT_EQ(this->table.erase(this->exec, this->device_keys), this->keys.size() - expected);
}

TYPED_TEST(MixedKeys, JoinTablesByTheirNumbers) {
  for (const JoinKind kind : {JoinKind::inner, JoinKind::left, JoinKind::full}) {
    const auto pairs = join(this->exec, kind, this->device_queries, this->table);
    const auto left = to_host(pairs.left);
    const auto right = to_host(pairs.right);
    std::uint64_t expected = 0;
    for (const auto query : this->queries) {
      const std::uint64_t rows = this->matches(query);
      expected += kind != JoinKind::inner && rows == 0 ? 1 : rows;
    }
    if (kind == JoinKind::full) expected += this->keys.size() - this->matched_keys();
    ASSERT_EQ(left.size(), expected);
    using Row = typename TypeParam::Table::row_type;
    for (std::size_t p = 0; p < left.size(); ++p) {
      if (left[p] == no_row<Row> || right[p] == no_row<Row>) continue;
      ASSERT_TRUE(same_number(this->queries[left[p]], this->keys[right[p]]));
    }
  }
}

TYPED_TEST(MixedKeys, AreKeptOrDroppedByTheirNumbers) {
  std::uint64_t found = 0;
  for (const auto query : this->queries) found += this->matches(query) != 0 ? 1 : 0;
  const std::uint64_t n = this->queries.size();
  EXPECT_EQ(semi_join(this->exec, this->device_queries, this->table).extent(0), found);
  EXPECT_EQ(anti_join(this->exec, this->device_queries, this->table).extent(0), n - found);
}

}  // namespace
}  // namespace hashmill::test
