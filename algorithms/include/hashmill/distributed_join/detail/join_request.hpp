#pragma once

#include <hashmill/distributed_join/detail/join_context.hpp>

namespace hashmill::detail {

/// A side with its columns as a join reads them.
template <class MemorySpace, class KeyColumns, class... Columns>
[[nodiscard]] auto local_side(const JoinSide<KeyColumns, Columns...>& side) {
  return std::apply(
      [](const auto&... columns) {
        return JoinSide<KeyColumns, std::decay_t<decltype(columns)>...>{{columns...}};
      },
      local_columns<MemorySpace>(side.columns));
}
template <class MemorySpace, class Side>
using LocalSide = decltype(local_side<MemorySpace>(std::declval<const Side&>()));

template <class Exec, class Left, class Right, class Condition>
using ContextOf = JoinContext<Exec, LocalSide<typename Exec::memory_space, Left>,
                              LocalSide<typename Exec::memory_space, Right>, Condition>;

/// A join of rows that all ranks have from the start. Those that travelled lie in the workspace as
/// long as this lives.
template <class Exec, class Left, class Right, class Condition>
struct DistributedJoinRequest : ContextOf<Exec, Left, Right, Condition> {
  using Context = ContextOf<Exec, Left, Right, Condition>;
  using typename Context::MemorySpace;
  using typename Context::Routing;
  /// The columns of a side where its rows lie, and those that travelled.
  template <class Side>
  using Home = decltype(LocalSide<MemorySpace, Side>::columns);
  template <class Side>
  using Travelled =
      std::decay_t<decltype(std::declval<TravellingSide<Exec, Side>&>().finish(0).columns)>;

  const Left& left;
  const Right& right;

  DistributedJoinRequest(const Context& context, const Left& its_left, const Right& its_right)
      : Context(context), left(its_left), right(its_right), frame_(context.workspace) {
    this->borrows = true;
  }

  /// This rank's rows where they lie.
  [[nodiscard]] auto left_at_home() const {
    return RowsHere<Home<Left>>{local_columns<MemorySpace>(left.columns)};
  }
  [[nodiscard]] auto right_at_home() const {
    return RowsHere<Home<Right>>{local_columns<MemorySpace>(right.columns)};
  }
  /// Throws InvalidArgument where columns of a side differ in length. Part of a step.
  void check_columns() const {
    require_equal_lengths("distributed_join", left.columns);
    require_equal_lengths("distributed_join", right.columns);
  }
  /// The number of this rank's rows.
  [[nodiscard]] std::uint64_t left_rows() const { return length_of(std::get<0>(left.columns)); }
  [[nodiscard]] std::uint64_t right_rows() const { return length_of(std::get<0>(right.columns)); }
  /// Calls `use(keys)` for the keys of these rows, as both sides are compared.
  template <class Use>
  void for_each_left_keys(const Use& use) const {
    use(this->keys_of(left));
  }
  template <class Use>
  void for_each_right_keys(const Use& use) const {
    use(this->keys_of(right));
  }
  /// Sends rows to where their keys belong.
  [[nodiscard]] TravellingSide<Exec, Left> send_left(const Routing& routing) const {
    return this->send(left, routing, JoinSideName::left);
  }
  [[nodiscard]] TravellingSide<Exec, Right> send_right(const Routing& routing) const {
    return this->send(right, routing, JoinSideName::right);
  }

 private:
  typename Workspace<MemorySpace>::Frame frame_;  // of rows that travelled
};

}  // namespace hashmill::detail
