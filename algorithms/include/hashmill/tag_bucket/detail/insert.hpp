#pragma once

#include <hashmill/partition/detail/partition_records.hpp>
#include <hashmill/tag_bucket/detail/links.hpp>
#include <hashmill/tag_bucket/detail/team_ranges.hpp>

namespace hashmill::detail {

/// Reads rows (a RowList or RowSample) as records.
template <class Writer, class Rows>
struct TagRecordSource {
  using record_type = typename Writer::Record;
  Writer writer;
  Rows rows;
  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t j) const {
    return writer.record(rows(j));
  }
};

/// Of partitioned records, the rows above the quota of their range.
template <class Writer, class Row>
struct UntouchedRows {
  TagRangeOf<Writer> range_of;
  const typename Writer::Record* records;
  const Row* offsets;
  std::uint64_t quota;

  /// The row of record j, or `no_row<Row>` if it was handled.
  KOKKOS_FORCEINLINE_FUNCTION Row operator()(std::uint64_t j) const {
    const auto record = records[j];
    return j - offsets[range_of(record)] < quota ? no_row<Row> : second_of(record);
  }
};

/// Counts the rows above the quota of their range.
template <class Row>
struct CountUntouched {
  const Row* offsets;
  std::uint64_t quota;
  KOKKOS_FUNCTION void operator()(std::int64_t range, std::uint64_t& sum) const {
    const std::uint64_t count = offsets[range + 1] - offsets[range];
    if (count > quota) sum += count - quota;
  }
};

/// Runs a kernel for each range and sums the tallies. Waits for `exec`.
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

/// Inserts partitioned records into their ranges of buckets, then those that overflowed their
/// range. `total` is a view of one tally. Waits for `exec`.
template <OnSameKey Same, Engine Choice, class Exec, class Writer, class Row, class Total>
TagTally fill_ranges(const Exec& exec, const Writer& writer, const TagRangePlan& plan,
                     const PartitionedRecords<typename Writer::Record, Row>& parts, Row* left,
                     bool fresh, [[maybe_unused]] const Total& total) {
  InsertIntoRanges<Exec, Writer, Same> kernel{writer, plan, parts.records, parts.offsets,
                                              left,   0,    fresh};
  TagTally sum;
  if constexpr (uses_team_engine<Exec, Choice>) {
    if (plan.staged) sum = insert_by_teams<Same>(exec, writer, plan, parts, left, fresh, total);
  }
  if (!plan.staged) sum = run_ranges("hashmill::tag_bucket::insert", exec, kernel);
  kernel.fresh = false;
  for (kernel.round = 1; sum.left != 0 && kernel.round <= plan.ranges; ++kernel.round) {
    const TagTally tally = run_ranges("hashmill::tag_bucket::insert_over", exec, kernel);
    sum.filled += tally.filled;
    sum.reused += tally.reused;
    sum.left = tally.left;
  }
  return sum;
}

/// Partitions rows by range of buckets and inserts them there. Rows above the quota of a range join
/// the rows with their key, if the key is in the table by then. The rest of them becomes `pending`.
/// It throws, if at all, before anything is changed.
template <OnSameKey Same, Engine Choice, class Exec, class Writer, class Rows, class Row,
          class MemorySpace>
TagTally insert_once(const Exec& exec, const Writer& writer, const Rows& rows, bool fresh,
                     PendingRows<Row, MemorySpace>& pending, Workspace<MemorySpace>& workspace) {
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const TagRangePlan plan = plan_tag_ranges<Choice, typename Writer::Record>(
      exec, rows.count, writer.ref.num_buckets(), fresh);
  const auto left = workspace.template take<Row>(exec, plan.ranges);
  const auto total = workspace.template take<TagTally>(exec, 1);
  const auto parts = partition_records<Row, Choice>(
      exec, TagRecordSource<Writer, Rows>{writer, rows}, rows.count,
      TagRangeOf<Writer>{writer, plan.bucket_bits},
      static_cast<unsigned>(std::bit_width(plan.ranges - 1)), workspace);
  const auto fill = [&] {
    return fill_ranges<Same, Choice>(exec, writer, plan, parts, left.data(), fresh, total);
  };
  std::uint64_t untouched = 0;
  if (plan.quota != TagRangePlan::no_quota) {
    Kokkos::parallel_reduce("hashmill::tag_bucket::count_untouched",
                            backends::range(exec, plan.ranges),
                            CountUntouched<Row>{parts.offsets, plan.quota}, untouched);
  }
  if (untouched == 0) {
    const TagTally tally = fill();
    pending = {};
    return tally;
  }
  const RowCollector<Row, MemorySpace> others(exec, untouched, workspace);
  const TagTally tally = fill();
  const UntouchedRows<Writer, Row> row_of{
      {writer, plan.bucket_bits}, parts.records, parts.offsets, plan.quota};
  join_or_list<Same>(exec, writer, row_of, rows.count, others.appender());
  pending = PendingRows<Row, MemorySpace>(others.finish(exec));
  return tally;
}

/// Inserts rows that fit even if each had a key of its own, and adds what became of them to
/// `total`. `fresh`: the buckets are not initialised yet. Waits for `exec`. When it throws,
/// `pending` holds the rows that were not handled.
///
/// Each round takes from every range its rows, up to the quota. One round suffices, unless a few
/// keys have very many rows or the hash function is bad.
template <OnSameKey Same, Engine Choice, class Exec, class Writer, class Row, class MemorySpace>
void insert_rows(const Exec& exec, const Writer& writer, PendingRows<Row, MemorySpace>& pending,
                 bool fresh, TagTally& total, Workspace<MemorySpace>& workspace) {
  while (pending.rows.count != 0) {
    const RowList<Row> rows = pending.rows;
    const auto memory = pending.list;
    total.add(insert_once<Same, Choice>(exec, writer, rows, fresh, pending, workspace));
    fresh = false;
  }
}

/// Inserts `how_many` of the pending rows, chosen at random. The other rows with their keys join
/// them. The rows that are still pending have other keys. When it throws, nothing is changed.
template <OnSameKey Same, Engine Choice, class Exec, class Writer, class Row, class MemorySpace>
void insert_sample(const Exec& exec, const Writer& writer, std::uint64_t how_many,
                   PendingRows<Row, MemorySpace>& pending, TagTally& total,
                   Workspace<MemorySpace>& workspace) {
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const RowCollector<Row, MemorySpace> others(exec, pending.rows.count, workspace);
  const RowSample<Row> sample(pending.rows, how_many);
  PendingRows<Row, MemorySpace> untouched;
  total.add(insert_once<Same, Choice>(exec, writer, sample, false, untouched, workspace));
  join_or_list<Same>(exec, writer, OutsideSample<Row>{sample}, pending.rows.count,
                     others.appender());
  join_or_list<Same>(exec, writer, untouched.rows, untouched.rows.count, others.appender());
  pending = PendingRows<Row, MemorySpace>(others.finish(exec));
}

}  // namespace hashmill::detail
