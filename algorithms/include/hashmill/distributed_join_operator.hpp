#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/distributed_join/detail/batched_join.hpp>
#include <hashmill/distributed_join/detail/built_right.hpp>
#include <hashmill/distributed_join/detail/join_by_plan.hpp>
#include <hashmill/primitives/detail/call_order.hpp>
#include <optional>

namespace hashmill {

/// A join whose sides come in batches, on any ranks; a batch need not stay in memory once it is
/// added. Made by `distributed_join_operator`, which takes the types of the columns and reads no
/// rows. It goes through four stages, each on all ranks:
///
///     | stage          | calls on a rank | waits for other ranks                            |
///     |----------------|-----------------|--------------------------------------------------|
///     | `add_right`    | any number      | no                                               |
///     | `finish_right` | one             | yes: agrees on what is joined, makes a filter    |
///     | `add_left`     | any number      | no                                               |
///     | `finish_left`  | one             | yes: rows go to the ranks of their keys          |
///
///     auto join = hashmill::distributed_join_operator(exec, ranks, hashmill::JoinKind::inner,
///                                                     lines, orders, {});
///     while (read(orders)) join.add_right(exec, orders);
///     join.finish_right(exec);
///     while (read(lines)) join.add_left(exec, lines);
///     join.finish_left(exec, [&](const auto& joined) { write(joined); });
///
/// Results are those of `distributed_join` of all batches, and so are heavy keys and filters. They
/// come in one call of `use` for each of `options.rounds` rounds, by default 4. `Prefilter::always`
/// makes a filter of all right keys in `finish_right`; left rows without a partner are then dropped
/// when they are added, where the result has no place for them. With `self_communicator()` it is a
/// join on one device.
///
/// No side is broadcast unless that is asked for. With `JoinMovement::broadcast_right` each rank
/// gets the right side in `finish_right`, and builds a table of it. Left rows stay where they are.
/// Then `add_left` may be given `use` too, and joins each batch at once:
///
///     join.add_left(exec, lines, write);  // otherwise they are kept, and written in finish_left
///
/// Memory:
///
///     rows added       until they are sent, in `finish_left`, one batch after the other
///     one batch        once more, in the order of the ranks to which its rows go
///     rows received    those of each round until it is joined
///     one round        once more, while its batches become one
///     broadcast_right  the right side of all ranks, twice while it comes, and its table
///
/// Every function throws InvalidArgument if it is called out of order, on the ranks that do so.
/// `add_right` and `add_left` throw CapacityError where memory is short, and InvalidArgument where
/// columns differ in length; nothing is added then. The others throw as `distributed_join`; the
/// join has ended then, since rows may have left.
///
/// Source: Velox's HashBuild and HashProbe take batches so; Gao and Sakharnykh for the rest.
template <class Exec, class Left, class Right, class Condition>
class DistributedJoin {
 public:
  using memory_space = typename Exec::memory_space;

  /// See `distributed_join_operator`. Throws InvalidArgument for 0 rounds.
  DistributedJoin(const Communicator& ranks, JoinKind kind, const DistributedJoinOptions& options,
                  const Condition& condition)
      : ranks_(ranks), kind_(kind), options_(options), condition_(condition) {
    if (options.rounds == 0U) {
      throw InvalidArgument("DistributedJoin: 0 rounds, but at least 1 is needed");
    }
  }

  /// Adds right rows of this rank, of the types that the join was made with. Fences `exec`.
  template <class Side>
  void add_right(const Exec& exec, const Side& side) {
    order_.require(Stage::right, "add_right");
    right_.add(exec, batch_of<Right>(side), workspace_);
  }
  /// Ends the right side. Collective.
  void finish_right(const Exec& exec) {
    auto attempt = order_.begin(Stage::right, "finish_right");
    detail::CollectiveCall call(ranks_, "DistributedJoin::finish_right", signature());
    const std::uint64_t rows = call.agree_on_sum(right_.rows(), "agree on options");
    if (options_.movement == JoinMovement::broadcast_right) {
      const auto right = request(exec, call).broadcast_right();
      call.step("build", [&] { built_.emplace(exec, kind_, options_, right, workspace_); });
    } else if (options_.left_filter == Prefilter::always && !detail::keeps_left(kind_)) {
      filter_ = detail::agree_on_left_filter(request(exec, call), rows);
      options_.left_filter = Prefilter::never;  // again, when rows are sent
    }
    call.agree("agree on results");
    attempt.succeeded(Stage::left);
  }
  /// Adds left rows of this rank, of the types that the join was made with. Fences `exec`.
  template <class Side>
  void add_left(const Exec& exec, const Side& side) {
    order_.require(Stage::left, "add_left");
    const auto columns = batch_of<Left>(side);
    if (!filter_) return left_.add(exec, columns, workspace_);
    const auto keys = detail::key_of_columns<Request::has_numbers>(
        columns, typename Left::key_columns(), options_.nulls_equal);
    const auto rows = filter_->template select<std::uint64_t>(exec, keys, workspace_);
    left_.add(exec, columns, rows, workspace_);
  }
  /// As above. With `JoinMovement::broadcast_right` the rows are joined at once: calls
  /// `use(joined)` on the host, as `finish_left` does, and does not keep them. What `use` throws
  /// goes through. Its rows count as joined then.
  template <class Side, class Use>
  void add_left(const Exec& exec, const Side& side, const Use& use) {
    if (!built_) return add_left(exec, side);
    order_.require(Stage::left, "add_left");
    built_->probe(exec, batch_of<Left>(side), condition_, workspace_, use);
  }
  /// Sends the rows of both sides, and calls `use(joined)` on the host with the rows of one round
  /// after another; see `Joined`. What `use` throws ends the call on all ranks. Collective.
  template <class Use>
  void finish_left(const Exec& exec, const Use& use) {
    auto attempt = order_.begin(Stage::left, "finish_left");
    detail::CollectiveCall call(ranks_, "DistributedJoin::finish_left", signature());
    built_ ? finish_built(exec, call, use) : finish_sent(exec, call, use);
    built_.reset();
    call.agree("agree on results");
    attempt.succeeded(Stage::done);
  }

 private:
  enum class Stage { right, left, done, failed };
  using LeftBatches = detail::HeldBatches<Exec, Left>;
  using RightBatches = detail::HeldBatches<Exec, Right>;
  using Request = detail::BatchedJoinRequest<Exec, LeftBatches, RightBatches, Condition>;
  using Built = detail::BuiltRight<Exec, typename LeftBatches::Batch, typename RightBatches::Batch,
                                   Request::has_numbers>;
  static constexpr std::uint64_t default_rounds = 4;

  /// Sends the rows of both sides, and joins them round by round.
  template <class Use>
  void finish_sent(const Exec& exec, detail::CollectiveCall& call, const Use& use) {
    const Request join = request(exec, call);
    const detail::MovementPlan plan{JoinMovement::repartition,
                                    options_.rounds.value_or(default_rounds),
                                    detail::agree_on_totals(join)};
    detail::join_repartitioned(join, plan, [&](auto round) {
      use(detail::join_columns(exec, kind_, std::move(round), workspace_));
    });
  }
  /// Joins the left rows that were kept where they lie.
  template <class Use>
  void finish_built(const Exec& exec, detail::CollectiveCall& call, const Use& use) {
    call.agree("agree on options");
    call.step("join", [&] {
      left_.take_each(exec, left_.size(), [&](const auto& batch) {
        built_->probe(exec, batch.columns, condition_, workspace_, use);
      });
    });
    const auto none = LeftBatches::no_rows(exec);
    built_->finish(exec, ranks_, call, detail::local_columns<memory_space>(none), workspace_, use);
  }

  [[nodiscard]] std::uint64_t signature() const {
    return detail::join_signature(kind_, options_, typename Request::LeftColumns(),
                                  typename Request::RightColumns());
  }
  [[nodiscard]] Request request(const Exec& exec, detail::CollectiveCall& call) {
    return {{exec, ranks_, call, kind_, condition_, options_, workspace_}, left_, right_};
  }

  template <class Made, class Side>
  [[nodiscard]] static auto batch_of(const Side& side) {
    return detail::batch_columns<memory_space, Made>("DistributedJoin", side);
  }

  Communicator ranks_;
  JoinKind kind_;
  DistributedJoinOptions options_;
  Condition condition_;
  detail::CallOrder<Stage> order_{
      "DistributedJoin", {"before finish_right", "after finish_right", "after finish_left"}};
  RightBatches right_;
  LeftBatches left_;
  std::optional<typename Request::Filter> filter_;  // of all right keys, for left rows to come
  std::optional<Built> built_;                      // if left rows stay where they are
  Workspace<memory_space> workspace_;
};

/// A join without rows, of sides with the key columns and types of `left` and `right`, which are
/// not read. Not collective. The options are equal on all ranks; of movements it knows
/// `repartition` and `broadcast_right`.
template <backends::ExecutionSpace Exec, class Left, class Right, class Condition = EveryRow>
[[nodiscard]] DistributedJoin<Exec, Left, Right, Condition> distributed_join_operator(
    const Exec&, const Communicator& ranks, JoinKind kind, const Left&, const Right&,
    const DistributedJoinOptions& options, const Condition& condition = {}) {
  return DistributedJoin<Exec, Left, Right, Condition>(ranks, kind, options, condition);
}

}  // namespace hashmill
