#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/publish.hpp>
#include <hashmill/csr.hpp>
#include <hashmill/primitives/detail/select_rows.hpp>
#include <hashmill/row.hpp>

namespace hashmill::detail {

// Rows of one side of which it is not known yet whether they have a partner: that is found batch by
// batch.

/// Sets the flags of rows that have a partner.
struct MarkPartners {
  const std::uint32_t* rows;
  bool* has_partner;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (rows[i] != no_row<std::uint32_t>) backends::store_relaxed(&has_partner[rows[i]], true);
  }
};
/// Sets the flags of the rows in pairs, `rows` being those of the side. Asynchronous.
template <class Exec, class Rows>
void mark_partners(const Exec& exec, const Rows& rows, bool* has_partner) {
  backends::for_each_index("hashmill::distributed_join::mark_partners", exec, rows.extent(0),
                           MarkPartners{rows.data(), has_partner});
}

/// Whether this rank reports a row that all ranks have and that has no partner on any of them.
struct IsUnmatchedHere {
  const bool* has_partner;
  std::uint64_t own_rank, ranks;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::uint64_t i) const {
    return !has_partner[i] && i % ranks == own_rank;
  }
};

/// Pairs that have row `first` + i on `side`, for each i below `count` that `keep` chooses, and no
/// row on `other`. Waits for `exec`.
template <class Pairs, class Exec, class Keep, class Side, class Memory>
[[nodiscard]] Pairs pairs_without(const Exec& exec, std::uint64_t first, std::uint64_t count,
                                  const Keep& keep, Side side, Side other,
                                  Workspace<Memory>& workspace) {
  const typename Workspace<Memory>::Frame frame(workspace);
  const auto placed = place_kept<std::uint32_t>("hashmill::distributed_join::count_unmatched", exec,
                                                count, keep, workspace);
  const auto make = [&] {
    return backends::allocate<decltype(Pairs::left)>(exec, "hashmill::distributed_join::pairs",
                                                     placed.total);
  };
  Pairs pairs{make(), make()};
  Kokkos::deep_copy(exec, pairs.*other, no_row<std::uint32_t>);
  write_kept("hashmill::distributed_join::write_unmatched", exec, count, keep, placed, first,
             (pairs.*side).data());
  exec.fence("hashmill::distributed_join: temporary memory is freed");
  return pairs;
}

}  // namespace hashmill::detail
