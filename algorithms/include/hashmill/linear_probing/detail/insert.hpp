#pragma once

#include <cstring>
#include <hashmill/backends/block_loop.hpp>
#include <hashmill/backends/caches.hpp>
#include <hashmill/linear_probing/detail/scan.hpp>
#include <hashmill/partition/detail/partition_records.hpp>
#include <hashmill/primitives/detail/spread_order.hpp>

namespace hashmill::detail {

/// Keys and rows to insert, as records. Record i is number `from + i` of an order.
template <class Key, class Row, class Keys, class Rows>
struct KeyRowSource {
  using record_type = RecordPair<Key, Row>;
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
    return ref.home(record.first) >> shift;
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
    return insert(ref, record.first, record.second);
  }
  void prefetch(std::uint64_t i) const { ref.prefetch(ref.hasher()(source(i).first)); }
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
  using Record = RecordPair<typename Ref::key_type, typename Ref::row_type>;
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
        homes[j - i] = ref.home(records[begin + j].first);
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
    if (record.second >= slot_rows_end<typename Ref::row_type>) return InsertOutcome::refused;
    for (std::uint64_t w = home; w < last; ++w) {
      Window* const window = ref.window(w);
      const typename Ref::Seen seen(*window);
      if (Ref::unique && seen.matches(record.first, ref.equal()) != 0) {
        return InsertOutcome::existing;
      }
      if (const unsigned empty = seen.empty(); empty != 0) {
        Slots::put(&window->slots[Ref::Seen::lowest(empty)], record.first, record.second);
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
  RecordPair<typename Ref::key_type, typename Ref::row_type>* records;
  Ref ref;
  const std::uint64_t* part_offsets;
  const std::uint64_t* deferred;
  OutcomeCounters counters;

  void operator()(std::int64_t p) const {
    InsertResult counts;
    for (std::uint64_t i = 0; i < deferred[p]; ++i) {
      const auto& record = records[part_offsets[p] + i];
      tally(counts, ref.insert(record.first, record.second));
    }
    counters.add(counts);
  }
};

/// Bytes of the table per part, within which inserts should stay:
///
///     hosts     half of a thread's private cache
///     devices   8 MiB, the share of the last cache that the threads in flight use
template <class Exec>
[[nodiscard]] std::uint64_t insert_part_bytes() {
  constexpr std::uint64_t device_part = std::uint64_t{8} << 20;
  return backends::has_wide_teams<Exec> ? device_part : backends::private_cache_bytes() / 2;
}

/// How a bulk insert cuts the table into ranges of windows.
struct InsertPlan {
  unsigned shift = 0;      ///< log2 of the windows of a part
  unsigned part_bits = 0;  ///< bits of the largest part number
  std::uint64_t parts = 1;
  bool partitioned = false;
};

/// Partitions only if the table has more than 4 parts and there is more than one row per 16
/// windows. Fewer rows do not pay for the pass.
template <class Exec, class Window>
[[nodiscard]] InsertPlan plan_insert(std::uint64_t num_windows, std::uint64_t num_rows) {
  InsertPlan plan;
  if (num_windows == 0) return plan;  // moved from and may not grow: all rows fail
  const std::uint64_t windows = insert_part_bytes<Exec>() / sizeof(Window);
  plan.shift = static_cast<unsigned>(std::bit_width(windows)) - 1;
  plan.parts = ((num_windows - 1) >> plan.shift) + 1;
  plan.part_bits = static_cast<unsigned>(std::bit_width(plan.parts - 1));
  plan.partitioned = plan.parts > 4 && num_rows > num_windows / 16;
  return plan;
}

/// Inserts `num_rows` records. Asynchronous. `fresh`: the table holds nothing yet and its windows
/// are not initialised.
///
/// Partitions by window range first where that pays (see plan_insert). Cost per 8-byte pair on a
/// device:
///
///     unpartitioned   one random read of a window, one random atomic
///     partitioned     3 reads and 2 writes of the pair in order; the random accesses hit the cache
template <class Exec, class Ref, class Source, class MemorySpace>
void bulk_insert(const Exec& exec, const Ref& ref, const Source& source, std::uint64_t num_rows,
                 bool fresh, const OutcomeCounters& counters, Workspace<MemorySpace>& workspace) {
  using Window = typename Ref::Window;
  typename Workspace<MemorySpace>::Frame frame(workspace);
  constexpr bool team = backends::has_wide_teams<Exec>;
  const InsertPlan parts = plan_insert<Exec, Window>(ref.num_windows(), num_rows);
  if (!parts.partitioned) {
    if (fresh) empty_windows<MemorySpace>(exec, ref);
    tally_items("hashmill::linear_probing::insert", exec, num_rows,
                InsertRecord<Ref, Source, InsertOnly>{ref, source, {}}, counters);
    return;
  }
  if (fresh && team) empty_windows<MemorySpace>(exec, ref);
  const auto [records, part_offsets] = partition_records<std::uint64_t>(
      exec, source, num_rows, WindowRange<Ref>{ref, parts.shift}, parts.part_bits, workspace);
  if constexpr (team) {
    using Sorted = RecordSource<typename Source::record_type>;
    tally_items("hashmill::linear_probing::insert", exec, num_rows,
                InsertRecord<Ref, Sorted, InsertOnly>{ref, Sorted{records}, {}}, counters);
  } else {
    const auto deferred = workspace.template take<std::uint64_t>(exec, parts.parts);
    backends::for_each_block("hashmill::linear_probing::insert_parts", exec, parts.parts,
                             InsertPartHost<Ref>{ref, records, part_offsets, deferred.data(),
                                                 parts.shift, fresh, counters});
    backends::for_each_block(
        "hashmill::linear_probing::insert_deferred", exec, parts.parts,
        InsertDeferred<Ref>{records, ref, part_offsets, deferred.data(), counters});
  }
}

}  // namespace hashmill::detail
