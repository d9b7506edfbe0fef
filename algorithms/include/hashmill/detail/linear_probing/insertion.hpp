#pragma once

#include <hashmill/detail/group_by/estimate_keys.hpp>
#include <hashmill/detail/keys_as.hpp>
#include <hashmill/detail/linear_probing/insert.hpp>
#include <hashmill/detail/linear_probing/insert_each.hpp>
#include <hashmill/detail/linear_probing/storage.hpp>

namespace hashmill::detail {

/// How rows get into a LinearProbingStorage: which of them go together, and when the table grows.
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

  /// Makes room for `rows` more. Where mostly tombstones fill the table it is rehashed at its size:
  /// a quarter of it at least is free then, so that keys may come and go for ever at a bounded cost
  /// each.
  template <class Exec>
  void grow(const Exec& exec, std::uint64_t rows) {
    const std::uint64_t entries = checked_add(num_entries, rows, "entries");
    const bool tombstones_only = entries <= limit() / 4 * 3;
    this->move_to(exec, tombstones_only ? limit() : std::max(entries, 2 * limit()));
  }
  /// Makes room for all of `rows` rows, as far as it may grow.
  template <class Exec>
  void make_room(const Exec& exec, std::uint64_t rows) {
    if (!options.grow || room() >= rows) return;
    if (this->uncounted != 0) this->count_anew(exec);
    if (room() < rows) grow(exec, rows);
  }
  /// Rows that are not worth a sample, or room in steps.
  static constexpr std::uint64_t few_rows = 4096;

  /// Makes room at once for the keys that a sample says are new.
  template <class Exec, class Keys>
  void make_room_for_new(const Exec& exec, const Keys& keys, Workspace<MemorySpace>& workspace) {
    if (!Ref::unique || keys.size() <= few_rows) return;
    const KnownTo<Ref> known{ref()};
    make_room(exec, estimate_keys(exec, keys_as<Key>(keys), this->hash, known, workspace));
  }
  /// Makes room for some of `rows` rows and returns for how many. Rows may turn out to exist
  /// already, so a table of unique keys does not grow for all of them at once, unless they are few,
  /// but takes a sixteenth or more at a time.
  template <class Exec>
  std::uint64_t make_room_for_some(const Exec& exec, std::uint64_t rows) {
    make_room(exec, Ref::unique && rows > few_rows && rows > room() ? rows / 16 + 1 : rows);
    return options.grow ? std::min(rows, std::max<std::uint64_t>(room(), 1)) : rows;
  }
  /// Runs `insert(order, from, count)` for all rows, growing in between; returns the sum of its
  /// results.
  template <class Exec, class Keys, class Insert>
  InsertResult insert_or_grow(const Exec& exec, const Keys& keys, const Insert& insert,
                              Workspace<MemorySpace>& workspace) {
    const std::uint64_t rows = keys.size();
    if (options.grow && room() < rows) make_room_for_new(exec, keys, workspace);
    const bool may_grow = options.grow && room() < rows;
    const SpreadOrder order = may_grow ? SpreadOrder(rows) : SpreadOrder();
    InsertResult result;
    for (std::uint64_t done = 0; done < rows;) {
      const std::uint64_t next = make_room_for_some(exec, rows - done);
      result += insert(order, done, next);
      done += next;
    }
    return result;
  }

  template <class Keys, class Rows>
  using Source = KeyRowSource<Key, Row, Keys, Rows>;

  /// Inserts the first `count` rows of a source; asynchronous.
  template <class Exec, class Keys, class Rows>
  void launch_insert(const Exec& exec, const Source<Keys, Rows>& source, std::uint64_t count,
                     bool fresh, const OutcomeCounters& counters,
                     Workspace<MemorySpace>& workspace) const {
    require_keys<Keys>();
    require_accessible_queries<Exec, Keys>();
    bulk_insert(exec, ref(), source, count, fresh, counters, workspace);
  }
  /// Inserts rows into a table whose windows are large enough and not initialised.
  template <class Exec, class Keys, class Rows>
  void insert_first(const Exec& exec, const Keys& keys, const Rows& rows,
                    Workspace<MemorySpace>& workspace) {
    counted(exec, workspace, [&](const OutcomeCounters& counters) {
      launch_insert(exec, Source<Keys, Rows>{keys, rows}, keys.size(), true, counters, workspace);
    });
  }
  /// Inserts rows, growing as they ask for it.
  template <class Exec, class Keys, class Rows>
  InsertResult insert_rows(const Exec& exec, const Keys& keys, const Rows& rows,
                           Workspace<MemorySpace>& workspace) {
    return insert_or_grow(
        exec, keys,
        [&](const SpreadOrder& order, std::uint64_t from, std::uint64_t count) {
          return counted(exec, workspace, [&](const OutcomeCounters& counters) {
            launch_insert(exec, Source<Keys, Rows>{keys, rows, order, from}, count, false, counters,
                          workspace);
          });
        },
        workspace);
  }
  /// Runs an operation for each key, growing as they ask for it.
  template <class Exec, class Each>
  InsertResult insert_each(const Exec& exec, Each each) {
    require_accessible_queries<Exec, decltype(each.keys)>();
    Workspace<MemorySpace> workspace;
    return insert_or_grow(
        exec, each.keys,
        [&](const SpreadOrder& order, std::uint64_t from, std::uint64_t count) {
          each.ref = ref();
          each.order = order;
          each.from = from;
          return counted(exec, workspace, [&](const OutcomeCounters& counters) {
            tally_items("hashmill::linear_probing::insert_each", exec, count, each, counters);
          });
        },
        workspace);
  }

  /// Lets `launch` count outcomes in memory, fetches them and adds them to the number of entries.
  template <class Exec, class Launch>
  InsertResult counted(const Exec& exec, Workspace<MemorySpace>& workspace, const Launch& launch) {
    typename Workspace<MemorySpace>::Frame frame(workspace);
    const auto counters = workspace.template take<InsertResult>(exec, 1);
    Kokkos::deep_copy(exec, counters, InsertResult{});
    launch(OutcomeCounters{counters.data()});
    InsertResult result;
    Kokkos::deep_copy(exec, result, Kokkos::subview(counters, 0));
    exec.fence("hashmill::LinearProbing: the counts of what was inserted");
    num_entries += result.inserted;
    return result;
  }
};

}  // namespace hashmill::detail
