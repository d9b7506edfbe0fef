#pragma once

#include <hashmill/backends/lanes.hpp>
#include <hashmill/join/detail/keep_item_pairs.hpp>
#include <hashmill/join/detail/pair_buffer.hpp>

namespace hashmill::detail {

/// Puts a left value and each match into a buffer.
template <class Buffer, class Left, class Right>
struct PutMatch {
  Buffer& buffer;
  const Left& left;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Right& right) const { buffer.put(left, right); }
};

/// Writes the pairs of each item. The lanes of a group take neighbouring places together, so that
/// their writes are neighbours. They also share the matches of a row that has many.
template <class Exec, class Parts, class Match>
struct WriteItemPairs {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Lanes = backends::LaneGroup<Exec>;
  using Table = JoinItemTable<Exec, Parts, Match>;
  using Left = decltype(Parts::left);
  using Right = decltype(Parts::right);
  using LeftRecord = typename Left::record_type;
  using LeftValue = typename Left::Value;
  using RightValue = typename Right::Value;
  /// The most matches of a row that a lane writes alone, if there are other lanes.
  static constexpr std::uint32_t few = Lanes::lanes > 1 ? 2 : ~std::uint32_t{0};
  Parts parts;
  Match match;
  const std::uint64_t* places;
  LeftValue* left_out;
  RightValue* right_out;
  const KeptPairs* kept = nullptr;  // of each item, if any were

  [[nodiscard]] static std::size_t scratch_bytes(const JoinPartPlan& plan) {
    return JoinPartTable<Exec, Right>::scratch_bytes(plan) + 2 * sizeof(std::uint64_t);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const std::uint64_t begin = places[number];
    if (places[number + 1] == begin) return;
    const JoinItem item = parts.items(number);
    const KeptPairs first = kept == nullptr ? KeptPairs{0, 0} : kept[number];
    if constexpr (!backends::has_wide_teams<Exec>) {
      write_alone(team, item, begin, first);
      return;
    }
    if (first.rows == item.left_count) return;  // WriteKeptPairs writes all
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    auto* taken = static_cast<std::uint32_t*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(std::uint32_t), 8));
    if (rank == 0) *taken = 0;  // visible to all after the table's barriers
    const Table table(team, parts, match, item);
    const std::uint64_t pairs = places[number + 1] - begin - first.pairs;
    const bool many = pairs > few * (item.left_count - first.rows);
    write_together(team, table, item, static_cast<std::uint32_t>(first.rows), begin + first.pairs,
                   taken, many);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void write(const Table& table, const LeftRecord& left,
                                         const RightValue& kept, std::uint32_t count,
                                         std::uint64_t place) const {
    for (std::uint32_t k = 0; k < count; ++k) left_out[place + k] = second_of(left);
    if (count == 1) {
      right_out[place] = kept;
    } else {
      table.for_each_match(left, AppendMatch<RightValue, RightValue>{right_out, &place});
    }
  }
  /// A team of one thread writes the pairs that were kept, and after them those of the other rows.
  /// It need not count these rows.
  void write_alone(const Member& team, const JoinItem& item, std::uint64_t place,
                   const KeptPairs& first) const {
    PairBuffer buffer(left_out + place, right_out + place);
    if constexpr (fits_pair<Left, Right>()) {
      using Pair = ItemPair<Left, Right>;
      for_each_kept_pair<Pair>(parts.left_records + item.left_begin, first.pairs,
                               [&](const Pair& pair) { buffer.put(pair.first, pair.second); });
    }
    if (first.rows != item.left_count) {
      const Table table(team, parts, match, item);
      for (auto j = static_cast<std::uint32_t>(first.rows); j < item.left_count; ++j) {
        const LeftRecord left = table.left(j);
        using Put = PutMatch<decltype(buffer), LeftValue, RightValue>;
        table.for_each_match(left, Put{buffer, second_of(left)});
      }
    }
    buffer.flush();
  }
  /// Writes the pairs of the rows of each group of lanes, from row `from` on. `many`: some rows may
  /// have more than a few matches.
  KOKKOS_FORCEINLINE_FUNCTION void write_together(const Member& team, const Table& table,
                                                  const JoinItem& item, std::uint32_t from,
                                                  std::uint64_t begin, std::uint32_t* taken,
                                                  bool many) const {
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const Lanes lanes(rank);
    for (std::uint32_t first = from + rank - lanes.lane(); first < item.left_count; first += size) {
      const FoundMatches<LeftRecord, RightValue> found(table, first + lanes.lane(),
                                                       item.left_count);
      const std::uint32_t count = found.count;
      std::uint32_t total = 0, base = 0;
      const std::uint32_t before = lanes.sum_before(count, total);
      if (total == 0) continue;
      if (lanes.lane() == 0) base = backends::team_fetch_add<Exec>(taken, total);
      const std::uint64_t group_place = begin + lanes.broadcast(base, 0);
      if (count != 0 && (!many || count <= few)) {
        write(table, found.left, found.kept, count, group_place + before);
      }
      if (many) write_many(lanes, table, first, count, group_place, before);
    }
  }
  /// Writes the matches of each row of a group that has many. All lanes share each row.
  KOKKOS_FORCEINLINE_FUNCTION void write_many(const Lanes& lanes, const Table& table,
                                              std::uint32_t first, std::uint32_t count,
                                              std::uint64_t group_place,
                                              std::uint32_t before) const {
    for (unsigned owner = 0; owner < Lanes::lanes; ++owner) {
      if (lanes.broadcast(count, owner) <= few) continue;
      const LeftRecord left = table.left(first + owner);
      const JoinRun run = table.run(left);
      std::uint64_t place = group_place + lanes.broadcast(before, owner);
      for (std::uint32_t j = run.begin; j < run.end; j += Lanes::lanes) {
        RightValue value{};
        const bool mine =
            j + lanes.lane() < run.end && table.matches(left, j + lanes.lane(), value);
        std::uint32_t total = 0;
        const std::uint64_t mine_at = place + lanes.sum_before(mine ? 1 : 0, total);
        place += total;
        if (!mine) continue;
        left_out[mine_at] = second_of(left);
        right_out[mine_at] = value;
      }
    }
  }
};

}  // namespace hashmill::detail
