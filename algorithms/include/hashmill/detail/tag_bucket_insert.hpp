#pragma once

#include <hashmill/detail/partition_levels.hpp>
#include <hashmill/detail/tag_bucket_links.hpp>
#include <hashmill/detail/tag_bucket_ranges.hpp>

namespace hashmill::detail {

/// Reads rows as records.
template <class Writer, class Row>
struct TagRecordSource {
  using record_type = typename Writer::Record;
  Writer writer;
  RowList<Row> rows;
  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t j) const {
    return writer.record(rows(j));
  }
};

/// The rows above the quota of their range, among partitioned records.
template <class Writer, class Row>
struct UntouchedRows {
  TagRangeOf<Writer> range_of;
  const typename Writer::Record* records;
  const Row* offsets;
  std::uint64_t quota;

  /// The row of record j, or `no_row<Row>` when it was dealt with.
  KOKKOS_FORCEINLINE_FUNCTION Row operator()(std::uint64_t j) const {
    const auto record = records[j];
    return j - offsets[range_of(record)] < quota ? no_row<Row> : record.second;
  }
};

/// Partitioned records and where each range's begin.
template <class Record, class Row>
struct TagRecords {
  Record* records;
  Row* offsets;
};

/// Sorts rows into records by range.
template <class Exec, class Writer, class Row, class MemorySpace>
auto partition_by_range(const Exec& exec, const Writer& writer, const RowList<Row>& rows,
                        const TagRangePlan& ranges, Workspace<MemorySpace>& workspace) {
  using Record = typename Writer::Record;
  constexpr bool team = backends::has_wide_teams<Exec>;
  const LevelPlan plan(static_cast<unsigned>(std::bit_width(ranges.ranges - 1)),
                       max_level_bits<Exec, Record, team>());
  std::array<Record*, 2> between{nullptr, workspace.template take<Record>(exec, rows.count).data()};
  const auto offsets = workspace.template take<Row>(exec, (std::uint64_t{1} << plan.bits) + 1);
  const auto whole = workspace.template take<Row>(exec, 2);
  Kokkos::deep_copy(exec, Kokkos::subview(whole, 0), Row{0});
  Kokkos::deep_copy(exec, Kokkos::subview(whole, 1), static_cast<Row>(rows.count));
  if (plan.levels > 1) between[0] = workspace.template take<Record>(exec, rows.count).data();
  partition_levels<team, false>(exec, Ranges<Row>{whole.data(), 1}, rows.count,
                                TagRangeOf<Writer>{writer, ranges.bucket_bits}, plan,
                                TagRecordSource<Writer, Row>{writer, rows},
                                RecordSink<Record>{between[1]}, offsets.data(), between, workspace);
  return TagRecords<Record, Row>{between[1], offsets.data()};
}

template <class Exec, class Kernel>
TagTally run_ranges(const char* label, const Exec& exec, const Kernel& kernel) {
  TagTally tally;
  if constexpr (backends::has_wide_teams<Exec>) {
    Kokkos::parallel_reduce(label, backends::range(exec, kernel.plan.ranges), kernel, tally);
  } else {
    Kokkos::parallel_reduce(label, backends::uneven_range(exec, kernel.plan.ranges), kernel, tally);
  }
  return tally;
}

/// Partitions rows by range of buckets, inserts them there, and then what ran over the ends of
/// ranges. Rows above a range's quota are linked if their key is there by then, and else listed in
/// `pending`, whose length becomes their number. Memory is taken before anything is changed, but
/// for `pending`.
template <bool Unique, class Exec, class Writer, class Row, class Pending, class MemorySpace>
TagTally insert_once(const Exec& exec, const Writer& writer, const RowList<Row>& rows, bool fresh,
                     Pending& pending, Workspace<MemorySpace>& workspace) {
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const TagRangePlan plan = plan_tag_ranges(exec, rows.count, writer.ref.num_buckets());
  const auto left = workspace.template take<Row>(exec, plan.ranges);
  const auto parts = partition_by_range(exec, writer, rows, plan, workspace);
  InsertIntoRanges<Exec, Writer, Unique> kernel{writer,      plan, parts.records, parts.offsets,
                                                left.data(), 0,    fresh};
  TagTally total = run_ranges("hashmill::tag_bucket::insert", exec, kernel);
  kernel.fresh = false;
  std::uint64_t over = total.left;
  for (kernel.round = 1; over != 0 && kernel.round <= plan.ranges; ++kernel.round) {
    const TagTally tally = run_ranges("hashmill::tag_bucket::insert_over", exec, kernel);
    over = tally.left;
    total.filled += tally.filled;
    total.reused += tally.reused;
  }
  total.left = over;
  if (total.untouched != 0) {
    const UntouchedRows<Writer, Row> untouched{
        {writer, plan.bucket_bits}, parts.records, parts.offsets, plan.quota};
    pending = link_or_list(exec, writer, untouched, rows.count, total.untouched, workspace);
  } else {
    pending = {};
  }
  return total;
}

/// Inserts rows that the table has slots for, even if each had a key of its own. `fresh`: the
/// buckets were not initialised yet. Returns when done.
///
/// Each time round takes at least a quota of rows from every range that has them; one time does
/// unless a few keys have very many rows or the hash function is bad.
template <bool Unique, class Exec, class Writer, class Row, class MemorySpace>
TagTally insert_rows(const Exec& exec, const Writer& writer, RowList<Row> rows, bool fresh,
                     Workspace<MemorySpace>& workspace) {
  Kokkos::View<Row*, MemorySpace> pending, next_pending;
  TagTally total;
  while (rows.count != 0) {
    const TagTally tally = insert_once<Unique>(exec, writer, rows, fresh, next_pending, workspace);
    total.filled += tally.filled;
    total.reused += tally.reused;
    total.left += tally.left;
    pending = next_pending;
    rows = {pending.data(), 0, pending.extent(0)};
    fresh = false;
  }
  return total;
}

}  // namespace hashmill::detail
