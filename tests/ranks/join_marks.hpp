#pragma once

#include <hashmill/distributed_semi_join.hpp>
#include <string>
#include <vector>

#include "ranks/join_inputs.hpp"

namespace hashmill::test {

// Results of mark, semi and anti joins of several ranks: each compares the marks of its left rows
// with what the right rows of all ranks say.

/// Whether each left row of this rank has a match. `input.left` and `input.right` are as those of a
/// JoinInput.
template <class Input, class KeyOf, class Matches>
std::vector<bool> expected_marks(const Input& input, const Communicator& ranks, const KeyOf& key_of,
                                 const Matches& matches) {
  std::multimap<std::string, GlobalRow> rows_of;
  for (const auto& [row, key] : keys_of_all(input.right, ranks.size(), key_of)) {
    if (key) rows_of.emplace(*key, row);
  }
  std::vector<bool> marks;
  const auto keys = keys_of(input.left, ranks.rank(), ranks.size());
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    const JoinKey key = key_of(keys[i]);
    const auto [begin, end] =
        key ? rows_of.equal_range(*key) : std::pair(rows_of.end(), rows_of.end());
    const GlobalRow left = global_row(static_cast<std::uint32_t>(ranks.rank()), i);
    marks.push_back(
        std::any_of(begin, end, [&](const auto& found) { return matches(left, found.second); }));
  }
  return marks;
}

/// Expects what all three joins give to be `marks`.
template <class Left, class Right, class Condition = EveryRow>
void expect_marks(const Communicator& ranks, const Left& left, const Right& right,
                  const DistributedJoinOptions& options, const std::vector<bool>& marks,
                  const Condition& condition = {}) {
  Workspace<Memory> workspace;
  const Kokkos::View<bool*, Memory> out("out", marks.size());
  distributed_mark_join(rank_exec(), ranks, left, right, out, options, workspace, condition);
  const auto found = to_host(out);
  EXPECT_EQ(found, marks);
  for (const bool wanted : {true, false}) {
    std::vector<std::uint64_t> expected;
    for (std::uint64_t i = 0; i < marks.size(); ++i) {
      if (marks[i] == wanted) expected.push_back(i);
    }
    const auto rows =
        wanted
            ? distributed_semi_join(rank_exec(), ranks, left, right, options, workspace, condition)
            : distributed_anti_join(rank_exec(), ranks, left, right, options, workspace, condition);
    EXPECT_EQ(to_host(rows), expected);
  }
}

}  // namespace hashmill::test
