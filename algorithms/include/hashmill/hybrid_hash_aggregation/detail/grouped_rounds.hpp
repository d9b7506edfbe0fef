#pragma once

#include <hashmill/hybrid_hash_aggregation/detail/aggregation_memory.hpp>
#include <hashmill/hybrid_hash_aggregation/detail/stored_groups.hpp>
#include <hashmill/hybrid_hash_aggregation/detail/whole_parts.hpp>
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
  bool repeats = true;         ///< whether keys have had two rows or more in the table
  bool is_large = true;        ///< whether the table may exceed a cache of the host
  bool combines = true;        ///< whether it pays to combine groups in the store
  std::uint64_t rows = 0;      ///< that were added since the table was full
  std::uint64_t kept = 0;      ///< groups that stayed then

  [[nodiscard]] bool is_parted() const { return bits.bits > 0; }
  /// Whether new groups of the table, which now has so many, had two rows or more.
  [[nodiscard]] bool repeats_in(std::uint64_t groups) const { return 2 * (groups - kept) <= rows; }
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
/// So the other half of the table gathers rows of frequent keys of all rounds. Where keys hardly
/// repeat that gains nothing: once the table is full after less than two rows per group, rows of
/// rounds that are stored do not go by way of the table. Each is stored with a state of its own.
/// Where WholeRounds can group rounds, a table of keys that hardly repeat goes once it exceeds half
/// of the last-level cache, and no round stays. To store rows and group them by rounds takes a
/// third to two thirds of the time of look-ups in a larger table. Once memory is short, stored
/// groups of a round are combined. Where more than half of them are left, they go to the host and
/// the file.
///
/// In the end each stored round that fits the memory of the table is grouped as a whole, where
/// WholeRounds can. Any other is a level of its own, whose rows are its partial groups.
///
/// `WholeOf`: WholeRounds, which tests replace.
template <bool FromView, class Exec, class Batches,
          template <class, class, class> class WholeOf = WholeRounds>
class GroupedRounds {
 public:
  using Memory = typename Exec::memory_space;
  using Table = typename Batches::Table;
  using Group = typename Batches::Group;
  using GroupRows =
      GroupColumns<FromView, Exec, Batches, std::make_integer_sequence<unsigned, Table::num_keys>>;
  using Stored = typename GroupRows::Stored;
  using Whole = WholeParts<Exec, Batches, GroupRows, WholeOf>;

  /// `cache_bytes`: of the last-level cache. Throws as `resolved`, and CapacityError for a budget
  /// that is too small.
  template <class Hash, class... Aggregations>
  GroupedRounds(const Exec& exec, const Hash& hash, const HybridAggregationOptions& its_options,
                std::uint64_t cache_bytes, const Aggregations&... aggregations)
      : options(with_bytes(its_options)),
        batches(exec, hash, its_options.seed, aggregations...),
        account_(options.budget),
        memory_(AggregationMemory::of<Exec>(account_, bytes_of_group(), cache_bytes)),
        working_(account_.take(MemoryTier::device, memory_.working(), "temporary memory")),
        store_(account_, options.budget),
        whole_(options.seed, account_, store_, workspace) {}

  const HybridAggregationOptions options;  ///< with the bytes of the budget
  Batches batches;
  Workspace<Memory> workspace;

  /// The most rows that are added at a time.
  [[nodiscard]] std::uint64_t slice_rows() const { return memory_.slice_rows(); }
  /// The rows of batches, before any has come.
  [[nodiscard]] static GroupLevel first_level() {
    GroupLevel level;
    level.is_large = !Whole::possible;
    return level;
  }
  /// Adds that many rows, by `add_rows()`.
  template <class Add>
  void add(const Exec& exec, GroupLevel& level, std::uint64_t rows, const Add& add_rows) {
    make_room(exec, level, rows);
    level.rows += rows;
    const typename Workspace<Memory>::Frame frame(workspace);
    add_rows();
  }
  /// Adds rows of a batch, whose keys hardly repeat: those of rounds that stay to their groups. All
  /// others are stored.
  template <class By, class Folds>
  void add_rare(const Exec& exec, GroupLevel& level, const By& by, const Folds& folds) {
    if (level.resident > 0) make_room(exec, level, by.size());
    combine_stored(exec, level);
    const auto groups = GroupRows::of_rows(batches.kept, by, folds);
    route(exec, by.nulls_equal(), level.bits, lowest_of(level), [&](const RowLists<Exec>& lists) {
      Stored::copy_lists(exec, groups, lists, lowest_of(level), level.bits.rounds(), account_,
                         store_, workspace, [&](std::uint64_t round, StoredBatch batch) {
                           if (round < level.resident) {
                             add_groups(exec, Stored::rows_of(std::move(batch)).columns);
                           } else {
                             append(level.first_part + round, std::move(batch));
                           }
                         });
    });
  }
  /// Gives all groups of a level. The table is empty then.
  template <class Use>
  void finish(const Exec& exec, const GroupLevel& level, const Use& use) {
    const std::uint64_t lowest = lowest_of(level);
    route(exec, batches.table.keys().nulls_equal(), level.bits, lowest,
          [&](const RowLists<Exec>& lists) {
            if (level.resident > 0) give(exec, lists.rows(lowest), lists.count(lowest), use);
            store_lists(exec, level, GroupRows::of(batches.table), lists, level.resident);
          });
    batches.table.clear(exec);
    if (!level.is_parted()) return;
    std::uint64_t rows = 0;
    for (std::uint64_t r = 0; r < level.bits.rounds(); ++r) {
      rows += store_.rows(level.first_part + r);
    }
    for (std::uint64_t r = level.resident; r < level.bits.rounds(); ++r) {
      // Where most rows stay together they have few keys, and no bits tell them apart.
      const bool can_part = store_.rows(level.first_part + r) <= rows / 4 * 3;
      regroup(exec, level.first_part + r, level.bits, can_part, use);
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

  /// Makes room for that many more groups in the table.
  void make_room(const Exec& exec, GroupLevel& level, std::uint64_t groups) {
    if (!level.is_large && batches.table.size() > memory_.cached_groups()) leave_cache(exec, level);
    const bool has_room = batches.table.size() + groups <= memory_.most_groups() &&
                          batches.table.rows().string_bytes() <= memory_.most_string_bytes();
    if (!has_room) flush(exec, level);
    grow(exec, batches.table.size() + groups);
  }
  /// Lets the table exceed a cache. Where keys hardly repeat, all groups are stored instead.
  void leave_cache(const Exec& exec, GroupLevel& level) {
    level.is_large = true;
    if (level.repeats_in(batches.table.size())) return;
    level.keeps_resident = false;
    level.resident = 0;  // also of a level that was parted before, whose lower rounds stayed
    flush(exec, level);
    free_table();
  }
  /// Makes room for that many groups in all, which the budget has.
  void grow(const Exec& exec, std::uint64_t groups) {
    if (groups <= room_) return;
    whole_.free();
    const std::uint64_t room = memory_.room_for(groups), bytes = memory_.table_bytes(room);
    store_.make_room(exec, bytes);
    MemoryAccount::Grant grant = account_.take(MemoryTier::device, bytes, "a table of groups");
    batches.table.reserve(exec, room);
    table_ = std::move(grant);
    room_ = room;
  }
  void flush(const Exec& exec, GroupLevel& level) {
    ++statistics_.flushes;
    level.repeats &= level.repeats_in(batches.table.size());
    if (!level.is_parted()) this->part(level, round_bits());
    route(exec, batches.table.keys().nulls_equal(), level.bits, 0,
          [&](const RowLists<Exec>& lists) {
            store_lists(exec, level, GroupRows::of(batches.table), lists, 0);
          });
    batches.table.clear(exec);
    take_resident(exec, level);
    level.rows = 0;
    level.kept = batches.table.size();
  }
  [[nodiscard]] unsigned round_bits() const {
    return memory_.round_bits(std::max<std::uint64_t>(options.rounds, 2));
  }
  void part(GroupLevel& level, unsigned bits) {
    level.bits = level.bits.next(bits);
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
  /// The bits that part a part of the store again, before it is grouped. There are so many that its
  /// rounds fit as a whole. Where that is not possible, a part is parted again if it has far more
  /// partial groups than the table can have.
  [[nodiscard]] unsigned finer_bits(const Exec& exec, std::size_t part) const {
    if constexpr (Whole::possible) {
      const std::uint64_t bytes = whole_.bytes(exec, part);
      const std::uint64_t times = (bytes + bytes / 4) / memory_.most_table_bytes();
      return std::min(static_cast<unsigned>(std::bit_width(times)), round_bits());
    }
    return store_.rows(part) > 2 * memory_.most_groups() ? round_bits() : 0;
  }
  /// Groups a part of the store, that `bits` chose. It is empty then. Where it does not fit as a
  /// whole, and `can_part`, it is parted again first.
  template <class Use>
  void regroup(const Exec& exec, std::size_t part, const RoundBits& bits, bool can_part,
               const Use& use) {
    if (group_whole(exec, part, use)) return;
    if (!bits.has_next(round_bits())) {
      throw CapacityError("hybrid_hash_aggregation: no bits of hashes are left that part " +
                              std::to_string(store_.rows(part)) + " groups",
                          store_.rows(part), memory_.most_groups());
    }
    GroupLevel level{bits.next(0), 0, 1, false};
    if (const unsigned finer = can_part ? finer_bits(exec, part) : 0; finer > 0) {
      this->part(level, finer);
    }
    level.repeats = !level.is_parted();
    // Batches of the part stay where they are while it is read, so a full table has its room
    // before.
    const std::uint64_t table = std::max(memory_.most_table_bytes(), table_.bytes());
    store_.make_room(exec, table - table_.bytes() + memory_.leaving_bytes());
    Stored::for_each_slice(exec, part, slice_rows(), false, account_, store_, workspace,
                           [&](const auto& groups) { regroup(exec, level, groups.columns); });
    if (level.is_parted()) ++statistics_.split_rounds;
    finish(exec, level, use);
  }
  /// Groups a part of the store at once, in the memory of the table. Returns false, and leaves the
  /// part as it is, where that is not possible.
  template <class Use>
  [[nodiscard]] bool group_whole(const Exec& exec, std::size_t part, const Use& use) {
    if constexpr (Whole::possible) {
      if (whole_.bytes(exec, part) > memory_.most_table_bytes()) return false;
      free_table();
      const bool grouped = whole_.group(
          exec, batches.kept, part,
          [&](const auto& groups, const auto* first, const Group* states, std::uint64_t count) {
            give_slices(exec, count, [&](std::uint64_t from, std::uint64_t some) {
              use(GroupRows::results(exec, batches.kept, GroupRows::keys_of(groups), first + from,
                                     states + from, some, workspace));
            });
          });
      statistics_.whole_rounds += grouped ? 1 : 0;
      return grouped;
    }
    return false;
  }
  /// Combines the groups of each round in memory, where memory is short.
  void combine_stored(const Exec& exec, GroupLevel& level) {
    if constexpr (Whole::possible) {
      if (!level.combines || account_.available(MemoryTier::device) >= memory_.short_of()) return;
      ++statistics_.combinations;
      std::uint64_t before = 0, after = 0;
      for (std::uint64_t r = level.resident; r < level.bits.rounds(); ++r) {
        const std::size_t part = level.first_part + r;
        if (!store_.is_resident(part)) continue;
        before += store_.rows(part);
        whole_.combine(exec, batches.kept, part);
        after += store_.rows(part);
      }
      whole_.free();
      level.combines = 2 * after <= before;
    }
  }
  void free_table() {
    batches.table.reset();
    table_ = {};
    room_ = 0;
  }
  /// Groups some of its rows, or stores them by rounds.
  void regroup(const Exec& exec, GroupLevel& level, const typename GroupRows::Columns& groups) {
    if (level.repeats) {
      const std::uint64_t rows = length_of(std::get<0>(groups));
      return add(exec, level, rows, [&] { add_groups(exec, groups); });
    }
    route(exec, as_columns(GroupRows::keys_of(groups)).nulls_equal(), level.bits, 0,
          [&](const RowLists<Exec>& lists) { store_lists(exec, level, groups, lists, 0); });
  }
  void add_groups(const Exec& exec, const typename GroupRows::Columns& groups) {
    const typename Workspace<Memory>::Frame frame(workspace);
    batches.add_states(exec, workspace, options.strategy, GroupRows::keys_of(groups),
                       GroupRows::states_of(groups));
  }

  /// The lowest round that rows are told apart from: those that stay count as one.
  [[nodiscard]] static std::uint64_t lowest_of(const GroupLevel& level) {
    return level.resident > 0 ? level.resident - 1 : 0;
  }
  /// Routes rows by their keys: calls `use(lists)` with a list of rows for each round. Rounds below
  /// `lowest` count as that.
  template <class By, class Use>
  void route(const Exec& exec, const By& by, const RoundBits& bits, std::uint64_t lowest,
             const Use& use) {
    const auto routes = routes_of(by, options.seed);
    const std::uint64_t most = memory_.routed_rows(bits.rounds());
    for (std::uint64_t first = 0; first < by.size(); first += most) {
      const std::uint64_t some = std::min(most, by.size() - first);
      const RoundOfRow<std::decay_t<decltype(routes)>> round_of_row{routes, bits, first, lowest,
                                                                    false};
      use(RowLists<Exec>(exec, first, some, bits.rounds(), round_of_row, workspace));
    }
  }
  /// Stores listed groups, of the rounds from `first` on.
  template <class Groups>
  void store_lists(const Exec& exec, const GroupLevel& level, const Groups& groups,
                   const RowLists<Exec>& lists, std::uint64_t first) {
    if (first == level.bits.rounds()) return;
    Stored::copy_lists(exec, groups, lists, first, level.bits.rounds(), account_, store_, workspace,
                       [&](std::uint64_t round, StoredBatch batch) {
                         append(level.first_part + round, std::move(batch));
                       });
  }
  void append(std::size_t part, StoredBatch batch) {
    statistics_.stored_groups += batch.rows;
    store_.append(part, std::move(batch));
  }
  /// Gives listed groups of the table, a slice at a time.
  template <class Use>
  void give(const Exec& exec, const std::uint64_t* rows, std::uint64_t count, const Use& use) {
    give_slices(exec, count, [&](std::uint64_t first, std::uint64_t some) {
      use(GroupRows::results(exec, batches, rows + first, some, workspace));
    });
  }
  /// Calls `give(first, count)` for slices of so many groups, with memory for results.
  template <class Give>
  void give_slices(const Exec& exec, std::uint64_t count, const Give& give) {
    for (std::uint64_t first = 0; first < count; first += slice_rows()) {
      const std::uint64_t some = std::min(slice_rows(), count - first);
      const std::uint64_t bytes = some * (Stored::bytes_of_row + sizeof(Group));
      store_.make_room(exec, bytes);
      const MemoryAccount::Grant grant =
          account_.take(MemoryTier::device, bytes, "results of groups");
      give(first, some);
    }
  }

  MemoryAccount account_;
  AggregationMemory memory_;
  MemoryAccount::Grant working_, table_;
  std::uint64_t room_ = 0;  // groups for which the table has memory
  PartStore<Exec> store_;
  Whole whole_;
  HybridAggregationStatistics statistics_;
};

}  // namespace hashmill::detail
