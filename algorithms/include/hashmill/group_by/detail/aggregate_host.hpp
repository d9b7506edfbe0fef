#pragma once

#include <hashmill/group_by/detail/accumulate.hpp>
#include <hashmill/group_by/detail/carried_rows.hpp>
#include <hashmill/group_by/detail/host_group_table.hpp>

namespace hashmill::detail {

/// Where host threads write the groups of their tables, and the rows for which these had no room.
template <class Row, class Group>
struct HostResults {
  Row* rows;                  // a representative of each group of a table …
  Group* groups;              // … and its accumulators
  Row* left;                  // rows without room
  std::uint64_t* num_groups;  // number of entries in `rows` and `groups`
  std::uint64_t* num_left;    // number of entries in `left`
};

/// Groups and aggregates shares of the rows. One host thread takes a share, in a table of its own.
///
/// A batch of rows goes through a sequence of short loops:
///
///     1. hash all keys (compilers vectorise this)
///     2. read the first slot of each row; list, without a branch, rows whose group is not there
///     3. look the listed rows up
///     4. add all values
///
/// This turns one branch misprediction for many rows into one or two per batch. Source of batches,
/// steps and the list of rows that need another step: Boncz et al., "MonetDB/X100: Hyper-Pipelining
/// Query Execution", CIDR 2005.
template <class Exec, class Keys, class Folds, class Row, class Shares>
struct AggregateOnHost {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Group = typename Folds::Group;
  using Table = HostGroupTable<Keys, Row, Group>;
  static constexpr std::uint32_t batch = 128;

  Keys keys;
  Shares shares;
  Folds folds;
  GroupHash<KeyOf<Keys>> hash;
  HostResults<Row, Group> results;
  std::byte* tables;    // memory of all tables; nullptr: tables are in a thread's scratch
  std::uint32_t slots;  // per table
  bool is_far;          // whether a table exceeds a thread's own cache

  void operator()(const Member& team) const {
    const auto t = static_cast<std::uint64_t>(team.league_rank());
    const std::size_t bytes = Table::bytes(slots);
    void* const memory =
        tables != nullptr ? tables + t * bytes : team.team_scratch(1).get_shmem_aligned(bytes, 64);
    Table table(memory, slots, folds, hash);
    const std::uint64_t end = shares.begin(t + 1);
    for (std::uint64_t first = shares.begin(t); first < end; first += batch) {
      add_batch(table, first,
                static_cast<std::uint32_t>(std::min<std::uint64_t>(batch, end - first)));
    }
    write(table);
  }

 private:
  void add_batch(Table& table, std::uint64_t first, std::uint32_t count) const {
    const Shares from = shares;  // copies: no store can change them
    const Folds fold = folds;
    const Keys known = keys;
    std::uint32_t slot_of[batch], number_of[batch], misses[batch];
    from.prefetch_ahead(fold, first, count);
    for (std::uint32_t j = 0; j < count; ++j) slot_of[j] = table.slot_of(from.key(first + j));
    for (std::uint32_t j = 0; j < count; ++j) from.prefetch(fold, first + j);
    if (is_far) {
      for (std::uint32_t j = 0; j < count; ++j) table.prefetch_slot(slot_of[j]);
      for (std::uint32_t j = 0; j < count; ++j) table.prefetch_entry(table.number_in(slot_of[j]));
    }
    std::uint32_t num_misses = 0;
    for (std::uint32_t j = 0; j < count; ++j) {
      number_of[j] = table.number_in(slot_of[j]);
      misses[num_misses] = j;
      num_misses += table.is_group(number_of[j], from.key(first + j), known) ? 0 : 1;
    }
    if (num_misses != 0) resolve(table, first, slot_of, misses, num_misses, number_of);
    for (std::uint32_t j = 0; j < count; ++j) {
      from.add(fold, table.accumulators(number_of[j]), first + j);
    }
  }
  /// Looks up the rows whose first slot is not their group's. Rows without room get number 0.
  void resolve(Table& table, std::uint64_t first, const std::uint32_t* slot_of,
               const std::uint32_t* misses, std::uint32_t num_misses,
               std::uint32_t* number_of) const {
    const Folds fold = folds;
    Row left[batch];
    std::uint32_t num_left = 0;
    for (std::uint32_t m = 0; m < num_misses; ++m) {
      const std::uint32_t j = misses[m];
      const std::uint64_t i = first + j;
      const Row row = shares.row(i);
      number_of[j] =
          table.find_or_add(keys, slot_of[j], shares.key(i), row, Shares::most_probes, fold);
      if (number_of[j] == 0) left[num_left++] = row;
    }
    if (num_left == 0) return;
    Row* const to =
        results.left + Kokkos::atomic_fetch_add(results.num_left, std::uint64_t{num_left});
    std::copy(left, left + num_left, to);
  }
  /// Appends the table's groups to those of other tables.
  void write(const Table& table) const {
    const std::uint64_t count = table.size();
    const std::uint64_t place = Kokkos::atomic_fetch_add(results.num_groups, count);
    for (std::uint64_t g = 0; g < count; ++g) results.rows[place + g] = table[g].row;
    for (std::uint64_t g = 0; g < count; ++g) results.groups[place + g] = table[g].group;
  }
};

}  // namespace hashmill::detail
