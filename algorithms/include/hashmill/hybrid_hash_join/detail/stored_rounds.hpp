#pragma once

#include <hashmill/hybrid_hash_join/detail/hybrid_memory.hpp>
#include <hashmill/hybrid_hash_join/detail/loaded_right.hpp>
#include <hashmill/spill/detail/round_of_row.hpp>
#include <hashmill/spill/detail/stored_side.hpp>
#include <optional>

namespace hashmill::detail {

/// Each round has a part of the store for its right rows, and the next one for its left rows.
inline constexpr std::size_t parts_of_round = 2;

/// Rows of both sides of a hybrid hash join, in a store of rounds, and right rows that are loaded
/// from it.
template <class Exec, class Left, class Right, class Condition>
class StoredRounds {
 public:
  using Memory = typename Exec::memory_space;
  using LeftRows = StoredSide<Exec, Left>;
  using RightRows = StoredSide<Exec, Right>;
  using LeftBatch = typename LeftRows::Batch;
  using RightBatch = typename RightRows::Batch;
  static constexpr bool has_numbers =
      joins_numbers<typename LeftRows::Columns, typename Left::key_columns,
                    typename RightRows::Columns, typename Right::key_columns>;
  using Loaded = LoadedRight<Exec, LeftBatch, RightBatch, has_numbers>;
  /// Right rows in memory that the account pays for, with that of joined rows.
  struct LoadedRows {
    Loaded right;
    MemoryAccount::Grant grant;
    std::uint64_t most_pairs;
  };

  /// Whether left rows wait until whole rounds are joined, as long as memory suffices. On hosts
  /// that takes less time; see WholeSides.
  static constexpr bool can_wait = !backends::has_wide_teams<Exec>;
  /// Right rows of which a table is as fast there.
  static constexpr std::uint64_t rows_in_caches = 1 << 18;

  const HybridJoinKind kind;
  const HybridHashJoinOptions options;  ///< with the bytes of the budget
  const Condition condition;
  MemoryAccount account;
  const HybridMemory memory;
  const MemoryAccount::Grant working;  ///< for the workspace
  PartStore<Exec> store;
  Workspace<Memory> workspace;
  HybridHashJoinStatistics statistics;
  std::optional<LoadedRows> loaded_rows;  ///< all right rows, or those of the lowest rounds

  /// Throws as `resolved`, and CapacityError for a budget that is too small.
  StoredRounds(HybridJoinKind its_kind, const HybridHashJoinOptions& its_options,
               const Condition& its_condition)
      : kind(its_kind),
        options(with_bytes(its_options)),
        condition(its_condition),
        account(options.budget),
        memory(HybridMemory::of<Exec>(account,
                                      std::max(LeftRows::bytes_of_row, RightRows::bytes_of_row))),
        working(account.take(MemoryTier::device, memory.working(), "temporary memory")),
        store(account, options.budget) {}

  /// Routes rows of a side, slice by slice: calls `use(lists)` with a list of rows for each round.
  /// Rounds below `lowest` count as that.
  template <class KeyColumns, class Columns, class Use>
  void route(const Exec& exec, const Columns& columns, const RoundBits& bits, std::uint64_t lowest,
             bool drops, const Use& use) {
    const std::uint64_t count = length_of(std::get<0>(columns));
    const auto routes = routes_of(
        key_of_columns<has_numbers>(columns, KeyColumns(), options.nulls_equal), options.seed);
    for (std::uint64_t first = 0; first < count; first += memory.slice_rows()) {
      const std::uint64_t rows = std::min(memory.slice_rows(), count - first);
      const RoundOfRow<std::decay_t<decltype(routes)>> round_of_row{routes, bits, first, lowest,
                                                                    drops};
      const RowLists<Exec> lists(exec, first, rows, bits.rounds() + 1, round_of_row, workspace);
      use(lists);
    }
  }
  /// Stores rows of a side in the parts of their rounds. That of the first is `first_part`.
  template <class Rows, class KeyColumns, class Columns>
  void store_rows(const Exec& exec, const Columns& columns, const RoundBits& bits,
                  std::size_t first_part, bool drops) {
    route<KeyColumns>(exec, columns, bits, 0, drops, [&](const RowLists<Exec>& lists) {
      Rows::copy_lists(exec, columns, lists, 0, bits.rounds(), account, store, workspace,
                       [&](std::size_t round, StoredBatch batch) {
                         store.append(first_part + parts_of_round * round, std::move(batch));
                       });
    });
  }
  /// Stores right rows likewise.
  template <class Columns>
  void store_right(const Exec& exec, const Columns& columns, const RoundBits& bits,
                   std::size_t first_part) {
    store_rows<RightRows, typename Right::key_columns>(exec, columns, bits, first_part,
                                                       !keeps_strangers_right(kind));
  }
  /// Left rows likewise.
  template <class Columns>
  void store_left(const Exec& exec, const Columns& columns, const RoundBits& bits,
                  std::size_t first_part) {
    store_rows<LeftRows, typename Left::key_columns>(exec, columns, bits, first_part,
                                                     !keeps_strangers_left(kind));
  }

  /// Calls `use(rows)` for slices of the rows of a part; see `StoredSide::for_each_slice`.
  template <class Rows, class Use>
  void for_each_slice(const Exec& exec, std::size_t part, bool keeps, const Use& use) {
    Rows::for_each_slice(exec, part, memory.slice_rows(), keeps, account, store, workspace, use);
  }

  /// Whether right rows of so many bytes could be loaded.
  [[nodiscard]] bool fits(const Exec& exec, std::uint64_t rows, std::uint64_t bytes,
                          std::uint64_t others = 0) const {
    return memory.fits(bytes, Loaded::predicted_bytes(exec, rows), memory.joined(), others);
  }
  /// Whether they could, even if all of them have one key.
  [[nodiscard]] bool fits_any_keys(const Exec& exec, std::uint64_t rows, std::uint64_t bytes,
                                   std::uint64_t others) const {
    return memory.fits(bytes, Loaded::predicted_bytes(exec, rows),
                       std::max(memory.joined(), rows * pair_bytes), others);
  }
  /// Whether rows can leave the memory of the execution space.
  [[nodiscard]] bool can_spill() const {
    return options.budget.host > 0 || options.budget.file > 0;
  }
  /// Loads right rows, where there is room for the joined rows of each left row. Else the batches
  /// are stored again by `bits`, and nothing is returned.
  [[nodiscard]] std::optional<LoadedRows> load(const Exec& exec, std::vector<StoredBatch> batches,
                                               const RoundBits& bits, std::size_t first_part) {
    std::uint64_t held = 0;
    for (const StoredBatch& batch : batches) held += batch.bytes();
    Loaded right = loaded(exec, std::move(batches));
    const std::uint64_t rows = length_of(std::get<0>(right.rows().columns));
    const std::uint64_t partners = right.most_partners(exec);
    const std::uint64_t bytes = right.table_bytes() + rows;
    if (held + bytes + partners * pair_bytes > memory.room()) {
      const RowsHere<typename RightRows::Columns> here =
          Loaded(std::move(right)).rows();  // without the table
      store_right(exec, here.columns, bits, first_part);
      return std::nullopt;
    }
    return with_memory(exec, std::move(right), bytes, partners);
  }
  /// Loads right rows that fit, whatever their keys are.
  [[nodiscard]] LoadedRows load_block(const Exec& exec, std::vector<StoredBatch> batches) {
    Loaded right = loaded(exec, std::move(batches));
    const std::uint64_t rows = length_of(std::get<0>(right.rows().columns));
    const std::uint64_t bytes = right.table_bytes() + rows;
    return with_memory(exec, std::move(right), bytes, rows);
  }
  /// The batches of one side of so many rounds, whose parts are empty then.
  [[nodiscard]] std::vector<StoredBatch> take(const Exec& exec, std::size_t first_part,
                                              std::uint64_t rounds) {
    std::vector<StoredBatch> batches;
    for (std::uint64_t r = 0; r < rounds; ++r) {
      store.take_batches(exec, first_part + parts_of_round * r, batches);
    }
    return batches;
  }
  /// All rows of a part, which is empty then.
  template <class Rows>
  [[nodiscard]] RowsHere<typename Rows::Columns> take_all(const Exec& exec, std::size_t part) {
    return Rows::take_all(exec, part, account, store, workspace);
  }
  /// The keys of rows of a side.
  template <class Columns>
  [[nodiscard]] auto left_keys(const Columns& columns) const {
    return key_of_columns<has_numbers>(columns, typename Left::key_columns(), options.nulls_equal);
  }
  template <class Columns>
  [[nodiscard]] auto right_keys(const Columns& columns) const {
    return key_of_columns<has_numbers>(columns, typename Right::key_columns(), options.nulls_equal);
  }
  /// Joined rows that are handed over at a time, where no left row needs more.
  [[nodiscard]] std::uint64_t pairs_handed_over() const {
    return std::max(memory.joined() / pair_bytes, std::uint64_t{1});
  }
  /// Joins left rows with loaded ones; see `LoadedRight::probe`.
  template <class Use>
  void probe(const Exec& exec, const LoadedRows& loaded, const typename LeftRows::Columns& left,
             bool* marks, const Use& use) {
    loaded.right.probe(exec, left, condition, loaded.most_pairs, marks, workspace, use);
  }
  /// Gives right rows without a partner.
  template <class Use>
  void finish(const Exec& exec, const LoadedRows& loaded, const Use& use) {
    loaded.right.finish(exec, LeftRows::no_rows(exec).columns, loaded.most_pairs, workspace, use);
  }
  /// Takes memory from the account, for which rows in the store may have to go.
  [[nodiscard]] MemoryAccount::Grant reserve(const Exec& exec, std::uint64_t bytes,
                                             const char* what) {
    store.make_room(exec, bytes);
    return account.take(MemoryTier::device, bytes, what);
  }

 private:
  /// About the bytes of a joined row, and of the pair that it is made from.
  static constexpr std::uint64_t pair_bytes =
      LeftRows::bytes_of_row + RightRows::bytes_of_row + 2 * sizeof(std::uint32_t);

  [[nodiscard]] static HybridHashJoinOptions with_bytes(HybridHashJoinOptions options) {
    require_rounds("hybrid_hash_join", options.rounds);
    options.budget = resolved<Memory>(options.budget);
    return options;
  }
  [[nodiscard]] Loaded loaded(const Exec& exec, std::vector<StoredBatch> batches) {
    auto rows = RightRows::concatenated(exec, std::move(batches), account, store, workspace);
    const std::uint64_t bytes = Loaded::predicted_bytes(exec, length_of(std::get<0>(rows.columns)));
    const MemoryAccount::Grant building = reserve(exec, bytes, "a table of right rows");
    return Loaded(exec, kind, options, std::move(rows));
  }
  [[nodiscard]] LoadedRows with_memory(const Exec& exec, Loaded right, std::uint64_t bytes,
                                       std::uint64_t partners) {
    const std::uint64_t pairs = std::max(partners, pairs_handed_over());
    MemoryAccount::Grant grant = reserve(exec, bytes + pairs * pair_bytes, "joined rows");
    return {std::move(right), std::move(grant), pairs};
  }
};

}  // namespace hashmill::detail
