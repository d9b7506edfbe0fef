#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/tag_bucket/detail/insert.hpp>

namespace hashmill::detail {

/// Counts the keys of each bucket. The element after the last receives their sum.
template <class Ref, class Row>
struct CountBucketKeys {
  Ref ref;
  Row* counts;  // num_buckets + 1 elements
  KOKKOS_FUNCTION void operator()(std::int64_t b) const {
    const auto bucket = static_cast<std::uint64_t>(b);
    counts[b] = bucket == ref.num_buckets()
                    ? Row{0}
                    : static_cast<Row>(Kokkos::popcount(ref.slots(bucket).occupied()));
  }
};

/// Lists the first row of every key, in table order.
template <class Ref, class Row>
struct ListBucketKeys {
  Ref ref;
  const Row* places;
  Row* rows;
  KOKKOS_FUNCTION void operator()(std::int64_t b) const {
    const auto bucket = static_cast<std::uint64_t>(b);
    const TagBucketSlots& slots = ref.slots(bucket);
    Row place = places[bucket];
    for (std::uint32_t left = slots.occupied(); left != 0; left &= left - 1) {
      const std::uint64_t row = ref.row_in(slots, backends::lowest_bit(left));
      rows[place++] = static_cast<Row>(row - ref.row_base());
    }
  }
};

/// Inserts every key of `from` into the buckets of `to`, which are not initialised. Chains stay as
/// they are. Reads every key once, at random. Compares no keys, because all differ.
template <Engine Choice, class Exec, class Writer, class MemorySpace>
void reinsert_keys(const Exec& exec, const typename Writer::Ref& from, const Writer& to,
                   std::uint64_t num_keys, Workspace<MemorySpace>& workspace) {
  using Row = SecondOf<typename Writer::Record>;
  using Ref = typename Writer::Ref;
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const std::uint64_t buckets = from.num_buckets();
  const auto places = workspace.template take<Row>(exec, buckets + 1);
  const auto rows = workspace.template take<Row>(exec, num_keys);
  backends::for_each_index("hashmill::tag_bucket::rehash_count", exec, buckets + 1,
                           CountBucketKeys<Ref, Row>{from, places.data()});
  backends::exclusive_scan(exec, places, workspace);
  backends::for_each_index("hashmill::tag_bucket::rehash_list", exec, buckets,
                           ListBucketKeys<Ref, Row>{from, places.data(), rows.data()});
  PendingRows<Row, MemorySpace> all(RowList<Row>{rows.data(), 0, num_keys});
  TagTally tally;
  insert_rows<OnSameKey::never, Choice>(exec, to, all, true, tally, workspace);
}

}  // namespace hashmill::detail
