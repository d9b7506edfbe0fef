#pragma once

#include <hashmill/distributed_join/detail/copied_columns.hpp>
#include <hashmill/distributed_join/detail/join_routing.hpp>
#include <hashmill/distributed_join/join_side.hpp>
#include <hashmill/shuffle/detail/exchange_columns.hpp>
#include <hashmill/shuffle/detail/route_rows.hpp>
#include <utility>

namespace hashmill::detail {

/// rows[places(i)] = i.
struct InvertPlaces {
  ListedRows<std::uint64_t> places;
  std::uint64_t* rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    rows[places(static_cast<std::uint64_t>(i))] = static_cast<std::uint64_t>(i);
  }
};

/// Batches of rows of one side that wait to be sent: copies in the order of their parts.
template <class Exec, class Side>
class Outbox;
template <class Exec, class KeyColumns, class... Columns>
class Outbox<Exec, JoinSide<KeyColumns, Columns...>> {
 public:
  using MemorySpace = typename Exec::memory_space;
  using Copies = std::tuple<CopiedColumn<MemorySpace, Columns>...>;

  /// Copies the rows of a batch. Row i belongs to part `part_of(i)`. Waits for `exec`, never for
  /// another rank. Unchanged if it throws.
  template <class PartOf, class... Batch>
  void add(const Exec& exec, const PartShape& shape, const PartOf& part_of,
           const std::tuple<Batch...>& columns, Workspace<MemorySpace>& workspace) {
    const typename Workspace<MemorySpace>::Frame frame(workspace);
    const std::uint64_t rows = length_of(std::get<0>(columns));
    const RoutedRows<Exec> routed(exec, rows, shape.parts() + (shape.drops ? 1 : 0), part_of,
                                  workspace);
    const auto in_order = workspace.template take<std::uint64_t>(exec, rows);
    backends::for_each_index("hashmill::outbox::invert", exec, rows,
                             InvertPlaces{routed.places(), in_order.data()});
    std::vector<std::uint64_t> begins(routed.begins().begin(),
                                      routed.begins().begin() + index(shape.parts() + 1));
    const std::vector<std::uint64_t> all{0, begins.back()};
    const auto store = [&]<class To>(std::type_identity<To>, const auto& column) {
      using Access = decltype(key_access(column));
      return copy_column<To>(
          exec,
          std::vector<PickedPart<Access, std::uint64_t>>{{key_access(column), in_order.data()}},
          all, workspace);
    };
    Copies copies = std::apply(
        [&](const auto&... column) {
          return Copies(store(std::type_identity<CopiedColumn<MemorySpace, Columns>>(), column)...);
        },
        columns);
    batches_.push_back({std::move(copies), std::move(begins)});
  }
  /// The number of batches.
  [[nodiscard]] std::uint64_t size() const { return batches_.size(); }
  /// The number of rows.
  [[nodiscard]] std::uint64_t rows() const {
    std::uint64_t rows = 0;
    for (const Batch& batch : batches_) rows += batch.begins.back();
    return rows;
  }
  /// Calls `use(columns)` for the copied columns of each batch.
  template <class Use>
  void for_each(const Use& use) const {
    for (const Batch& batch : batches_) use(batch.columns);
  }

  /// Sends all batches, one after the other, and lets go of each. Part of a collective call; all
  /// ranks name the same `most_batches`, the most of any. Returns the rows that came in each round.
  [[nodiscard]] std::vector<Copies> send(const Exec& exec, const Communicator& ranks,
                                         CollectiveCall& call, const PartShape& shape,
                                         std::uint64_t most_batches,
                                         Workspace<MemorySpace>& workspace) {
    std::vector<std::vector<Copies>> received(shape.rounds);
    for (std::uint64_t b = 0; b < most_batches; ++b) {
      Batch batch{empty(exec), std::vector<std::uint64_t>(shape.parts() + 1)};
      if (b < size()) batch = std::move(batches_[b]);
      send_batch(exec, ranks, call, shape, batch, received, workspace);
    }
    batches_.clear();
    std::vector<Copies> rounds(shape.rounds);
    for (std::size_t round = 0; round < shape.rounds; ++round) {
      call.step("concatenate",
                [&] { rounds[round] = concatenate(exec, std::move(received[round]), workspace); });
    }
    return rounds;
  }

 private:
  struct Batch {
    Copies columns;
    std::vector<std::uint64_t> begins;  // of each part, and the end
  };
  [[nodiscard]] static std::ptrdiff_t index(std::uint64_t i) {
    return static_cast<std::ptrdiff_t>(i);
  }
  /// Columns without rows.
  [[nodiscard]] static Copies empty(const Exec& exec) {
    Copies columns;
    const auto make = [&](auto& column) {
      if constexpr (std::is_same_v<std::decay_t<decltype(column)>, OwnedStrings<MemorySpace>>) {
        column = allocate_strings<MemorySpace>(exec, 0);
      }
    };
    std::apply([&](auto&... column) { (make(column), ...); }, columns);
    return columns;
  }
  static void send_batch(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                         const PartShape& shape, const Batch& batch,
                         std::vector<std::vector<Copies>>& received,
                         Workspace<MemorySpace>& workspace) {
    const RowParts parts = exchange_sizes(call, shape, batch.begins);
    const auto columns = local_columns<MemorySpace>(batch.columns);
    const SentRows<Exec, SamePlaces> rows{
        exec, ranks, call, parts, SamePlaces{}, batch.begins.back(), workspace};
    std::apply(
        [&](const auto&... column) {
          ColumnExchange<Exec, SamePlaces, std::decay_t<decltype(column)>...> exchange(rows,
                                                                                       column...);
          call.agree("agree on memory");
          exchange.start();
          for (std::size_t round = 0; round < shape.rounds; ++round) {
            received[round].push_back(exchange.finish(round));
          }
        },
        columns);
  }

  std::vector<Batch> batches_;
};

}  // namespace hashmill::detail
