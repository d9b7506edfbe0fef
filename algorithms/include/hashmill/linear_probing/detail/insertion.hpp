#pragma once

#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/linear_probing/detail/insert.hpp>
#include <hashmill/linear_probing/detail/insert_each.hpp>
#include <hashmill/linear_probing/detail/storage.hpp>
#include <hashmill/primitives/detail/estimate_keys.hpp>
#include <hashmill/primitives/detail/keys_as.hpp>
#include <optional>

namespace hashmill::detail {

/// How rows are inserted into a LinearProbingStorage: how many at a time, and when the table grows.
template <class Storage>
struct LinearProbingInsertion : Storage {
  using typename Storage::MemorySpace;
  using typename Storage::Ref;
  using typename Storage::Row;
  using Key = typename Ref::key_type;
  using Storage::limit;
  using Storage::num_entries;
  using Storage::options;
  using Storage::ref;
  using Storage::room;

  /// Makes room for `rows` more. If tombstones rather than entries fill the table, it is rehashed
  /// at its size. At least a quarter of its limit is free then. So keys may come and go for ever at
  /// a bounded cost each.
  template <class Exec>
  void grow(const Exec& exec, std::uint64_t rows) {
    const std::uint64_t entries = checked_add(num_entries, rows, "entries");
    const bool tombstones_only = entries <= limit() / 4 * 3;
    this->move_to(exec, tombstones_only ? limit() : std::max(entries, 2 * limit()));
  }
  /// Rehashes a table that may not grow, if tombstones take the room of some of `rows` rows.
  template <class Exec>
  void free_tombstones(const Exec& exec, std::uint64_t rows) {
    if (room() >= std::min(rows, limit() - std::min(num_entries, limit()))) return;
    this->move_to(exec, Storage::allocate_windows(exec, this->windows.size()));
  }
  /// Makes room for all of `rows` rows, as far as the table may grow.
  template <class Exec>
  void make_room(const Exec& exec, std::uint64_t rows) {
    if (room() >= rows) return;
    if (this->uncounted != 0) this->count_anew(exec);
    if (room() >= rows) return;
    options.growth ? grow(exec, rows) : free_tombstones(exec, rows);
  }
  /// Up to this many rows, a sample or growth in steps does not pay.
  static constexpr std::uint64_t few_rows = 4096;

  /// Makes room at once for the number of new keys that is expected, or that a sample predicts.
  template <class Exec, class Keys>
  void make_room_for_new(const Exec& exec, const Keys& keys,
                         std::optional<std::uint64_t> expected_new,
                         Workspace<MemorySpace>& workspace) {
    if (!Ref::unique || keys.size() <= few_rows) return;
    if (!expected_new) {
      const KnownTo<Ref> known{ref()};
      expected_new = estimate_keys(exec, keys_as<Key>(keys), this->hash, known, workspace);
    }
    make_room(exec, *expected_new);
  }
  /// Makes room for some of `rows` rows and returns for how many. In a table of unique keys, many
  /// rows may turn out to exist already. Such a table does not grow for all of them at once, but in
  /// steps of at least 1/16 of the rows. Up to `few_rows` rows get all their room.
  template <class Exec>
  std::uint64_t make_room_for_some(const Exec& exec, std::uint64_t rows) {
    make_room(exec, Ref::unique && rows > few_rows && rows > room() ? rows / 16 + 1 : rows);
    return std::min(rows, std::max<std::uint64_t>(room(), 1));
  }
  /// Runs `insert(list)` until it has inserted all rows that `each` would insert one by one. Grows
  /// in between. Where most rows of a step had keys of the table, those of all other rows that do
  /// are done at once. Returns the sum of its results.
  template <class Exec, class Each, class Insert>
  InsertResult insert_or_grow(const Exec& exec, const Each& each, const Insert& insert,
                              Workspace<MemorySpace>& workspace,
                              std::optional<std::uint64_t> expected_new = {}) {
    RowList<std::uint64_t> rows = all(each.keys);
    if (room() >= rows.count) return insert(rows);
    if (!options.growth) return insert_up_to_limit(exec, each, rows, insert, workspace);
    make_room_for_new(exec, each.keys, expected_new, workspace);
    if (room() < rows.count) rows = rows.spread();
    Pending pending(rows);
    InsertResult result;
    while (pending.rows.count != 0) {
      const std::uint64_t next = make_room_for_some(exec, pending.rows.count);
      const InsertResult some = insert(pending.rows.first_few(next));
      result += some;
      pending.rows = pending.rows.without_first(next);
      const bool most_are_known = Ref::unique && some.inserted <= next / 16;
      if (most_are_known && pending.rows.count > few_rows) {
        result += list_new(exec, each, pending, workspace);
      }
    }
    return result;
  }

  using Pending = PendingRows<std::uint64_t, MemorySpace>;

  /// Inserts rows into a table that may not grow. Each round has two steps:
  ///
  ///     1. rows that take no slot are done, such as those of keys that are present
  ///     2. of the rest, as many rows as there is room for are inserted, spread over all of them
  ///
  /// So the table is never fuller than its load factor allows, and a row that fails costs a
  /// look-up. If keys repeat, each round handles many of the rows that are left, and at least one
  /// key.
  template <class Exec, class Each, class Insert>
  InsertResult insert_up_to_limit(const Exec& exec, const Each& each,
                                  const RowList<std::uint64_t>& rows, const Insert& insert,
                                  Workspace<MemorySpace>& workspace) {
    Pending pending(rows);
    InsertResult result;
    for (make_room(exec, rows.count); pending.rows.count > room();) {
      result += list_new(exec, each, pending, workspace);
      make_room(exec, pending.rows.count);
      const std::uint64_t next = std::min(pending.rows.count, room());
      if (next == 0) return result += give_up(exec, each, pending.rows);
      const RowList<std::uint64_t> spread = pending.rows.spread(0);
      result += insert(spread.first_few(next));
      pending.rows = spread.without_first(next);
    }
    return result += insert(pending.rows);
  }
  /// Runs `each` for those pending rows that take no slot. The others stay pending.
  template <class Exec, class Each>
  InsertResult list_new(const Exec& exec, Each each, Pending& pending,
                        Workspace<MemorySpace>& workspace) {
    typename Workspace<MemorySpace>::Frame frame(workspace);
    each.ref = ref();
    each.list = pending.rows;
    const RowCollector<std::uint64_t, MemorySpace> others(exec, pending.rows.count, workspace);
    const InsertResult result = counted(exec, workspace, [&](const OutcomeCounters& counters) {
      tally_items("hashmill::linear_probing::list_new", exec, pending.rows.count,
                  DoOrList<Each>{each, others.appender()}, counters);
    });
    pending = Pending(others.finish(exec));
    return result;
  }
  /// Reports for rows that there is no room for them.
  template <class Exec, class Each>
  InsertResult give_up(const Exec& exec, Each each, const RowList<std::uint64_t>& rows) {
    each.list = rows;
    backends::for_each_index("hashmill::linear_probing::give_up", exec, rows.count,
                             GiveUpEach<Each>{each});
    exec.fence("hashmill::LinearProbing: the list of rows given up goes");
    return {0, 0, rows.count};
  }

  template <class Keys, class Rows>
  using Source = KeyRowSource<Key, Row, Keys, Rows>;
  template <class Keys>
  [[nodiscard]] static RowList<std::uint64_t> all(const Keys& keys) {
    return {nullptr, 0, keys.size()};
  }

  /// Inserts the first `count` rows of a source. Asynchronous.
  template <class Exec, class Keys, class Rows>
  void launch_insert(const Exec& exec, const Source<Keys, Rows>& source, std::uint64_t count,
                     bool fresh, const OutcomeCounters& counters,
                     Workspace<MemorySpace>& workspace) const {
    require_keys<Keys>();
    check_single_keys<Exec>(source.keys);
    bulk_insert(exec, ref(), source, count, fresh, counters, workspace);
  }
  /// Inserts rows into a table whose windows are numerous enough and not initialised.
  template <class Exec, class Keys, class Rows>
  void insert_first(const Exec& exec, const Keys& keys, const Rows& rows,
                    Workspace<MemorySpace>& workspace) {
    counted(exec, workspace, [&](const OutcomeCounters& counters) {
      launch_insert(exec, Source<Keys, Rows>{keys, rows}, keys.size(), true, counters, workspace);
    });
  }
  /// Inserts rows and grows as needed. Rows in a list, which only a table that may not grow has,
  /// are inserted one by one.
  template <class Exec, class Keys, class Rows>
  InsertResult insert_rows(const Exec& exec, const Keys& keys, const Rows& rows,
                           Workspace<MemorySpace>& workspace) {
    using Each = InsertEach<Ref, Keys, Rows>;
    return insert_or_grow(
        exec, Each{{ref(), keys, rows}},
        [&](const RowList<std::uint64_t>& list) {
          return counted(exec, workspace, [&](const OutcomeCounters& counters) {
            if (list.rows == nullptr) {
              launch_insert(exec, Source<Keys, Rows>{keys, rows, list.order, list.begin},
                            list.count, false, counters, workspace);
            } else {
              tally_items("hashmill::linear_probing::insert_each", exec, list.count,
                          Each{{ref(), keys, rows, list}}, counters);
            }
          });
        },
        workspace);
  }
  /// Runs an operation for each key and grows as needed.
  template <class Exec, class Each>
  InsertResult insert_each(const Exec& exec, Each each, std::optional<std::uint64_t> expected_new) {
    check_single_keys<Exec>(each.keys);
    Workspace<MemorySpace> workspace;
    return insert_or_grow(
        exec, each,
        [&](const RowList<std::uint64_t>& list) {
          each.ref = ref();
          each.list = list;
          return counted(exec, workspace, [&](const OutcomeCounters& counters) {
            tally_items("hashmill::linear_probing::insert_each", exec, list.count, each, counters);
          });
        },
        workspace, expected_new);
  }
  /// Inserts rows without waiting. If the table may not grow and has no room for all, it waits and
  /// inserts those that fit.
  template <class Exec, class Keys, class Rows>
  void insert_async(const Exec& exec, const Keys& keys, const Rows& rows,
                    const OutcomeCounters& counters, Workspace<MemorySpace>& workspace) {
    make_room(exec, keys.size());
    if (room() < keys.size()) {
      return add_outcomes(exec, insert_rows(exec, keys, rows, workspace), counters);
    }
    launch_insert(exec, Source<Keys, Rows>{keys, rows}, keys.size(), false, counters, workspace);
    this->uncounted += keys.size();
  }

  /// Lets `launch` count outcomes in memory, fetches the counts and adds them to the number of
  /// entries. Fences `exec`.
  template <class Exec, class Launch>
  InsertResult counted(const Exec& exec, Workspace<MemorySpace>& workspace, const Launch& launch) {
    typename Workspace<MemorySpace>::Frame frame(workspace);
    const auto counters = workspace.template take<InsertResult>(exec, 1);
    Kokkos::deep_copy(exec, counters, InsertResult{});
    launch(OutcomeCounters{counters.data()});
    const InsertResult result = backends::fetch(
        exec, counters, 0, "hashmill::LinearProbing: the counts of what was inserted");
    num_entries += result.inserted;
    return result;
  }
};

}  // namespace hashmill::detail
