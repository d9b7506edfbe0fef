#pragma once

#include <hashmill/distributed_join/detail/concatenate.hpp>
#include <hashmill/distributed_join/detail/held_batches.hpp>
#include <hashmill/distributed_join/detail/join_context.hpp>

namespace hashmill::detail {

/// What came of a side that was sent batch by batch: of each round, the rows of each batch.
template <class Exec, class Columns>
class SentBatches {
 public:
  SentBatches(const Exec& exec, CollectiveCall& call,
              Workspace<typename Exec::memory_space>& workspace, std::uint64_t rounds)
      : exec_(exec), call_(call), workspace_(workspace), rounds_(rounds) {}

  /// Waits for all rounds of a batch.
  template <class Travelling>
  void receive(Travelling batch) {
    for (std::size_t round = 0; round < rounds_.size(); ++round) {
      rounds_[round].push_back(batch.finish(round));
    }
  }
  /// The rows of a round, which is not kept.
  [[nodiscard]] RowsHere<Columns> finish(std::size_t round) {
    return concatenate(exec_, call_, std::move(rounds_[round]), workspace_);
  }

 private:
  const Exec& exec_;
  CollectiveCall& call_;
  Workspace<typename Exec::memory_space>& workspace_;
  std::vector<std::vector<RowsHere<Columns>>> rounds_;
};

/// A join of rows that were added in batches. It takes them as it sends them.
template <class Exec, class LeftBatches, class RightBatches, class Condition>
struct BatchedJoinRequest
    : JoinContext<Exec, typename LeftBatches::Batch, typename RightBatches::Batch, Condition> {
  using Context =
      JoinContext<Exec, typename LeftBatches::Batch, typename RightBatches::Batch, Condition>;
  using typename Context::Routing;

  LeftBatches& left;
  RightBatches& right;

  BatchedJoinRequest(const Context& context, LeftBatches& its_left, RightBatches& its_right)
      : Context(context), left(its_left), right(its_right) {}

  /// The number of this rank's rows.
  [[nodiscard]] std::uint64_t left_rows() const { return left.rows(); }
  [[nodiscard]] std::uint64_t right_rows() const { return right.rows(); }
  /// Calls `use(keys)` for the keys of each batch, as both sides are compared.
  template <class Use>
  void for_each_left_keys(const Use& use) const {
    left.for_each([&](const auto& batch) { use(this->keys_of(batch)); });
  }
  template <class Use>
  void for_each_right_keys(const Use& use) const {
    right.for_each([&](const auto& batch) { use(this->keys_of(batch)); });
  }
  /// Sends rows to where their keys belong. A batch is freed before the next one is sent.
  [[nodiscard]] auto send_left(const Routing& routing) const {
    return send_batches(left, routing.rounds(), [&](const auto& batch) {
      return this->send(batch, routing, JoinSideName::left);
    });
  }
  [[nodiscard]] auto send_right(const Routing& routing) const {
    return send_batches(right, routing.rounds(), [&](const auto& batch) {
      return this->send(batch, routing, JoinSideName::right);
    });
  }
  /// Sends all right rows to all ranks, and returns those of all.
  [[nodiscard]] auto broadcast_right() const {
    return send_batches(right, 1, [&](const auto& batch) { return this->broadcast(batch); })
        .finish(0);
  }

 private:
  template <class Batches, class Send>
  [[nodiscard]] auto send_batches(Batches& batches, std::uint64_t rounds, const Send& send) const {
    std::uint64_t most[] = {std::max<std::uint64_t>(batches.size(), 1)};
    this->ranks.all_reduce(most, Reduction::maximum, "count batches");
    SentBatches<Exec, decltype(Batches::Batch::columns)> sent(this->exec, this->call,
                                                              this->workspace, rounds);
    batches.take_each(this->exec, most[0], [&](const auto& batch) { sent.receive(send(batch)); });
    return sent;
  }
};

}  // namespace hashmill::detail
