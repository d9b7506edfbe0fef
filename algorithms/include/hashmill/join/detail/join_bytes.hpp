#pragma once

#include <hashmill/hash_graph/detail/plan.hpp>
#include <hashmill/join/detail/kept_pairs.hpp>
#include <hashmill/join/detail/part_table.hpp>
#include <hashmill/join_filter/detail/filter_blocks.hpp>
#include <hashmill/partition/detail/level_bytes.hpp>
#include <hashmill/primitives/detail/sized_output.hpp>

namespace hashmill::detail {

// Bytes of workspace that joins of given sizes take. They are upper bounds, and close to what is
// taken: a join reserves as many.

/// What notes of matched and unmatched rows of a side take: a bit each, and places of tiles.
[[nodiscard]] inline std::uint64_t note_bytes(std::uint64_t rows) {
  return rows / 8 + (item_tiles(rows) + 1) * sizeof(std::uint64_t);
}

/// Bytes of the records of a side that stay until the join ends, and of what partitioning them
/// takes beside these.
struct SideBytes {
  std::uint64_t kept;
  std::uint64_t passing;
};
template <class Record, class Offset, class Exec>
[[nodiscard]] SideBytes side_bytes(const Exec& exec, std::uint64_t rows, unsigned part_bits) {
  constexpr bool team = backends::has_wide_teams<Exec>;
  const LevelPlan plan(part_bits, max_level_bits<Exec, Record, team>(exec));
  const std::uint64_t copies = plan.levels == 1 ? 1 : 2;
  const std::uint64_t offsets = ((std::uint64_t{1} << plan.bits) + 1) * sizeof(Offset);
  const std::uint64_t records =
      checked_multiply(copies, checked_bytes<Record>(rows, "records"), "records");
  return {checked_add(records, offsets, "records"),
          levels_bytes<team, Record, Offset>(exec, plan, rows)};
}

/// Bytes that a partitioned join takes: in one piece, or from a workspace that lends memory to
/// somebody else already, which gives each array memory of its own.
///
/// Further items of a part that outgrows an item on both sides are not counted. Such a part holds
/// keys with more pairs than these items take bytes.
struct PartitionedBytes {
  SideBytes left, right;
  std::uint64_t later;  // once both sides are partitioned
  [[nodiscard]] std::uint64_t kept() const {
    return checked_add(left.kept, right.kept, "records of a join");
  }
  [[nodiscard]] std::uint64_t in_one_piece() const {
    return checked_add(kept(), std::max({left.passing, right.passing, later}), "join");
  }
  [[nodiscard]] std::uint64_t in_pieces() const {
    return checked_add(kept(), left.passing + right.passing + later, "join");
  }
};
template <class Left, class Right, class Offset, class Exec>
[[nodiscard]] PartitionedBytes partitioned_bytes(const Exec& exec, std::uint64_t left_rows,
                                                 std::uint64_t right_rows) {
  const JoinPartPlan plan = JoinPartTable<Exec, Right>::plan(right_rows);
  using LeftRecord = typename Left::record_type;
  using RightRecord = typename Right::record_type;
  const std::uint64_t parts = std::uint64_t{1} << plan.part_bits;
  const std::uint64_t items = parts + left_rows / plan.left_rows + right_rows / plan.capacity + 1;
  const std::uint64_t of_items =
      (parts + 1) * sizeof(std::uint64_t) +
      items * (sizeof(std::uint32_t) + sizeof(std::uint64_t) + sizeof(KeptPairs));
  return {side_bytes<LeftRecord, Offset>(exec, left_rows, plan.part_bits),
          side_bytes<RightRecord, Offset>(exec, right_rows, plan.part_bits),
          of_items + note_bytes(left_rows) + note_bytes(right_rows) +
              rounding_bytes(left_rows, right_rows)};
}

/// Bytes that looking up the left rows in a table takes.
[[nodiscard]] inline std::uint64_t look_up_bytes(std::uint64_t left_rows,
                                                 std::uint64_t right_rows) {
  const std::uint64_t offsets =
      checked_bytes<std::uint64_t>(checked_add(left_rows, 1, "queries"), "queries");
  return checked_add(
      offsets,
      note_bytes(left_rows) + note_bytes(right_rows) + rounding_bytes(left_rows, right_rows),
      "queries");
}

/// Bytes that filtering the left rows takes, if all of them pass. Sampling takes less.
template <class Row>
[[nodiscard]] std::uint64_t filtering_bytes(std::uint64_t left_rows, std::uint64_t right_rows) {
  const std::uint64_t bitmap = std::min<std::uint64_t>(filter_span_limit / 8, 8 * left_rows);
  const std::uint64_t filter = std::max(bitmap, right_rows) + right_rows / 16;
  return checked_add(
      checked_bytes<Row>(left_rows, "rows"),
      filter + left_rows + 2 * note_bytes(left_rows) + rounding_bytes(left_rows, right_rows),
      "rows");
}

/// Bytes that ordering so many pairs takes.
template <class Row, class Exec>
[[nodiscard]] std::uint64_t ordering_bytes(const Exec& exec, std::uint64_t pairs) {
  constexpr bool team = backends::has_wide_teams<Exec>;
  using Record = RecordPair<Row, Row>;
  const unsigned bits = max_level_bits<Exec, Record, team, team>(exec);
  const std::uint64_t records = checked_multiply(2, checked_bytes<Record>(pairs, "pairs"), "pairs");
  return checked_add(
      records,
      levels_bytes<team, Record, std::uint64_t, team>(exec, LevelPlan(bits, bits), pairs) +
          rounding_bytes(pairs, 0),
      "pairs");
}

}  // namespace hashmill::detail
