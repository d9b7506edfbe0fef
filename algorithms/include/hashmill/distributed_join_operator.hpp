#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/distributed_join/detail/filter_left_rows.hpp>
#include <hashmill/distributed_join/detail/joined_rounds.hpp>
#include <hashmill/distributed_join/detail/outbox.hpp>
#include <optional>

namespace hashmill {

/// A join whose sides come in batches, on any ranks; a batch need not stay in memory once it is
/// added. Made by `distributed_join_operator`, which takes the types of the columns and reads no
/// rows. It goes through four stages, each on all ranks:
///
///     | stage          | calls on a rank | waits for other ranks                            |
///     |----------------|-----------------|--------------------------------------------------|
///     | `add_right`    | any number      | no                                               |
///     | `finish_right` | one             | yes: right rows go to the ranks of their keys    |
///     | `add_left`     | any number      | no                                               |
///     | `finish_left`  | one             | yes: left rows go there too, and are joined      |
///
///     auto join = hashmill::distributed_join_operator(exec, ranks, hashmill::JoinKind::inner,
///                                                     lines, orders, {});
///     while (read(orders)) join.add_right(exec, orders);
///     join.finish_right(exec);
///     while (read(lines)) join.add_left(exec, lines);
///     join.finish_left(exec, [&](const auto& joined) { write(joined); });
///
/// Results are those of `distributed_join` of all batches. They come in one call of `use` for each
/// of `options.rounds` rounds, by default 4. Heavy keys go to their ranks like others, and the
/// smaller side is not broadcast: both would have to be known before the first row is added.
/// `Prefilter::always` makes a filter of all right keys in `finish_right`, for the left rows. With
/// `self_communicator()` it is a join on one device.
///
/// Memory:
///
///     rows added       in the order of their parts; a batch is freed once it is sent
///     rows received    the right ones of each round until it is joined
///     one round        once more, while its batches become one
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
      : ranks_(ranks),
        kind_(kind),
        options_(options),
        condition_(condition),
        routing_(kind, ranks, options.rounds.value_or(default_rounds)) {
    if (options.rounds == 0U) {
      throw InvalidArgument("DistributedJoin: 0 rounds, but at least 1 is needed");
    }
  }

  /// Adds right rows of this rank, of the types that the join was made with. Fences `exec`.
  template <class Batch>
  void add_right(const Exec& exec, const Batch& side) {
    require(Stage::right, "add_right");
    add<typename Right::key_columns>(exec, side, right_, Routing::SideName::right);
  }
  /// Sends the right rows of all ranks to the ranks that own their keys. Collective.
  void finish_right(const Exec& exec) {
    require(Stage::right, "finish_right");
    stage_ = Stage::failed;  // until it has succeeded
    detail::CollectiveCall call(ranks_, "DistributedJoin::finish_right", signature());
    const std::uint64_t batches = agree_on_batches(call, right_);
    if (options_.left_filter == Prefilter::always) make_filter(exec, call);
    right_rounds_ = right_.send(exec, ranks_, call, shape(), batches, workspace_);
    call.agree("agree on results");
    stage_ = Stage::left;
  }
  /// Adds left rows of this rank, of the types that the join was made with. Fences `exec`.
  template <class Batch>
  void add_left(const Exec& exec, const Batch& side) {
    require(Stage::left, "add_left");
    add<typename Left::key_columns>(exec, side, left_, Routing::SideName::left);
  }
  /// Sends the left rows too, and calls `use(joined)` on the host with the rows of one round after
  /// another; see `Joined`. What `use` throws ends the call on all ranks. Collective.
  template <class Use>
  void finish_left(const Exec& exec, const Use& use) {
    require(Stage::left, "finish_left");
    stage_ = Stage::failed;  // until it has succeeded
    detail::CollectiveCall call(ranks_, "DistributedJoin::finish_left", signature());
    const std::uint64_t batches = agree_on_batches(call, left_);
    auto left_rounds = left_.send(exec, ranks_, call, shape(), batches, workspace_);
    for (std::size_t round = 0; round < left_rounds.size(); ++round) {
      call.step("join", [&] { join(exec, left_rounds[round], right_rounds_[round], use); });
      left_rounds[round] = {};
      right_rounds_[round] = {};
    }
    call.agree("agree on results");
    stage_ = Stage::done;
  }

 private:
  enum class Stage { right, left, done, failed };
  using Routing = detail::JoinRouting<memory_space>;
  using RightBox = detail::Outbox<Exec, Right>;
  using LeftBox = detail::Outbox<Exec, Left>;
  template <class Copies>
  using Local = decltype(detail::local_columns<memory_space>(std::declval<const Copies&>()));
  using LocalLeft = Local<typename LeftBox::Copies>;
  using LocalRight = Local<typename RightBox::Copies>;
  static constexpr std::uint64_t default_rounds = 4;
  static constexpr bool has_numbers =
      detail::joins_numbers<LocalLeft, typename Left::key_columns, LocalRight,
                            typename Right::key_columns>;
  template <class KeyColumns, class Columns>
  [[nodiscard]] auto keys_of(const Columns& columns) const {
    return detail::key_of_columns<has_numbers>(columns, KeyColumns(), options_.nulls_equal);
  }
  using RightKeys = decltype(detail::key_of_columns<has_numbers>(
      std::declval<const LocalRight&>(), typename Right::key_columns(), false));
  using Filter = JoinFilterFor<RightKeys>;

  void require(Stage stage, const char* call) const {
    if (stage_ == stage) return;
    const char* const stages[] = {"before finish_right", "after finish_right", "after finish_left",
                                  "after a call that failed"};
    throw InvalidArgument(std::string("DistributedJoin::") + call + ": called " +
                          stages[static_cast<std::size_t>(stage_)]);
  }
  [[nodiscard]] detail::PartShape shape() const {
    return {static_cast<std::uint64_t>(ranks_.size()), routing_.rounds()};
  }
  [[nodiscard]] std::uint64_t signature() const {
    return detail::join_signature(kind_, options_, LocalLeft(), LocalRight());
  }
  template <class Box>
  [[nodiscard]] std::uint64_t agree_on_batches(detail::CollectiveCall& call, const Box& box) const {
    call.agree("agree on options");
    std::uint64_t batches[] = {std::max<std::uint64_t>(box.size(), 1)};
    ranks_.all_reduce(batches, Reduction::maximum, "count batches");
    return batches[0];
  }

  template <class KeyColumns, class Batch, class Box>
  void add(const Exec& exec, const Batch& side, Box& box, typename Routing::SideName name) {
    static_assert(std::is_same_v<typename Batch::key_columns, KeyColumns>,
                  "hashmill::DistributedJoin: batches have the key columns that it was made with");
    detail::require_equal_lengths("DistributedJoin", side.columns);
    const auto columns = detail::local_columns<memory_space>(side.columns);
    const auto keys = keys_of<KeyColumns>(columns);
    using Hash = detail::GroupHash<detail::KeyOf<decltype(keys)>>;
    const detail::RouteOfRow<detail::KeyAccess<decltype(keys)>, Hash> routes{
        detail::key_access(keys), Hash(options_.seed)};
    detail::RowRules rules = routing_.rules(name, !has_numbers);
    const typename Workspace<memory_space>::Frame frame(workspace_);
    if (filter_ && name == Routing::SideName::left) {
      const auto may_match = workspace_.template take<bool>(exec, keys.size());
      filter_->may_contain(exec, keys, may_match);
      rules.may_match = may_match.data();
      rules.shape.drops = !rules.keeps_strangers;
    }
    box.add(exec, rules.shape, detail::PartOfRow{routes, rules}, columns, workspace_);
  }
  void make_filter(const Exec& exec, detail::CollectiveCall& call) {
    std::uint64_t rows[] = {right_.rows()};
    ranks_.all_reduce(rows, Reduction::sum, "count rows");
    filter_ = detail::agree_on_filter<Filter>(
        exec, ranks_, call, rows[0], options_.seed, [&](Filter& filter) {
          right_.for_each([&](const auto& copies) {
            filter.add(exec, keys_of<typename Right::key_columns>(
                                 detail::local_columns<memory_space>(copies)));
          });
        });
  }
  template <class LeftCopies, class RightCopies, class Use>
  void join(const Exec& exec, const LeftCopies& left, const RightCopies& right, const Use& use) {
    const auto left_columns = detail::local_columns<memory_space>(left);
    const auto right_columns = detail::local_columns<memory_space>(right);
    std::vector<detail::JoinedRound<LocalLeft, LocalRight, memory_space>> rounds;
    rounds.push_back(
        {left_columns, right_columns,
         detail::join_pairs<typename Left::key_columns, typename Right::key_columns>(
             exec, kind_, left_columns, right_columns, condition_, options_, workspace_),
         nullptr});
    use(detail::join_columns(exec, kind_, rounds, workspace_));
  }

  Communicator ranks_;
  JoinKind kind_;
  DistributedJoinOptions options_;
  Condition condition_;
  Routing routing_;
  Stage stage_ = Stage::right;
  RightBox right_;
  LeftBox left_;
  std::vector<typename RightBox::Copies> right_rounds_;
  std::optional<Filter> filter_;
  Workspace<memory_space> workspace_;
};

/// A join without rows, of sides with the key columns and types of `left` and `right`, which are
/// not read. Not collective. The options are equal on all ranks; those of movement and heavy keys
/// are not looked at.
template <backends::ExecutionSpace Exec, class Left, class Right, class Condition = EveryRow>
[[nodiscard]] DistributedJoin<Exec, Left, Right, Condition> distributed_join_operator(
    const Exec&, const Communicator& ranks, JoinKind kind, const Left&, const Right&,
    const DistributedJoinOptions& options, const Condition& condition = {}) {
  return DistributedJoin<Exec, Left, Right, Condition>(ranks, kind, options, condition);
}

}  // namespace hashmill
