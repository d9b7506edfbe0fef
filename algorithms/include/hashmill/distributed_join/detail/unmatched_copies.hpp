#pragma once

#include <hashmill/csr.hpp>
#include <hashmill/distributed_join/detail/replicated_flags.hpp>
#include <hashmill/join/detail/plan.hpp>
#include <hashmill/primitives/detail/sized_output.hpp>
#include <hashmill/row.hpp>

namespace hashmill::detail {

// A row that all ranks have may have its partners on some of them only. Each rank joins its own
// copy, and reports it where it finds none. Here the ranks tell each other which copies have
// partners, and one rank alone keeps what is reported of the others.

/// Pairs that report a row of one side that has no partner, where all ranks have the row.
struct CopyPairs {
  const std::uint32_t* rows;      // of the side whose rows are copied
  const std::uint32_t* partners;  // of the other side
  ReplicatedRows replicated;

  /// Whether pair i does.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_unmatched(std::uint64_t i) const {
    return partners[i] == no_row<std::uint32_t> && replicated.has(rows[i]);
  }
  /// The number of its row among those that all ranks have.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t number_of(std::uint64_t i) const {
    return rows[i] - replicated.begin;
  }
};

/// Takes away the flags of rows that are reported here.
struct ClearUnmatched {
  CopyPairs pairs;
  bool* has_partner;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    if (pairs.is_unmatched(i)) has_partner[pairs.number_of(i)] = false;
  }
};

/// Pairs that stay on this rank, as items of a sized output. Ranks share what is reported of rows
/// without any partner.
struct PairsThatStay {
  CopyPairs pairs;
  const bool* has_partner;
  std::uint64_t own_rank, ranks;
  const std::uint32_t *left, *right;
  std::uint32_t *to_left = nullptr, *to_right = nullptr;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size(std::uint64_t i) const {
    if (!pairs.is_unmatched(i)) return 1;
    const std::uint64_t row = pairs.number_of(i);
    return !has_partner[row] && row % ranks == own_rank ? 1 : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t fill(std::uint64_t i, std::uint64_t place) const {
    if (size(i) == 0) return place;
    to_left[place] = left[i];
    to_right[place] = right[i];
    return place + 1;
  }
};

/// Keeps the pairs that stay, in their order. Waits for `exec`. They are written anew only if some
/// do not stay.
template <class Exec, class Pairs, class Memory>
void keep_pairs(const Exec& exec, PairsThatStay kept, Pairs& pairs, Workspace<Memory>& workspace) {
  using Rows = decltype(pairs.left);
  const typename Workspace<Memory>::Frame frame(workspace);
  const auto placed = place_item_tiles("hashmill::distributed_join::count_kept", exec, kept,
                                       pairs.size(), workspace);
  if (placed.total == pairs.size()) return;
  const auto make = [&] {
    return backends::allocate<Rows>(exec, "hashmill::distributed_join::pairs", placed.total);
  };
  const Pairs to{make(), make()};
  kept.to_left = to.left.data();
  kept.to_right = to.right.data();
  fill_item_tiles("hashmill::distributed_join::keep", exec, kept, pairs.size(), placed);
  exec.fence("hashmill: the pairs before are freed");
  pairs = to;
}

/// Lets one rank alone report each row of a side that all ranks have and that has no partner on any
/// of them. Part of a collective call. Reads all pairs twice, and sends two bytes for each row that
/// all ranks have.
template <class Exec, class Pairs, class Memory>
void report_copies_once(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                        const ReplicatedRows& replicated, bool is_left, Pairs& pairs,
                        Workspace<Memory>& workspace) {
  const CopyPairs copies{(is_left ? pairs.left : pairs.right).data(),
                         (is_left ? pairs.right : pairs.left).data(), replicated};
  ReplicatedFlags<Memory> has_partner;
  call.step("find copies without partners", [&] {
    has_partner.allocate(exec, replicated, true);
    backends::for_each_index("hashmill::distributed_join::clear_unmatched", exec, pairs.size(),
                             ClearUnmatched{copies, has_partner.flags().data()});
  });
  has_partner.combine(exec, ranks, call);
  call.step("report copies without partners", [&] {
    keep_pairs(exec,
               PairsThatStay{
                   copies, has_partner.flags().data(), static_cast<std::uint64_t>(ranks.rank()),
                   static_cast<std::uint64_t>(ranks.size()), pairs.left.data(), pairs.right.data()},
               pairs, workspace);
  });
}

/// Does so for each side whose rows the kind keeps. `left` and `right` are equal on all ranks.
template <class Exec, class Pairs, class Memory>
void report_unmatched_once(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                           JoinKind kind, const ReplicatedRows& left, const ReplicatedRows& right,
                           Pairs& pairs, Workspace<Memory>& workspace) {
  const auto report = [&](const ReplicatedRows& rows, bool is_left) {
    report_copies_once(exec, ranks, call, rows, is_left, pairs, workspace);
  };
  if (keeps_left(kind) && left.size() > 0) report(left, true);
  if (keeps_right(kind) && right.size() > 0) report(right, false);
}

}  // namespace hashmill::detail
