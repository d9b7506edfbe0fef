#pragma once

#include <cstring>
#include <hashmill/backends/block_loop.hpp>
#include <hashmill/linear_probing/detail/insert_plan.hpp>
#include <hashmill/linear_probing/detail/insert_ranges.hpp>
#include <hashmill/linear_probing/detail/scan.hpp>
#include <hashmill/partition/detail/partition_records.hpp>
#include <hashmill/primitives/detail/spread_order.hpp>

namespace hashmill::detail {

/// Keys and rows to insert, as records. Record i is number `from + i` of an order.
template <class Key, class Row, class Keys, class Rows>
struct KeyRowSource {
  using record_type = TravellingPair<Key, Row>;
  Keys keys;
  Rows rows;
  SpreadOrder order{};
  std::uint64_t from = 0;

  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t i) const {
    const std::uint64_t at = order(from + i);
    return {as_stored<Key>(keys(at)), as_row<Row>(rows(at))};
  }
};

/// The part of a record: its home window number without the lowest bits.
template <class Ref>
struct WindowRange {
  Ref ref;
  unsigned shift;

  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Record& record) const {
    return ref.home(first_of(record)) >> shift;
  }
};

/// Inserts record i by `insert(ref, key, row)`.
template <class Ref, class Source, class Insert>
struct InsertRecord {
  Ref ref;
  Source source;
  Insert insert;

  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome operator()(std::uint64_t i) const {
    const auto record = source(i);
    return insert(ref, first_of(record), second_of(record));
  }
  void prefetch(std::uint64_t i) const { ref.prefetch(ref.hasher()(first_of(source(i)))); }
};

/// The plain insert.
struct InsertOnly {
  template <class Ref, class Key, class Row>
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome operator()(const Ref& ref, const Key& key,
                                                       Row row) const {
    return ref.insert(key, row);
  }
};

/// Inserts the records of one part of the table. The host thread that runs it owns the windows of
/// the part, so it needs no atomics. Records that find the windows up to the end of the part full
/// are moved to the front of the part's records. A second pass, which may leave the part, inserts
/// them.
template <class Ref>
struct InsertPartHost {
  using Record = TravellingPair<typename Ref::key_type, typename Ref::row_type>;
  using Slots = typename Ref::Slots;
  using Window = typename Ref::Window;
  Ref ref;
  Record* records;
  const std::uint64_t* part_offsets;
  std::uint64_t* deferred;  // records left at the front of each part
  unsigned shift;
  bool fresh;  // the windows are not initialised yet
  OutcomeCounters counters;

  void operator()(std::int64_t part) const {
    const auto p = static_cast<std::uint64_t>(part);
    const std::uint64_t first = p << shift;
    const std::uint64_t end = (p + 1) << shift;
    const std::uint64_t last = end < ref.num_windows() ? end : ref.num_windows();
    if (first < last) bring_in(first, last);
    InsertResult counts;
    const std::uint64_t begin = part_offsets[p];
    const std::uint64_t count = part_offsets[p + 1] - begin;
    std::uint64_t left = 0;
    constexpr std::uint64_t in_flight = 16;
    for (std::uint64_t i = 0; i < count; i += in_flight) {
      const std::uint64_t batch = i + in_flight < count ? i + in_flight : count;
      std::uint64_t homes[in_flight];
      for (std::uint64_t j = i; j < batch; ++j) {
        homes[j - i] = ref.home(first_of(records[begin + j]));
        backends::prefetch(ref.window(homes[j - i]));
      }
      for (std::uint64_t j = i; j < batch; ++j) {
        const Record record = records[begin + j];
        const InsertOutcome outcome = insert(record, homes[j - i], last);
        if (outcome == InsertOutcome::full) {
          records[begin + left++] = record;
        } else {
          tally(counts, outcome);
        }
      }
    }
    deferred[p] = left;
    counters.add(counts);
  }

 private:
  /// Brings the windows [first, last) into the cache, front to back.
  void bring_in(std::uint64_t first, std::uint64_t last) const {
    if (fresh) {
      std::memset(static_cast<void*>(ref.window(first)), 0xFF, (last - first) * sizeof(Window));
      return;
    }
    backends::read_ahead(ref.window(first), (last - first) * sizeof(Window));
  }

  /// What `LinearProbingRef::insert` does where no other thread writes: no window is read twice, a
  /// plain store takes the slot, and the search ends with the part.
  InsertOutcome insert(const Record& record, std::uint64_t home, std::uint64_t last) const {
    if (second_of(record) >= slot_rows_end<typename Ref::row_type>) return InsertOutcome::refused;
    for (std::uint64_t w = home; w < last; ++w) {
      Window* const window = ref.window(w);
      const typename Ref::Seen seen(*window);
      if (Ref::unique && seen.matches(first_of(record), ref.equal()) != 0) {
        return InsertOutcome::existing;
      }
      if (const unsigned empty = seen.empty(); empty != 0) {
        Slots::put(&window->slots[Ref::Seen::lowest(empty)], first_of(record), second_of(record));
        return InsertOutcome::inserted;
      }
    }
    return InsertOutcome::full;
  }
};

/// Second pass on hosts: inserts what the first pass left. It uses atomics, because parts overflow
/// into others.
template <class Ref>
struct InsertDeferred {
  TravellingPair<typename Ref::key_type, typename Ref::row_type>* records;
  Ref ref;
  const std::uint64_t* part_offsets;
  const std::uint64_t* deferred;
  OutcomeCounters counters;

  void operator()(std::int64_t p) const {
    InsertResult counts;
    for (std::uint64_t i = 0; i < deferred[p]; ++i) {
      const auto& record = records[part_offsets[p] + i];
      tally(counts, ref.insert(first_of(record), second_of(record)));
    }
    counters.add(counts);
  }
};

/// Inserts partitioned records, part p of the plan being part p. Asynchronous.
template <class Exec, class Ref, class Partitioned, class MemorySpace>
void insert_parts(const Exec& exec, const Ref& ref, const Partitioned& sorted,
                  std::uint64_t num_rows, const InsertPlan& plan, bool fresh,
                  const OutcomeCounters& counters, Workspace<MemorySpace>& workspace) {
  if constexpr (backends::has_wide_teams<Exec>) {
    using Sorted = RecordSource<typename InsertPartHost<Ref>::Record>;
    if (fresh) empty_windows<MemorySpace>(exec, ref);
    tally_items("hashmill::linear_probing::insert", exec, num_rows,
                InsertRecord<Ref, Sorted, InsertOnly>{ref, Sorted{sorted.records}, {}}, counters);
  } else {
    const auto deferred = workspace.template take<std::uint64_t>(exec, plan.parts);
    backends::for_each_block("hashmill::linear_probing::insert_parts", exec, plan.parts,
                             InsertPartHost<Ref>{ref, sorted.records, sorted.offsets,
                                                 deferred.data(), plan.shift, fresh, counters});
    backends::for_each_block(
        "hashmill::linear_probing::insert_deferred", exec, plan.parts,
        InsertDeferred<Ref>{sorted.records, ref, sorted.offsets, deferred.data(), counters});
  }
}

/// Inserts `num_rows` records. Asynchronous. `fresh`: the table holds nothing yet and its windows
/// are not initialised.
///
/// Partitions by window first where that pays (see plan_insert). Cost per 8-byte pair on a device:
///
///     each    one random read of a window, one random atomic
///     parts   3 reads and 1 write of the pair in order, if partitioning takes one level; the
///             random accesses hit the cache
///     ranges  5 reads and 2 writes of the pair in order, if partitioning takes two levels; the
///             table is written once in order, and read once before unless it is fresh
template <Engine Choice = Engine::automatic, class Exec, class Ref, class Source, class MemorySpace>
void bulk_insert(const Exec& exec, const Ref& ref, const Source& source, std::uint64_t num_rows,
                 bool fresh, const OutcomeCounters& counters, Workspace<MemorySpace>& workspace) {
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const InsertPlan plan =
      plan_insert<typename Ref::Slots, Choice>(exec, ref.num_windows(), num_rows);
  if (plan.path == InsertPath::each) {
    if (fresh) empty_windows<MemorySpace>(exec, ref);
    tally_items("hashmill::linear_probing::insert", exec, num_rows,
                InsertRecord<Ref, Source, InsertOnly>{ref, source, {}}, counters);
    return;
  }
  const auto sorted = partition_records<std::uint64_t, Choice>(
      exec, source, num_rows, WindowRange<Ref>{ref, plan.shift}, plan.part_bits, workspace);
  if constexpr (uses_team_engine<Exec, Choice>) {
    if (plan.path == InsertPath::ranges) {
      return insert_ranges(exec, ref, sorted, plan, fresh, counters, workspace);
    }
  }
  insert_parts(exec, ref, sorted, num_rows, plan, fresh, counters, workspace);
}

}  // namespace hashmill::detail
