#pragma once

#include <hashmill/hybrid_hash_aggregation/detail/aggregation_memory.hpp>
#include <hashmill/hybrid_hash_aggregation/detail/stored_groups.hpp>
#include <hashmill/hybrid_hash_aggregation/options.hpp>
#include <hashmill/spill/detail/part_store.hpp>
#include <hashmill/spill/detail/round_of_row.hpp>

namespace hashmill::detail {

/// Rows that are grouped in one table, and the rounds into which their groups are parted once the
/// table is full.
struct GroupLevel {
  RoundBits bits{};            ///< one round until then
  std::size_t first_part = 0;  ///< of the store: partial groups by round
  std::uint64_t resident = 1;  ///< the lowest rounds, of which nothing is stored
  bool keeps_resident = true;  ///< else there are none once it is parted
  [[nodiscard]] bool is_parted() const { return bits.bits > 0; }
};

/// Groups in a table, within a budget:
///
///     | the table is full   | then its groups                                               |
///     |---------------------|---------------------------------------------------------------|
///     | for the first time  | are parted into rounds by their hashes. Those of the lower    |
///     |                     | half stay, all others are stored as partial groups            |
///     | again               | of rounds that stay, stay, while they take half of it; all    |
///     |                     | others are stored                                             |
///
/// So the other half of the table gathers rows of frequent keys of all rounds. In the end each
/// stored round is a level of its own, whose rows are its partial groups.
template <class Exec, class Batches>
class GroupedRounds {
 public:
  using Memory = typename Exec::memory_space;
  using Table = typename Batches::Table;
  using Group = typename Batches::Group;
  using GroupRows =
      GroupColumns<Exec, Batches, std::make_integer_sequence<unsigned, Table::num_keys>>;
  using Stored = typename GroupRows::Stored;

  /// Throws as `resolved`, and CapacityError for a budget that is too small.
  template <class Hash, class... Aggregations>
  GroupedRounds(const Exec& exec, const Hash& hash, const HybridAggregationOptions& its_options,
                const Aggregations&... aggregations)
      : options(with_bytes(its_options)),
        batches(exec, hash, its_options.seed, aggregations...),
        account_(options.budget),
        memory_(AggregationMemory::of<Exec>(account_, bytes_of_group())),
        working_(account_.take(MemoryTier::device, memory_.working(), "temporary memory")),
        store_(account_, options.budget) {}

  const HybridAggregationOptions options;  ///< with the bytes of the budget
  Batches batches;
  Workspace<Memory> workspace;

  /// The most rows that are added at a time.
  [[nodiscard]] std::uint64_t slice_rows() const { return memory_.slice_rows(); }
  /// Adds that many rows, by `add()`.
  template <class Add>
  void add(const Exec& exec, GroupLevel& level, std::uint64_t rows, const Add& add_rows) {
    const bool has_room = batches.table.size() + rows <= memory_.most_groups() &&
                          batches.table.rows().string_bytes() <= memory_.most_string_bytes();
    if (!has_room) flush(exec, level);
    grow(exec, batches.table.size() + rows);
    const typename Workspace<Memory>::Frame frame(workspace);
    add_rows();
  }
  /// Gives all groups of a level. The table is empty then.
  template <class Use>
  void finish(const Exec& exec, const GroupLevel& level, const Use& use) {
    const std::uint64_t lowest = level.resident > 0 ? level.resident - 1 : 0;
    route(exec, level.bits, lowest,
          [&](std::uint64_t round, const std::uint64_t* rows, std::uint64_t count) {
            round < level.resident ? give(exec, rows, count, use)
                                   : store(exec, level.first_part + round, rows, count);
          });
    batches.table.clear(exec);
    if (!level.is_parted()) return;
    for (std::uint64_t r = level.resident; r < level.bits.rounds(); ++r) {
      regroup(exec, level.first_part + r, level.bits, use);
    }
    store_.remove_parts(level.first_part);
  }
  /// What has been done so far.
  [[nodiscard]] HybridAggregationStatistics statistics(const GroupLevel& level) const {
    HybridAggregationStatistics result = statistics_;
    result.rounds = level.bits.rounds();
    result.resident_rounds = level.resident;
    result.device_peak = account_.peak(MemoryTier::device);
    result.host_bytes = store_.host_bytes();
    result.file_bytes = store_.file_bytes();
    return result;
  }

 private:
  [[nodiscard]] static HybridAggregationOptions with_bytes(HybridAggregationOptions options) {
    require_rounds("hybrid_hash_aggregation", options.rounds);
    options.budget = resolved<Memory>(options.budget);
    return options;
  }
  [[nodiscard]] static constexpr GroupBytes bytes_of_group() {
    return {sizeof(typename Batches::Rows::value_type),
            Table::row_bytes,
            sizeof(Group),
            Stored::bytes_of_row,
            Table::groups_per_bucket,
            Table::bucket_bytes};
  }

  /// Makes room for that many groups, which the budget has.
  void grow(const Exec& exec, std::uint64_t groups) {
    if (groups <= room_) return;
    const std::uint64_t room = memory_.room_for(groups), bytes = memory_.table_bytes(room);
    store_.make_room(exec, bytes);
    MemoryAccount::Grant grant = account_.take(MemoryTier::device, bytes, "a table of groups");
    batches.table.reserve(exec, room);
    table_ = std::move(grant);
    room_ = room;
  }
  void flush(const Exec& exec, GroupLevel& level) {
    ++statistics_.flushes;
    if (!level.is_parted()) part(level);
    route(exec, level.bits, 0,
          [&](std::uint64_t round, const std::uint64_t* rows, std::uint64_t count) {
            store(exec, level.first_part + round, rows, count);
          });
    batches.table.clear(exec);
    take_resident(exec, level);
  }
  void part(GroupLevel& level) {
    level.bits = level.bits.next(memory_.round_bits(options.rounds));
    level.first_part = store_.add_parts(level.bits.rounds());
    level.resident = level.keeps_resident ? level.bits.rounds() : 0;
  }
  /// Takes the groups of the lowest rounds again that fill at most half of the table.
  void take_resident(const Exec& exec, GroupLevel& level) {
    std::uint64_t groups = 0, round = 0;
    for (; round < level.resident; ++round) {
      groups += store_.rows(level.first_part + round);
      if (groups > memory_.most_groups() / 2) break;
      if (!store_.is_resident(level.first_part + round)) break;
    }
    level.resident = round;
    for (std::uint64_t r = 0; r < level.resident; ++r) {
      store_.take_each(exec, level.first_part + r, [&](StoredBatch batch) {
        statistics_.stored_groups -= batch.rows;
        add_groups(exec, Stored::rows_of(std::move(batch)).columns);
      });
    }
  }
  /// Groups a part of the store, that `bits` chose. It is empty then.
  template <class Use>
  void regroup(const Exec& exec, std::size_t part, const RoundBits& bits, const Use& use) {
    if (!bits.has_next(memory_.round_bits(options.rounds))) {
      throw CapacityError("hybrid_hash_aggregation: no bits of hashes are left that part " +
                              std::to_string(store_.rows(part)) + " groups",
                          store_.rows(part), memory_.most_groups());
    }
    GroupLevel level{bits.next(0), 0, 1, false};
    Stored::for_each_slice(exec, part, slice_rows(), false, account_, store_, workspace,
                           [&](const auto& groups) {
                             const std::uint64_t rows = length_of(std::get<0>(groups.columns));
                             add(exec, level, rows, [&] { add_groups(exec, groups.columns); });
                           });
    if (level.is_parted()) ++statistics_.split_rounds;
    finish(exec, level, use);
  }
  void add_groups(const Exec& exec, const typename GroupRows::Columns& groups) {
    const typename Workspace<Memory>::Frame frame(workspace);
    batches.add_states(exec, workspace, options.strategy, GroupRows::keys_of(groups),
                       GroupRows::states_of(groups));
  }

  /// Routes all groups of the table: calls `each(round, rows, count)` with lists of at most a
  /// slice.
  template <class Each>
  void route(const Exec& exec, const RoundBits& bits, std::uint64_t lowest, const Each& each) {
    const auto routes = routes_of(batches.table.keys().nulls_equal(), options.seed);
    const std::uint64_t groups = batches.table.size();
    for (std::uint64_t first = 0; first < groups; first += memory_.routed_groups()) {
      const std::uint64_t some = std::min(memory_.routed_groups(), groups - first);
      const RoundOfRow<std::decay_t<decltype(routes)>> round_of_row{routes, bits, first, lowest,
                                                                    false};
      const RowLists<Exec> lists(exec, first, some, bits.rounds(), round_of_row, workspace);
      for (std::uint64_t round = lowest; round < bits.rounds(); ++round) {
        for (std::uint64_t begin = 0; begin < lists.count(round); begin += slice_rows()) {
          each(round, lists.rows(round) + begin,
               std::min(slice_rows(), lists.count(round) - begin));
        }
      }
    }
  }
  void store(const Exec& exec, std::size_t part, const std::uint64_t* rows, std::uint64_t count) {
    store_.append(part, Stored::copy(exec, GroupRows::of(batches.table), rows, count, account_,
                                     store_, workspace));
    statistics_.stored_groups += count;
  }
  template <class Use>
  void give(const Exec& exec, const std::uint64_t* rows, std::uint64_t count, const Use& use) {
    const std::uint64_t bytes = count * (Stored::bytes_of_row + sizeof(Group));
    store_.make_room(exec, bytes);
    const MemoryAccount::Grant grant =
        account_.take(MemoryTier::device, bytes, "results of groups");
    use(GroupRows::results(exec, batches, rows, count, workspace));
  }

  MemoryAccount account_;
  AggregationMemory memory_;
  MemoryAccount::Grant working_, table_;
  std::uint64_t room_ = 0;  // groups for which the table has memory
  PartStore<Exec> store_;
  HybridAggregationStatistics statistics_;
};

}  // namespace hashmill::detail
