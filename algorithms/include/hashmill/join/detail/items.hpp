#pragma once

#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/join/detail/join_bytes.hpp>
#include <hashmill/join/detail/part_table.hpp>
#include <hashmill/join/detail/rows_in_parts.hpp>
#include <hashmill/partition/detail/partition_records.hpp>
#include <hashmill/primitives/detail/expand_rows.hpp>

namespace hashmill::detail {

/// The part of a record of a side: the highest `bits` bits of its hash.
template <class RecordHash>
struct HashPart {
  RecordHash record_hash;
  unsigned bits;
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const Record& record) const {
    const auto hash = record_hash(record);
    return hash >> 1 >> (8 * sizeof(hash) - 1 - bits);
  }
};

/// What one team joins: some right rows of a part, which become a table, and some left rows of the
/// same part, which are looked up in it.
struct JoinItem {
  std::uint64_t right_begin, left_begin;
  std::uint32_t right_count, left_count;
};

/// The items into which the parts of a join are cut. An item has at most `plan.capacity` right rows
/// and `plan.left_rows` left rows, even if one key has more.
template <class Offset>
struct JoinItems {
  const Offset* right;  // where each part's rows begin, and the end of the last
  const Offset* left;
  JoinPartPlan plan;
  const std::uint64_t* first_item = nullptr;  // of each part, and one past the last
  const std::uint32_t* part_of = nullptr;     // of each item

  /// Number of pieces of at most `most` rows.
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION std::uint64_t pieces(std::uint64_t rows,
                                                                        std::uint32_t most) {
    return rows / most + (rows % most != 0 ? 1 : 0);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count(std::uint64_t part) const {
    return pieces(right[part + 1] - right[part], plan.capacity) *
           pieces(left[part + 1] - left[part], plan.left_rows);
  }
  /// Whether no other item has the left rows of item `number`.
  [[nodiscard]] KOKKOS_FUNCTION bool owns_left(std::uint64_t number) const {
    const std::uint64_t part = part_of[number];
    return right[part + 1] - right[part] <= plan.capacity;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION JoinItem operator()(std::uint64_t number) const {
    const std::uint64_t part = part_of[number];
    const std::uint64_t right_begin = right[part], right_end = right[part + 1];
    const std::uint64_t left_begin = left[part], left_end = left[part + 1];
    const std::uint64_t right_pieces = pieces(right_end - right_begin, plan.capacity);
    const std::uint64_t within = number - first_item[part];
    const std::uint64_t r = right_begin + within % right_pieces * plan.capacity;
    const std::uint64_t l = left_begin + within / right_pieces * plan.left_rows;
    return {r, l, at_most(plan.capacity, right_end - r), at_most(plan.left_rows, left_end - l)};
  }

 private:
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t at_most(std::uint32_t most,
                                                                         std::uint64_t rows) {
    return rows < most ? static_cast<std::uint32_t>(rows) : most;
  }
};

/// The records of both sides of a join, by part, and the items of the parts. `Left` and `Right`
/// tell what the records mean, such as KeyedRecords.
template <class Left, class Right, class Offset>
struct JoinParts {
  Left left;
  Right right;
  typename Left::record_type* left_records;
  const typename Right::record_type* right_records;
  JoinItems<Offset> items;
};

template <class Offset>
struct CountItems {
  JoinItems<Offset> items;
  std::uint64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t part) const {
    counts[part] = items.count(static_cast<std::uint64_t>(part));
  }
};

/// Numbers the items of `num_parts` parts, in memory of `workspace`. Returns their count. Waits for
/// `exec`.
template <class Exec, class Offset, class MemorySpace>
std::uint64_t number_items(const Exec& exec, std::uint64_t num_parts, JoinItems<Offset>& items,
                           Workspace<MemorySpace>& workspace) {
  const auto first = workspace.template take<std::uint64_t>(exec, num_parts + 1);
  Kokkos::deep_copy(exec, Kokkos::subview(first, num_parts), std::uint64_t{0});
  backends::for_each_index("hashmill::join::count_items", exec, num_parts,
                           CountItems<Offset>{items, first.data()});
  backends::exclusive_scan(exec, first, workspace);
  const std::uint64_t count = backends::fetch(
      exec, first, num_parts, "hashmill::join: the number of items decides what is launched next");
  const auto part_of = workspace.template take<std::uint32_t>(exec, count);
  expand_rows("hashmill::join::part_of_item", exec, first.data(), num_parts, 0, count,
              part_of.data());
  items.first_item = first.data();
  items.part_of = part_of.data();
  return count;
}

/// Partitions a side: all of it, or each of the parts in which it lies.
template <class Offset, class Exec, class Side, class MemorySpace>
auto partition_side(const Exec& exec, const Side& side,
                    [[maybe_unused]] const RowsInParts<std::uint32_t>& parts, unsigned part_bits,
                    Workspace<MemorySpace>& workspace) {
  const HashPart<decltype(side.records.record_hash())> part_of{side.records.record_hash(),
                                                               part_bits};
  if constexpr (std::is_same_v<Offset, std::uint32_t>) {
    if (parts.parts != 0) {
      return partition_ranges(exec, parts.ranges(), side, side.size(), part_of, part_bits,
                              workspace);
    }
  }
  return partition_records<Offset>(exec, side, side.size(), part_of, part_bits, workspace);
}

/// Partitions both sides, cuts the parts into items, and counts these. Waits for `exec`. Takes
/// memory for the whole join at once, if the workspace lends none yet. Sides that lie in `parts`
/// need fewer bits: their hash only divides these.
template <class Offset, class Exec, class Left, class Right, class MemorySpace>
auto partition_sides(const Exec& exec, const Left& left, const Right& right,
                     const SidesInParts& parts, std::uint64_t& num_items,
                     Workspace<MemorySpace>& workspace) {
  using LeftRecords = typename Left::Records;
  using RightRecords = typename Right::Records;
  const std::uint64_t in_parts =
      std::is_same_v<Offset, std::uint32_t> && parts.exist() ? parts.right.parts : 1;
  const JoinPartPlan plan =
      JoinPartTable<Exec, RightRecords>::plan((right.size() + in_parts - 1) / in_parts);
  workspace.reserve(
      exec, partitioned_bytes<LeftRecords, RightRecords, Offset>(exec, left.size(), right.size())
                .in_one_piece());
  const auto right_parts =
      partition_side<Offset>(exec, right, parts.right, plan.part_bits, workspace);
  const auto left_parts = partition_side<Offset>(exec, left, parts.left, plan.part_bits, workspace);
  JoinItems<Offset> items{right_parts.offsets, left_parts.offsets, plan};
  num_items = number_items(exec, in_parts << plan.part_bits, items, workspace);
  return JoinParts<LeftRecords, RightRecords, Offset>{
      left.records, right.records, left_parts.records, right_parts.records, items};
}

}  // namespace hashmill::detail
