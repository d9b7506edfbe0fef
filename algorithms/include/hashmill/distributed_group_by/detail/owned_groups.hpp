#pragma once

#include <hashmill/distributed_group_by/detail/aggregation_signature.hpp>
#include <hashmill/distributed_group_by/detail/local_groups.hpp>
#include <hashmill/group_by/grouped_columns.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/columns_to_ranks.hpp>
#include <tuple>

namespace hashmill::detail {

/// Column C of a container, no row of which is null: only values travel.
template <class Ref, unsigned C>
struct StoredValues {
  using memory_space = typename Ref::memory_space;
  Ref rows;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return rows.size(); }
  KOKKOS_FORCEINLINE_FUNCTION typename Ref::template value_type<C> operator()(
      std::uint64_t i) const {
    return rows.template value<C>(i);
  }
};

/// How groups travel to the ranks that own them. `FromView`: keys were given as views of numbers,
/// which have no nulls. They arrive as a view too, which integers are grouped faster by.
template <class Groups, bool FromView>
struct SentGroups {
  using Ref = typename Groups::Rows::ref_type;
  static constexpr unsigned num_keys = Groups::num_keys;
  using Numbers = std::make_integer_sequence<unsigned, num_keys>;

  /// The columns that travel: keys, then states.
  [[nodiscard]] static auto columns_of(const Ref& rows) {
    return with_keys([&]<unsigned... Cs>(std::integer_sequence<unsigned, Cs...>) {
      return std::tuple(key<Cs>(rows)..., StoredValues<Ref, num_keys>{rows});
    });
  }
  /// The rank that owns each row.
  template <class Hash>
  [[nodiscard]] static auto owner_of(const Ref& rows, const Hash& hash, int ranks) {
    return with_keys([&]<unsigned... Cs>(std::integer_sequence<unsigned, Cs...>) {
      const auto keys = columns(StoredColumn<Ref, Cs>(rows)...).nulls_equal();
      return RankOfKey<std::decay_t<decltype(keys)>, Hash>{keys, hash,
                                                           static_cast<std::uint32_t>(ranks)};
    });
  }
  /// The keys of the rows that came.
  template <class Received>
  [[nodiscard]] static auto keys_of(const Received& received) {
    return with_keys([&]<unsigned... Cs>(std::integer_sequence<unsigned, Cs...>) {
      if constexpr (FromView) {
        return received.template column<0>();
      } else {
        return columns(received.template column<Cs>().column()...);
      }
    });
  }
  /// A number by which ranks compare these columns.
  [[nodiscard]] static std::uint64_t signature(std::uint64_t others) {
    return with_keys([&]<unsigned... Cs>(std::integer_sequence<unsigned, Cs...>) {
      return columns_signature<decltype(key<Cs>(Ref()))..., StoredValues<Ref, num_keys>>(others);
    });
  }

 private:
  template <class Use>
  static auto with_keys(const Use& use) {
    return use(Numbers());
  }
  template <unsigned C>
  [[nodiscard]] static auto key(const Ref& rows) {
    if constexpr (FromView) {
      return StoredValues<Ref, C>{rows};
    } else {
      return StoredColumn<Ref, C>(rows);
    }
  }
};

/// The groups of a rank's rows, and what makes them groups of all ranks.
template <bool FromView, class Row, class Hash, class Keys, class... Aggregations>
class GroupsOfRanks {
 public:
  using Local = LocalGroups<Row, Hash, Keys, Aggregations...>;
  using MemorySpace = typename Local::MemorySpace;

  template <class Exec>
  GroupsOfRanks(const Exec& exec, const DistributedGroupOptions& options, const Hash& hash,
                const Aggregations&... aggregations)
      : options_(options), hash_(hash), local_(exec, hash, options.seed, aggregations...) {}

  /// A number by which ranks compare their options, keys and aggregations.
  [[nodiscard]] static std::uint64_t signature(const DistributedGroupOptions& options,
                                               const Aggregations&... aggregations) {
    return Sent::signature(
        signature_of(options.seed.value(), {aggregation_signature(aggregations)...}));
  }

  [[nodiscard]] Local& local() { return local_; }
  [[nodiscard]] const Local& local() const { return local_; }

  /// Adds a batch; see LocalGroups. One rank owns all keys, so that all its rows are grouped at
  /// once.
  template <class Exec, class BatchKeys, class... Batch>
  void add(const Exec& exec, int ranks, Workspace<MemorySpace>& workspace, const BatchKeys& keys,
           const Batch&... aggregations) {
    const bool alone = ranks == 1 && options_.pre_aggregation == PreAggregation::automatic;
    local_.add(exec, workspace, alone ? PreAggregation::all_keys : options_.pre_aggregation, keys,
               aggregations...);
  }

  /// The groups that this rank owns, with the rows of all ranks. Part of a collective call.
  template <class Exec>
  [[nodiscard]] auto results(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                             Workspace<MemorySpace>& workspace) {
    decltype(results_of(exec, local_.batches())) found;
    if (ranks.size() == 1 && local_.num_rare() == 0) {
      call.step("aggregate", [&] { found = results_of(exec, local_.batches()); });
      return found;
    }
    typename Local::Rows::ref_type rows;
    call.step("collect groups", [&] { rows = local_.collect(exec); });
    const auto received = send(exec, ranks, call, workspace, Sent::columns_of(rows),
                               Sent::owner_of(rows, hash_, ranks.size()), rows.size());
    call.step("aggregate", [&] {
      typename Workspace<MemorySpace>::Frame frame(workspace);
      typename Local::Batches owned(exec, hash_, options_.seed, local_.batches().kept);
      const auto& states = received.template column<Local::num_keys>();
      owned.add_states(exec, workspace, BatchStrategy::automatic, Sent::keys_of(received),
                       WholeGroup<typename Local::Batches::Group>{states.data()});
      found = results_of(exec, owned);
    });
    return found;
  }

 private:
  using Sent = SentGroups<Local, FromView>;

  template <class Exec, class RankOf, class... Columns>
  static auto send(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                   Workspace<MemorySpace>& workspace, const std::tuple<Columns...>& columns,
                   const RankOf& owner, std::uint64_t rows) {
    return std::apply(
        [&](const Columns&... column) {
          const PartShape shape{static_cast<std::uint64_t>(ranks.size())};
          return ColumnsToRanks<Exec, Columns...>(exec, ranks, call, rows, shape, owner, workspace,
                                                  column...)
              .exchange();
        },
        columns);
  }
  template <class Exec, class Batches>
  static auto results_of(const Exec& exec, const Batches& groups) {
    auto keys = groups.keys(exec);
    auto columns = groups.results(exec);
    exec.fence("hashmill::distributed_group_by: results are handed to the caller");
    return GroupedColumns<decltype(keys), decltype(columns)>{std::move(keys), std::move(columns),
                                                             groups.table.size()};
  }

  DistributedGroupOptions options_;
  Hash hash_;
  Local local_;
};

}  // namespace hashmill::detail
