#include <algorithm>
#include <hashmill/shuffle.hpp>
#include <map>
#include <set>

#include "algorithms/group_by/mixed_rows.hpp"
#include "drawn_ranks.hpp"
#include "fuzz_step.hpp"

namespace hashmill::test {
namespace {

/// Rows of a rank: their numbers, and columns with nulls.
struct TravellingRows {
  std::vector<std::uint64_t> numbers;
  Optionals<std::int64_t> longs;
  Strings names;
  Optionals<std::int8_t> bytes;

  void push_back(const TravellingRows& from, std::size_t i) {
    numbers.push_back(from.numbers[i]);
    longs.push_back(from.longs[i]);
    names.push_back(from.names[i]);
    bytes.push_back(from.bytes[i]);
  }
  friend bool operator==(const TravellingRows&, const TravellingRows&) = default;
};
using RowsOfRanks = std::vector<TravellingRows>;

RowsOfRanks draw_rows(RandomSource& random, const DrawnRanks& ranks) {
  RowsOfRanks rows;
  std::uint64_t number = 0;
  const Numbers keys = random.numbers(random.chance(8) ? 20'000 : 2'000);
  for (const Numbers& of_rank : ranks.divide(random, keys).of_rank) {
    TravellingRows& some = rows.emplace_back();
    for (const std::uint64_t key : of_rank) {
      const auto is_null = [&](std::uint64_t one_in) { return random.below(one_in) == 0; };
      some.numbers.push_back(number++);
      some.longs.push_back(static_cast<std::int64_t>(key));
      some.names.push_back(std::string(random.below(30), static_cast<char>('a' + key % 23)));
      some.bytes.push_back(static_cast<std::int8_t>(key));
      if (is_null(9)) some.longs.back().reset();
      if (is_null(5)) some.names.back().reset();
      if (is_null(3)) some.bytes.back().reset();
    }
  }
  return rows;
}
template <class Received>
TravellingRows host_rows(const Received& received) {
  return {to_host(received.template column<0>()), host_column(received.template column<1>()),
          host_strings(received.template column<2>()), host_column(received.template column<3>())};
}
/// Where rows go whose rank is `rank_of(rank, i)`: they come by rank, then in its order.
template <class RankOf>
RowsOfRanks moved(const RowsOfRanks& rows, const RankOf& rank_of) {
  RowsOfRanks received(rows.size());
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    for (std::size_t i = 0; i < rows[rank].numbers.size(); ++i) {
      received[rank_of(rank, i)].push_back(rows[rank], i);
    }
  }
  return received;
}

/// What ranks do with their rows in a round.
enum class Move { shuffle, shuffle_by_columns, shuffle_to, collect, distribute };

/// One round: a move, and where `shuffle_to` and `collect` send rows.
struct Round {
  Move move;
  std::size_t root;
  ShuffleOptions options;
  std::vector<std::vector<std::uint16_t>> targets;
};
Round draw_round(RandomSource& random, const RowsOfRanks& rows) {
  constexpr Move moves[] = {Move::shuffle, Move::shuffle_by_columns, Move::shuffle_to,
                            Move::collect, Move::distribute};
  Round round{random.pick(moves),
              random.below(rows.size()),
              {Seed(random.below(3)), draw_compression(random), draw_levels(random)},
              {}};
  for (const TravellingRows& some : rows) {
    auto& targets = round.targets.emplace_back();
    const bool has_one = random.chance(4);
    for (std::size_t i = 0; i < some.numbers.size(); ++i) {
      targets.push_back(
          static_cast<std::uint16_t>(has_one ? round.root : random.below(rows.size())));
    }
  }
  return round;
}

/// Moves this rank's rows, and returns what it has then.
TravellingRows move_rows(const Communicator& ranks, const TravellingRows& rows, const Round& round,
                         Workspace<Memory>& workspace) {
  const auto numbers = to_device(rows.numbers);
  const DeviceValues<std::int64_t> longs(rows.longs);
  const DeviceStrings names(rows.names);
  const DeviceValues<std::int8_t> bytes(rows.bytes);
  const auto with_columns = [&](const auto& move) {
    return host_rows(move(numbers, longs.column(), names.column(), bytes.column()));
  };
  const int root = static_cast<int>(round.root);
  return with_columns([&](const auto&... moved) {
    switch (round.move) {
      case Move::shuffle:
        return shuffle(rank_exec(), ranks, longs.column(), round.options, workspace, moved...);
      case Move::shuffle_by_columns:
        return shuffle(rank_exec(), ranks, columns(names.column(), bytes.column()), round.options,
                       workspace, moved...);
      case Move::shuffle_to:
        return shuffle_to(rank_exec(), ranks,
                          to_device(round.targets[static_cast<std::size_t>(ranks.rank())]),
                          round.options, workspace, moved...);
      case Move::collect:
        return collect(rank_exec(), ranks, root, moved...);
      default:
        return distribute(rank_exec(), ranks, root, moved...);
    }
  });
}

/// The key by which a round shuffles a row.
auto key_of(const Round& round, const TravellingRows& rows, std::size_t i) {
  using Key = std::tuple<std::optional<std::int64_t>, std::optional<std::string>,
                         std::optional<std::int8_t>>;
  return round.move == Move::shuffle ? Key{rows.longs[i], {}, {}}
                                     : Key{{}, rows.names[i], rows.bytes[i]};
}
/// Where a round sends a row. Keys belong to the ranks where they were found, each to one.
auto rank_of_row(const Round& round, const RowsOfRanks& before, const RowsOfRanks& after) {
  std::map<decltype(key_of(round, before[0], 0)), std::size_t> owners;
  if (round.move == Move::shuffle || round.move == Move::shuffle_by_columns) {
    for (std::size_t rank = 0; rank < after.size(); ++rank) {
      for (std::size_t i = 0; i < after[rank].numbers.size(); ++i) {
        owners.emplace(key_of(round, after[rank], i), rank);
      }
    }
  }
  return [&round, &before, owners = std::move(owners)](std::size_t rank, std::size_t i) {
    const std::uint64_t ranks = before.size(), rows = before[rank].numbers.size();
    switch (round.move) {
      case Move::shuffle_to:
        return std::size_t{round.targets[rank][i]};
      case Move::collect:
        return round.root;
      case Move::distribute:
        for (std::uint64_t r = 0;; ++r) {
          if (i < backends::slice_begin(r + 1, ranks, rows)) return std::size_t{r};
        }
      default:
        const auto owner = owners.find(key_of(round, before[rank], i));
        if (owner == owners.end()) throw Mismatch("shuffle: a key arrived nowhere");
        return owner->second;
    }
  };
}

/// Moves rows of ranks in one way and another, and follows each.
void run_shuffles(RandomSource& random) {
  const DrawnRanks ranks(random);
  RowsOfRanks rows = draw_rows(random, ranks);
  for (std::uint64_t rounds = 1 + random.below(5); rounds != 0; --rounds) {
    const Round round = draw_round(random, rows);
    RowsOfRanks received(rows.size());
    ranks.run([&](const Communicator& communicator) {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      Workspace<Memory> workspace;
      received[rank] = move_rows(communicator, rows[rank], round, workspace);
    });
    const RowsOfRanks expected = moved(rows, rank_of_row(round, rows, received));
    if (received != expected) {
      throw Mismatch("rows after move " + std::to_string(static_cast<int>(round.move)));
    }
    rows = std::move(received);
  }
}

}  // namespace

std::vector<FuzzStep> shuffle_steps() { return {{"shuffle, collect, distribute", run_shuffles}}; }

}  // namespace hashmill::test
