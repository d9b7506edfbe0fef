#pragma once

#include <gtest/gtest.h>

#include <hashmill/linear_probing.hpp>
#include <unordered_map>

#include "algorithms/support/hashes.hpp"
#include "algorithms/support/keys.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {

template <class Key, class Kind, class Row = std::uint32_t, class Hash = Murmur3Hash>
using Probing = LinearProbing<Key, Memory, Kind, Row, Hash>;

struct MinRow {
  template <class Row>
  KOKKOS_FUNCTION Row operator()(Row a, Row b) const {
    return a < b ? a : b;
  }
};

struct AddRow {
  template <class Row>
  KOKKOS_FUNCTION Row operator()(Row a, Row b) const {
    return a + b;
  }
};

/// Tables of unique keys, and what an unordered_map says that they hold.
template <class Types>
class LinearProbingOf : public testing::Test {
 protected:
  using Key = typename Types::Key;
  using Table = Probing<Key, UniqueKeys, std::uint32_t, typename Types::Hash>;
  using Expected = std::unordered_map<std::uint64_t, std::uint32_t>;

  static auto source(const Numbers& numbers) { return KeyColumns<Key>(numbers).source(); }
  static std::uint64_t normal(std::uint64_t number) { return normal_number<Key>(number); }

  /// Every `step`-th number below `end` as a key, with itself as its row.
  static Expected rows_like_numbers(std::uint32_t end, std::uint32_t step) {
    Expected expected;
    for (std::uint32_t i = 0; i < end; i += step) expected[normal(i)] = i;
    return expected;
  }

  /// Expects the rows of these and of a few absent keys.
  static void expect_rows(const Table& table, const Expected& expected) {
    ASSERT_EQ(table.size(), expected.size());
    Numbers queries = random_numbers(50, 4242);
    for (const auto& entry : expected) queries.push_back(entry.first);
    const KeyColumns<Key> keys(queries);
    const Kokkos::View<std::uint32_t*, Memory> rows("hashmill::test::rows", queries.size());
    table.find(Exec(), keys.source(), rows);
    const auto found = to_host(rows);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto there = expected.find(normal(queries[q]));
      ASSERT_EQ(found[q], there == expected.end() ? no_row<std::uint32_t> : there->second)
          << "key " << queries[q];
    }
    const auto counts = table.statistics(Exec());
    ASSERT_EQ(counts.num_entries, expected.size());
    ASSERT_EQ(counts.tombstones, table.num_tombstones());
  }
};

/// Keys of 4, 8 and 16 bytes, good and bad hashes.
using ProbingCombinations =
    SampledTypes<KeyAndHash<std::uint32_t, Murmur3Hash>, KeyAndHash<std::uint64_t, FourBitHash>,
                 KeyAndHash<Key128, ConstantHash>>;
}  // namespace hashmill::test
