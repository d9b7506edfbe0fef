#pragma once

#include <hashmill/capacity.hpp>
#include <hashmill/join/detail/condition.hpp>
#include <hashmill/join/detail/memory_budget.hpp>
#include <hashmill/multi_map/detail/lookup.hpp>
#include <hashmill/primitives/detail/select_rows.hpp>

namespace hashmill::detail {

template <class Row, class Match>
struct NoteMatch {
  const Match& match;
  Row left;
  bool* found;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Row right) const {
    if (!*found) *found = match(left, right);
  }
};

/// Whether each query has a match for which the caller's condition holds.
template <class Ref, class Row, class Match, class Out>
struct MarkEach {
  Ref ref;
  Match match;
  Out out;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    bool found = false;
    ref.for_each_match(key, NoteMatch<Row, Match>{match, static_cast<Row>(i), &found});
    out(i) = found;
  }
  KOKKOS_FORCEINLINE_FUNCTION void answer_none(std::uint64_t i) const { out(i) = false; }
};

template <class Exec, class Probe, class Table, class Out, class Match>
void bulk_mark(const Exec& exec, const Probe& probe, const Table& table, const Out& out,
               const Match& match) {
  using Row = typename Table::row_type;
  require_condition<Match>();
  require_accessible_table<Exec, typename Table::memory_space>();
  if constexpr (std::is_same_v<Match, EveryPair>) {
    bulk_contains(exec, table.ref(), probe, out);
  } else {
    check_results<Exec>(probe, out, "mark_join");
    check_rows<Row>(0, probe.size());
    for_each_query("hashmill::mark_join", exec, table.ref(), probe,
                   MarkEach<typename Table::ref_type, Row, Match, Out>{table.ref(), match, out});
  }
}

/// Returns the rows whose mark is `wanted`, in ascending order. Waits for `exec`.
template <class Row, class Exec, class Memory>
[[nodiscard]] auto select_rows_by(const Exec& exec, const bool* marks, std::uint64_t n, bool wanted,
                                  const JoinOptions& options, Workspace<Memory>& workspace) {
  const typename Workspace<Memory>::Frame frame(workspace);
  const IsMarked keep{marks, wanted};
  const auto placed = place_kept<Row>("hashmill::semi_join::count", exec, n, keep, workspace);
  check_budget("semi join", checked_multiply(placed.total, sizeof(Row), "bytes of a semi join"),
               placed.total, options);
  const auto rows = backends::allocate<Kokkos::View<Row*, Memory>>(
      exec, "hashmill::semi_join::rows", placed.total);
  write_kept("hashmill::semi_join::write", exec, n, keep, placed, 0, rows.data());
  exec.fence("hashmill::semi_join: results are handed to the caller");
  return rows;
}

/// Returns the queries of which `wanted` tells whether they have a match. Otherwise as above.
template <class Exec, class Probe, class Table, class Match>
auto select_marked(const Exec& exec, const Probe& probe, const Table& table, const Match& match,
                   bool wanted, const JoinOptions& options) {
  using Row = typename Table::row_type;
  using Memory = typename Table::memory_space;
  const std::uint64_t n = probe.size();
  check_rows<Row>(0, n);
  Workspace<Memory> workspace;
  const auto marks = workspace.template take<bool>(exec, n);
  bulk_mark(exec, probe, table, marks, match);
  return select_rows_by<Row>(exec, marks.data(), n, wanted, options, workspace);
}

}  // namespace hashmill::detail
