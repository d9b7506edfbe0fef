#pragma once

#include <hashmill/join/detail/item_table.hpp>
#include <hashmill/join/detail/kept_pairs.hpp>

namespace hashmill::detail {

/// A pair of values of the two sides, aligned as these are.
template <class Left, class Right>
struct PlainItemPair {
  typename Left::Value first;
  typename Right::Value second;
};
/// A pair of values of the two sides. It moves in one access where left records, whose memory it
/// may take, are aligned so.
template <class Left, class Right,
          class Pair = RecordPair<typename Left::Value, typename Right::Value>>
using ItemPair = std::conditional_t<alignof(Pair) <= alignof(typename Left::record_type), Pair,
                                    PlainItemPair<Left, Right>>;

/// Whether pairs have values, and one fits the memory of a left record. Teams of a device write it
/// whole, so it must suit the record's alignment.
template <class Left, class Right, bool Team = false>
[[nodiscard]] constexpr bool fits_pair() {
  if constexpr (std::is_empty_v<typename Left::Value> || std::is_empty_v<typename Right::Value>) {
    return false;
  } else {
    using Pair = ItemPair<Left, Right>;
    using Record = typename Left::record_type;
    return sizeof(Pair) <= sizeof(Record) && (!Team || alignof(Pair) <= alignof(Record));
  }
}

/// Uses the pair of a left value and each match.
template <class Pair, class Left, class Use>
struct UsePair {
  Use use;
  Left left;
  template <class Right>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Right& right) const {
    use(Pair{left, right});
  }
};

/// Counts matches and keeps the last value. A row with one match needs no second walk.
template <class Value>
struct CountAndKeep {
  std::uint32_t* count;
  Value* kept;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Value& value) const {
    ++*count;
    *kept = value;
  }
};

/// A left record, the number of its matches, and one of them.
template <class LeftRecord, class RightValue>
struct FoundMatches {
  LeftRecord left{};
  RightValue kept{};
  std::uint32_t count = 0;

  /// Those of left record `j` of a table, of `left_count`; none beyond.
  template <class Table>
  KOKKOS_FORCEINLINE_FUNCTION FoundMatches(const Table& table, std::uint32_t j,
                                           std::uint32_t left_count) {
    if (j >= left_count) return;
    left = table.left(j);
    table.for_each_match(left, CountAndKeep<RightValue>{&count, &kept});
  }
};

template <class Value, class Out>
struct AppendMatch {
  Out* out;
  std::uint64_t* place;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Value& value) const { out[(*place)++] = value; }
};

/// Counts the pairs of each item on a host, and keeps those of its first left rows (see
/// `keep_pairs`). Items that share their left rows with other items keep none.
template <class Exec, class Parts, class Match>
struct KeepItemPairs {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Table = JoinItemTable<Exec, Parts, Match>;
  using Left = decltype(Parts::left);
  using Pair = ItemPair<Left, decltype(Parts::right)>;
  Parts parts;
  Match match;
  std::uint64_t* sizes;
  KeptPairs* kept;

  void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const JoinItem item = parts.items(number);
    const Table table(team, parts, match, item);
    KeptPairs first{0, 0};
    if (parts.items.owns_left(number)) first = keep(table, item);
    std::uint64_t sum = first.pairs;
    for (auto j = static_cast<std::uint32_t>(first.rows); j < item.left_count; ++j) {
      sum += table.count(table.left(j));
    }
    sizes[number] = sum;
    kept[number] = first;
  }

 private:
  [[nodiscard]] KeptPairs keep(const Table& table, const JoinItem& item) const {
    return keep_pairs<Pair>(parts.left_records + item.left_begin, item.left_count,
                            [table](const auto left, const auto& use) {
                              using Use = std::remove_cvref_t<decltype(use)>;
                              table.for_each_match(left, UsePair<Pair, typename Left::Value, Use>{
                                                             use, second_of(left)});
                            });
  }
};

}  // namespace hashmill::detail
