#pragma once

#include <hashmill/distributed_hash_graph.hpp>
#include <map>
#include <set>
#include <vector>

#include "ranks/rank_inputs.hpp"

namespace hashmill::test {

// What a DistributedHashGraph of the keys of all ranks must answer.

using RowsOfKeys = std::map<std::uint64_t, std::set<GlobalRow>>;

/// All rows of all ranks by key. `keys_of(input, rank, ranks)` are the keys of a rank.
template <class Input>
RowsOfKeys all_rows(const Input& input, int ranks) {
  RowsOfKeys rows;
  for (int r = 0; r < ranks; ++r) {
    const auto keys = keys_of(input, r, ranks);
    for (std::uint64_t i = 0; i < keys.size(); ++i) {
      rows[keys[i]].insert(global_row(static_cast<std::uint32_t>(r), i));
    }
  }
  return rows;
}

/// Expects answers to queries of this rank. Collective.
template <class Table>
void expect_answers(const Table& table, const RowsOfKeys& rows,
                    const std::vector<std::uint64_t>& queries) {
  const Exec exec;
  const auto asked = to_device(queries);
  const std::size_t n = queries.size();
  Kokkos::View<bool*, Memory> contains("contains", n);
  Kokkos::View<std::uint64_t*, Memory> counts("counts", n), found("found", n);
  table.contains(exec, asked, contains);
  table.count(exec, asked, counts);
  table.find(exec, asked, found);
  const auto retrieved = table.retrieve(exec, asked);
  const auto count = to_host(counts), find = to_host(found);
  const auto offsets = to_host(retrieved.offsets), all = to_host(retrieved.rows);
  const auto contains_host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), contains, mirror_label);
  ASSERT_EQ(offsets.size(), n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const auto expected = rows.find(queries[i]);
    const bool there = expected != rows.end();
    ASSERT_EQ(contains_host(i), there);
    ASSERT_EQ(count[i], there ? expected->second.size() : 0);
    ASSERT_EQ(there ? expected->second.count(find[i]) : find[i] == no_row<GlobalRow>, 1U);
    const std::set<GlobalRow> got(all.begin() + std::ptrdiff_t(offsets[i]),
                                  all.begin() + std::ptrdiff_t(offsets[i + 1]));
    ASSERT_EQ(got.size(), offsets[i + 1] - offsets[i]);
    ASSERT_EQ(got, there ? expected->second : std::set<GlobalRow>());
  }
}

}  // namespace hashmill::test
