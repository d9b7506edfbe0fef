#pragma once

#include <cstring>
#include <hashmill/detail/join/item_table.hpp>

namespace hashmill::detail {

/// Pairs of an item that were kept when they were counted: all those of its first `rows` left rows,
/// in the memory where these rows' records were.
struct KeptPairs {
  std::uint32_t rows, pairs;
};

/// The pairs kept of an item whose left rows begin at `rows`.
template <class Left, class Right>
class KeptPairsMemory {
  using Record = typename Left::record_type;

 public:
  using Pair = RecordPair<typename Left::Value, typename Right::Value>;
  explicit KeptPairsMemory(Record* rows) : bytes_(reinterpret_cast<std::byte*>(rows)) {}

  void store(std::uint32_t place, const Pair& pair) const {
    std::memcpy(bytes_ + place * sizeof(Pair), &pair, sizeof(Pair));
  }
  [[nodiscard]] Pair load(std::uint32_t place) const {
    Pair pair;
    std::memcpy(&pair, bytes_ + place * sizeof(Pair), sizeof(Pair));
    return pair;
  }
  void prefetch(std::uint32_t place, std::uint32_t count) const {
    backends::prefetch_stream(bytes_ + place * sizeof(Pair), count * sizeof(Pair));
  }

 private:
  std::byte* bytes_;
};

/// Whether pairs have values, and the memory of a left record has room for one.
template <class Left, class Right>
[[nodiscard]] constexpr bool fits_pair() {
  if constexpr (std::is_empty_v<typename Left::Value> || std::is_empty_v<typename Right::Value>) {
    return false;
  } else {
    return sizeof(typename KeptPairsMemory<Left, Right>::Pair) <=
           sizeof(typename Left::record_type);
  }
}

/// Counts a match of a left row and keeps the pair, if it is among the first `room` of the item's.
template <class Memory, class LeftValue>
struct CountAndKeepPair {
  const Memory& memory;
  LeftValue left;
  std::uint32_t room;
  std::uint32_t* count;
  template <class RightValue>
  void operator()(const RightValue& right) const {
    if (*count < room) memory.store(*count, {left, right});
    ++*count;
  }
};

/// Counts the pairs of each item on a host, and keeps them as long as they are no more than the
/// left rows before: where those have one match each at most, all, and they need not be looked up a
/// second time to be written. Not of items that share their left rows with others.
template <class Exec, class Parts, class Match>
struct KeepItemPairs {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Table = JoinItemTable<Exec, Parts, Match>;
  using Left = decltype(Parts::left_side);
  using Memory = KeptPairsMemory<Left, decltype(Parts::right_side)>;
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
    for (std::uint32_t j = first.rows; j < item.left_count; ++j) sum += table.count(table.left(j));
    sizes[number] = sum;
    kept[number] = first;
  }

 private:
  [[nodiscard]] KeptPairs keep(const Table table, const JoinItem item) const {
    auto* const rows = parts.left_records + item.left_begin;
    const Memory memory(rows);
    std::uint32_t pairs = 0;
    for (std::uint32_t j = 0; j < item.left_count; ++j) {
      const auto left = rows[j];
      std::uint32_t count = pairs;
      table.for_each_match(left, CountAndKeepPair<Memory, typename Left::Value>{
                                     memory, second_of(left), j + 1, &count});
      if (count > j + 1) {  // this row's pairs are where it was, and where the next one is
        rows[j] = left;
        return {j, pairs};
      }
      pairs = count;
    }
    return {item.left_count, pairs};
  }
};

}  // namespace hashmill::detail
