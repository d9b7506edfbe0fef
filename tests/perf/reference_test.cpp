#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/key.hpp>
#include <map>
#include <set>
#include <vector>

#include "answers/expected_results.hpp"
#include "answers/generated_reference.hpp"
#include "answers/queries_of_rows.hpp"
#include "answers/sorted_reference.hpp"

namespace hashmill::perf {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

/// What a reference answers, as tallies.
struct Answers {
  Tally distinct;
  Tally pairs;
  bool operator==(const Answers&) const = default;
};

template <class Key, class Reference>
struct TallyDistinct {
  Reference reference;
  KOKKOS_FUNCTION void operator()(std::uint64_t place, Tally& sum) const {
    Key key;
    if (reference.distinct_key(place, key)) sum.add(key_weight(key));
  }
};

template <class Reference>
struct TallyPairs {
  Reference reference;
  KOKKOS_FUNCTION void operator()(std::uint64_t query, Tally& sum) const {
    const MatchingRows rows = reference.matches(query);
    sum += Tally{rows.count, rows.weight * query_weight(query), 0};
  }
};

template <class Key, class Reference>
Answers answers_of(const Reference& reference, std::uint64_t num_queries) {
  const Exec exec;
  return {tally(exec, reference.num_places(), TallyDistinct<Key, Reference>{reference}),
          tally(exec, num_queries, TallyPairs<Reference>{reference})};
}

/// The same answers by std::multimap on the host.
template <class Keys>
Answers answers_by_map(const Keys& device_keys, const Keys& device_queries) {
  using Key = typename Keys::non_const_value_type;
  const auto keys = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device_keys);
  const auto queries = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device_queries);
  std::multimap<Key, std::uint64_t, KeyLess> map;
  for (std::uint64_t row = 0; row < keys.size(); ++row) map.emplace(keys(row), row);
  Answers answers;
  for (auto at = map.begin(); at != map.end(); at = map.upper_bound(at->first)) {
    answers.distinct.add(key_weight(at->first));
  }
  for (std::uint64_t query = 0; query < queries.size(); ++query) {
    const auto [first, last] = map.equal_range(queries(query));
    for (auto at = first; at != last; ++at) {
      answers.pairs.add(query_weight(query) * row_weight(at->second));
    }
  }
  return answers;
}

/// What an outer join gives beside the pairs, by std::set on the host.
template <class Keys>
ExpectedUnmatched unmatched_by_set(const Keys& device_keys, const Keys& device_queries) {
  using KeySet = std::set<typename Keys::non_const_value_type, KeyLess>;
  const auto keys = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device_keys);
  const auto queries = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device_queries);
  const KeySet of_rows(keys.data(), keys.data() + keys.size());
  const KeySet of_queries(queries.data(), queries.data() + queries.size());
  constexpr std::uint64_t no_row = 0xffffffff;
  ExpectedUnmatched unmatched;
  for (std::uint64_t query = 0; query < queries.size(); ++query) {
    if (!of_rows.contains(queries(query)))
      unmatched.queries.add(query_weight(query) * row_weight(no_row));
  }
  for (std::uint64_t row = 0; row < keys.size(); ++row) {
    if (!of_queries.contains(keys(row))) unmatched.rows.add(query_weight(no_row) * row_weight(row));
  }
  return unmatched;
}

template <class Key>
class References : public testing::Test {};
using KeyTypes = testing::Types<std::uint32_t, std::uint64_t, Key128>;
TYPED_TEST_SUITE(References, KeyTypes);

TYPED_TEST(References, AgreeWithAMapForGeneratedKeys) {
  const Exec exec;
  for (const KeyOrder order : {KeyOrder::sequential, KeyOrder::random, KeyOrder::dense}) {
    for (const double multiplicity : {1, 5}) {
      const KeyDistribution wanted{3001, multiplicity, order, 1.0, 6};
      const EvenKeys<TypeParam> key_source(wanted);
      const double skew = multiplicity == 1 ? 0 : 1.25;
      const GeneratedQueries<TypeParam> query_source(wanted, 2000, 0.7, skew);
      const auto keys = materialise(exec, key_source);
      const auto queries = materialise(exec, query_source);
      const Answers expected = answers_by_map(keys, queries);
      const GeneratedReference<TypeParam> closed_form(key_source, query_source);
      EXPECT_EQ(answers_of<TypeParam>(closed_form, queries.size()), expected);
      SortedReference<TypeParam, Memory> sorted(exec, keys);
      sorted.set_queries(queries);
      EXPECT_EQ(answers_of<TypeParam>(sorted, queries.size()), expected);
    }
  }
}

TYPED_TEST(References, AgreeWithAMapForZipfKeys) {
  const Exec exec;
  const KeyDistribution wanted{3000, 2, KeyOrder::zipf, 1.1, 6};
  const auto keys = materialise(exec, ZipfKeys<TypeParam>(wanted));
  const auto queries = materialise(exec, GeneratedQueries<TypeParam>(wanted, 1000, 0.5));
  SortedReference<TypeParam, Memory> sorted(exec, keys);
  sorted.set_queries(queries);
  EXPECT_EQ(answers_of<TypeParam>(sorted, queries.size()), answers_by_map(keys, queries));
}

TYPED_TEST(References, AgreeWithAMapForDrawnKeys) {
  const Exec exec;
  for (const double multiplicity : {0.25, 1.0, 3.5}) {
    for (const double skew : {0.0, 1.0}) {
      DataAxes axes;
      axes.num_keys = 3000;
      axes.num_queries = 2000;
      axes.multiplicity = multiplicity;
      axes.hit_rate = 0.75;
      axes.order = KeyOrder::drawn;
      axes.skew = skew;
      DataSet<Exec, TypeParam> data(exec, axes);
      data.set_queries(exec, axes);
      const Answers expected = answers_by_map(data.keys(), data.queries());
      data.with_reference(exec, [&]<class Reference>(const Reference& reference) {
        EXPECT_EQ(answers_of<TypeParam>(reference, data.queries().size()), expected);
      });
      EXPECT_EQ(expected_matches(exec, data).hits.count, 1500u);
    }
  }
}

TYPED_TEST(References, AgreeWithAMapForTpch) {
  const Exec exec;
  DataAxes axes;
  axes.order = KeyOrder::tpch;
  axes.num_keys = 1501;
  axes.num_queries = num_order_lines(exec, TpchOrders<TypeParam>(1501, axes.seed), {0, 1501});
  DataSet<Exec, TypeParam> data(exec, axes);
  data.set_queries(exec, axes);
  EXPECT_TRUE(data.has_queries_of(axes));
  const Answers expected = answers_by_map(data.keys(), data.queries());
  data.with_reference(exec, [&]<class Reference>(const Reference& reference) {
    EXPECT_EQ(answers_of<TypeParam>(reference, data.queries().size()), expected);
  });
  EXPECT_EQ(expected_matches(exec, data).pairs.count, axes.num_queries);
}

TYPED_TEST(References, AgreeWithAMapForHotQueries) {
  const Exec exec;
  DataAxes axes;
  axes.num_keys = axes.num_queries = 3000;
  axes.multiplicity = 3;
  axes.hot_share = 0.5;
  DataSet<Exec, TypeParam> data(exec, axes);
  data.set_queries(exec, axes);
  const Answers expected = answers_by_map(data.keys(), data.queries());
  data.with_reference(exec, [&]<class Reference>(const Reference& reference) {
    EXPECT_EQ(answers_of<TypeParam>(reference, data.queries().size()), expected);
  });
}

TYPED_TEST(References, KnowTheRowsWithoutPartners) {
  const Exec exec;
  for (const KeyOrder order :
       {KeyOrder::sequential, KeyOrder::random, KeyOrder::drawn, KeyOrder::zipf}) {
    for (const double hit_rate : {0.0, 0.5, 1.0}) {
      DataAxes axes;
      axes.key_bits = 8 * sizeof(TypeParam);
      axes.num_keys = 3001;
      axes.num_queries = 2000;
      axes.multiplicity = 3;
      axes.hit_rate = hit_rate;
      axes.order = order;
      axes.skew = 1;
      DataSet<Exec, TypeParam> data(exec, axes);
      data.set_queries(exec, axes);
      const ExpectedUnmatched expected = unmatched_by_set(data.keys(), data.queries());
      const ExpectedUnmatched unmatched = expected_unmatched(exec, data);
      EXPECT_EQ(unmatched.queries, expected.queries);
      EXPECT_EQ(unmatched.rows, expected.rows);
      EXPECT_GT(unmatched.rows.count, 0u);
    }
  }
}

TYPED_TEST(References, QueriesOfRowsHitAndMissAsAsked) {
  const Exec exec;
  const KeyDistribution wanted{1000, 2, KeyOrder::zipf, 1.0, 6};
  const auto keys = materialise(exec, ZipfKeys<TypeParam>(wanted));
  using Keys = std::remove_const_t<decltype(keys)>;
  SortedReference<TypeParam, Memory> sorted(exec, keys);
  for (const double hit_rate : {0.0, 0.5, 1.0}) {
    const QueriesOfRows<Keys, SortedReference<TypeParam, Memory>> source(keys, sorted, 3000,
                                                                         hit_rate, 8);
    const auto queries = materialise(exec, source);
    const auto host_keys = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), keys);
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), queries);
    std::map<TypeParam, int, KeyLess> present;
    for (std::uint64_t i = 0; i < host_keys.size(); ++i) present[host_keys(i)] = 1;
    std::uint64_t num_hits = 0;
    for (std::uint64_t i = 0; i < host.size(); ++i) num_hits += present.contains(host(i)) ? 1 : 0;
    EXPECT_EQ(num_hits, static_cast<std::uint64_t>(hit_rate * 3000));
  }
}

TEST(Tally, DoesNotDependOnOrderButOnEveryResult) {
  Tally forward;
  Tally backward;
  for (std::uint64_t i = 0; i < 100; ++i) {
    forward.add(entry_weight(std::uint32_t{5}, i));
    backward.add(entry_weight(std::uint32_t{5}, 99 - i));
  }
  EXPECT_EQ(forward, backward);
  Tally other = forward;
  other.weight += entry_weight(std::uint32_t{5}, 100) - entry_weight(std::uint32_t{5}, 99);
  EXPECT_NE(forward, other);
}

}  // namespace
}  // namespace hashmill::perf
