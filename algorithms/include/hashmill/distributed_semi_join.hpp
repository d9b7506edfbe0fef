#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/distributed_join/detail/mark_by_plan.hpp>

namespace hashmill {

namespace detail {

/// Writes the marks of this rank's left rows, in a collective call of that name, then carries out
/// its last step `use()`.
template <class Exec, class Left, class Right, class MakeMarks, class Condition, class Use>
void distributed_mark(const char* name, const Exec& exec, const Communicator& ranks,
                      const Left& left, const Right& right, const DistributedJoinOptions& options,
                      Workspace<typename Exec::memory_space>& workspace, const Condition& condition,
                      const MakeMarks& make_marks, const Use& use) {
  CollectiveCall call(ranks, name,
                      join_signature(JoinKind::left, options, left.columns, right.columns));
  const DistributedJoinRequest<Exec, Left, Right, Condition> request(
      {exec, ranks, call, JoinKind::left, condition, options, workspace}, left, right);
  std::decay_t<decltype(make_marks())> marks;
  call.step("allocate", [&] { marks = make_marks(); });
  mark_by_plan(request, agree_on_movement(request), marks);
  call.step("select", [&] { use(marks); });
  call.agree("agree on results");
}

/// The numbers of this rank's left rows of which `wanted` tells whether they have a match.
template <class Exec, class Left, class Right, class Condition>
[[nodiscard]] auto distributed_select(const char* name, const Exec& exec, const Communicator& ranks,
                                      const Left& left, const Right& right,
                                      const DistributedJoinOptions& options,
                                      Workspace<typename Exec::memory_space>& workspace,
                                      const Condition& condition, bool wanted) {
  using Memory = typename Exec::memory_space;
  using Marks = Kokkos::View<bool*, Memory>;
  Kokkos::View<std::uint64_t*, Memory> rows;
  distributed_mark(
      name, exec, ranks, left, right, options, workspace, condition,
      [&] {
        return backends::allocate<Marks>(exec, "hashmill::semi_join::marks",
                                         length_of(std::get<0>(left.columns)));
      },
      [&](const Marks& marks) {
        rows = select_rows_by<std::uint64_t>(exec, marks.data(), marks.extent(0), wanted, options,
                                             workspace);
      });
  return rows;
}

}  // namespace detail

/// Sets out(i) to whether this rank's left row i has a match among the right rows of any rank: the
/// mark join. Collective over `ranks`, on `exec`, which is fenced.
///
/// - left, right: made by `join_side`. Name only the keys, and columns that the condition reads.
///   Of left rows that are sent, one byte per row comes back.
/// - out: a view of bool, with one element per left row.
/// - condition, options: as in `distributed_join`. There is one round.
///
/// Cost: sends the named columns of both sides to the ranks that own their keys, or those of the
/// smaller side to all. Builds a HashGraph of the right rows that a rank then has, and looks up
/// each left row that it has once.
///
/// Throws as `distributed_join`, and InvalidArgument if `out` has another length than the left
/// side. `out` holds anything then.
///
///     const auto mine = hashmill::join_side<0>(customers);
///     hashmill::distributed_mark_join(exec, ranks, mine, hashmill::join_side<0>(buyers), bought,
///                                     {}, workspace);
template <backends::ExecutionSpace Exec, class Left, class Right, class Out,
          class Condition = EveryRow>
void distributed_mark_join(const Exec& exec, const Communicator& ranks, const Left& left,
                           const Right& right, const Out& out,
                           const DistributedJoinOptions& options,
                           Workspace<typename Exec::memory_space>& workspace,
                           const Condition& condition = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::distributed_mark_join");
  detail::distributed_mark(
      "distributed_mark_join", exec, ranks, left, right, options, workspace, condition,
      [&] {
        detail::same_room("distributed_mark_join", "left rows", std::get<0>(left.columns), "marks",
                          out);
        return out;
      },
      [](const Out&) {});
}

/// The numbers of this rank's left rows that have a match on any rank, in ascending order: a view
/// of std::uint64_t. Takes a byte per left row while it runs. `options.memory_budget` limits the
/// result. Otherwise as `distributed_mark_join`.
template <backends::ExecutionSpace Exec, class Left, class Right, class Condition = EveryRow>
[[nodiscard]] auto distributed_semi_join(const Exec& exec, const Communicator& ranks,
                                         const Left& left, const Right& right,
                                         const DistributedJoinOptions& options,
                                         Workspace<typename Exec::memory_space>& workspace,
                                         const Condition& condition = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::distributed_semi_join");
  return detail::distributed_select("distributed_semi_join", exec, ranks, left, right, options,
                                    workspace, condition, true);
}

/// Those that have no match, rows with a null among them. Otherwise as `distributed_semi_join`.
template <backends::ExecutionSpace Exec, class Left, class Right, class Condition = EveryRow>
[[nodiscard]] auto distributed_anti_join(const Exec& exec, const Communicator& ranks,
                                         const Left& left, const Right& right,
                                         const DistributedJoinOptions& options,
                                         Workspace<typename Exec::memory_space>& workspace,
                                         const Condition& condition = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::distributed_anti_join");
  return detail::distributed_select("distributed_anti_join", exec, ranks, left, right, options,
                                    workspace, condition, false);
}

}  // namespace hashmill
