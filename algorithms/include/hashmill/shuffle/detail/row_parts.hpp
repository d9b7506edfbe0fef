#pragma once

#include <algorithm>
#include <hashmill/capacity.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/leads.hpp>
#include <hashmill/shuffle/detail/relay_plan.hpp>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// What a rank would do about compression. All ranks do what one of them wishes.
enum class CompressionWish : std::uint64_t {
  none,      ///< columns are sent as they are
  compress,  ///< each rank compresses columns where that pays
  measure    ///< likewise, after the rate of the link was measured
};

/// How many parts rows are cut into, to travel in rounds. What a rank receives in a round can be
/// cut further, for its own use: the cuts of a part lie side by side and travel together.
struct PartShape {
  std::uint64_t ranks;
  std::uint64_t rounds = 1;
  bool for_all = false;    ///< whether there is a part that all ranks receive
  bool drops = false;      ///< whether there is a part that no rank receives
  std::uint64_t cuts = 1;  ///< of each part for one rank; a power of 2

  /// The parts of one rank's rows that are sent.
  [[nodiscard]] std::uint64_t parts() const { return ranks * rounds + (for_all ? 1 : 0); }
  /// The part that is for all ranks.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t part_for_all() const {
    return ranks * rounds;
  }

  // Rows are brought into the order of cells: the cuts of each part for one rank, then the part for
  // all ranks, then what is not sent.

  /// The number of cells.
  [[nodiscard]] std::uint64_t cells() const {
    return ranks * rounds * cuts + (for_all ? 1 : 0) + (drops ? 1 : 0);
  }
  /// The first cell of a part, and the end of the last one.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t first_cell(std::uint64_t part) const {
    return part <= ranks * rounds ? part * cuts : ranks * rounds * cuts + 1;
  }
  /// The cell of what is not sent, behind all others.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t dropped_cell() const {
    return ranks * rounds * cuts + (for_all ? 1 : 0);
  }
};

/// Rows that all ranks have in the same order, among those of each: from `begin` to `end`.
struct ReplicatedRows {
  std::uint64_t begin = 0, end = 0;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool has(std::uint64_t row) const {
    return row >= begin && row < end;
  }
};

/// What ranks tell each other with the sizes of their parts. What they have in common is the
/// greatest wish, the most bytes, and the least rate that is known.
struct TravelNotes {
  CompressionWish wish = CompressionWish::none;
  std::uint64_t bytes = 0;             ///< that a rank sends
  std::uint64_t bytes_per_second = 0;  ///< of its link; 0: not known

  void add(const TravelNotes& other) {
    wish = std::max(wish, other.wish);
    bytes = std::max(bytes, other.bytes);
    const bool is_less = bytes_per_second == 0 || other.bytes_per_second < bytes_per_second;
    if (other.bytes_per_second != 0 && is_less) bytes_per_second = other.bytes_per_second;
  }
};

/// Rows that travel between ranks in rounds. Numbers are those of the first row, and of the end.
///
///     out    a part for each round and rank, round by round; then perhaps a part for all ranks
///     in     of each round a piece from each rank; in the last one then each rank's part for all
///     leads  of each piece in `in`, the lead of the part that it is. Empty if not known
///     cells  likewise, of what this rank passes on; the parts for all come from its first
///            communicator. Empty where rows go straight
struct RowParts {
  PartShape shape{1};
  std::vector<std::uint64_t> out;
  std::vector<std::vector<std::uint64_t>> in;
  TravelNotes notes{};                       ///< of all ranks
  std::shared_ptr<const RelayPlan> relay{};  ///< null: rows go straight
  std::vector<std::vector<std::uint64_t>> cells{};
  std::vector<std::vector<std::uint64_t>> leads{};

  /// The same parts of another array: `begins_of` makes its numbers from those of the rows. Leads
  /// are not known.
  template <class BeginsOf>
  [[nodiscard]] RowParts map(const BeginsOf& begins_of) const {
    RowParts mapped{shape, begins_of(out), {}, notes, relay, {}};
    for (const auto& begins : in) mapped.in.push_back(begins_of(begins));
    for (const auto& begins : cells) mapped.cells.push_back(begins_of(begins));
    return mapped;
  }
  /// Whether the part for all ranks travels in a round.
  [[nodiscard]] bool sends_to_all_in(std::size_t round) const {
    return shape.for_all && round + 1 == shape.rounds;
  }

  /// Calls `use(part)` for the parts that are for a rank in a round.
  template <class Use>
  void for_each_part(std::size_t round, int rank, const Use& use) const {
    use(round * shape.ranks + static_cast<std::size_t>(rank));
    if (sends_to_all_in(round)) use(shape.part_for_all());
  }
  /// Calls `use(piece)` for the pieces that come from a rank in a round.
  template <class Use>
  void for_each_piece(std::size_t round, int rank, const Use& use) const {
    const auto piece = static_cast<std::size_t>(rank);
    use(piece);
    if (sends_to_all_in(round)) use(shape.ranks + piece);
  }
  /// Those that come in a round, behind all others, and are for all ranks.
  [[nodiscard]] ReplicatedRows replicated(std::size_t round) const {
    return {in[round][shape.ranks], in[round].back()};
  }
};

/// Tells all ranks how much they receive, and what this one notes. `out` has zeros where the call
/// fails.
inline RowParts exchange_sizes(CollectiveCall& call, const PartShape& shape,
                               std::vector<std::uint64_t> out, const TravelNotes& notes = {}) {
  const std::size_t sizes = shape.rounds + (shape.for_all ? 1 : 0), words = sizes + 3;
  std::vector<std::uint64_t> letters, received(shape.ranks * words);
  for (std::size_t r = 0; r < shape.ranks; ++r) {
    for (std::size_t round = 0; round < sizes; ++round) {
      const bool is_for_all = round == shape.rounds;
      const std::size_t part = is_for_all ? shape.part_for_all() : round * shape.ranks + r;
      letters.push_back((out[part + 1] - out[part]) * lead_unit + lead_of(out[part]));
    }
    letters.insert(letters.end(),
                   {static_cast<std::uint64_t>(notes.wish), notes.bytes, notes.bytes_per_second});
  }
  call.exchange_words(letters, received, "exchange sizes");
  RowParts parts{shape, std::move(out), {}};
  for (std::size_t round = 0; round < sizes; ++round) {
    if (round < shape.rounds) {
      parts.in.push_back({0});
      parts.leads.emplace_back();
    }
    std::vector<std::uint64_t>& pieces = parts.in.back();
    for (std::size_t r = 0; r < shape.ranks; ++r) {
      const std::uint64_t letter = received[r * words + round];
      pieces.push_back(checked_add(pieces.back(), letter / lead_unit, "rows that a rank receives"));
      parts.leads.back().push_back(letter % lead_unit);
    }
  }
  for (std::size_t r = 0; r < shape.ranks; ++r) {
    const std::uint64_t* const theirs = &received[r * words + sizes];
    parts.notes.add({CompressionWish{theirs[0]}, theirs[1], theirs[2]});
  }
  return parts;
}

/// Lets parts go by way of relays, and tells these how much passes them. Collective.
inline void exchange_relay_sizes(RowParts& parts, std::shared_ptr<const RelayPlan> relay) {
  const PartShape& shape = parts.shape;
  const std::size_t size = relay->second_size(), sources = relay->first_size();
  const std::size_t words = shape.rounds * size + (shape.for_all ? 1 : 0);
  std::vector<std::uint64_t> letters, received(sources * words);
  const auto add = [&](std::size_t part) {
    letters.push_back(parts.out[part + 1] - parts.out[part]);
  };
  for (std::size_t x = 0; x < sources; ++x) {
    for (std::size_t round = 0; round < shape.rounds; ++round) {
      relay->of_x(x).for_each([&](std::size_t rank) { add(round * shape.ranks + rank); });
    }
    if (shape.for_all) add(shape.part_for_all());
  }
  relay->first().all_to_all(std::span<const std::uint64_t>(letters), std::span(received),
                            "exchange sizes of relays");
  for (std::size_t round = 0; round < shape.rounds; ++round) {
    std::vector<std::uint64_t> counts(shape.ranks);
    for (std::size_t x = 0; x < sources; ++x) {
      const std::uint64_t* next = &received[x * words + round * size];
      relay->of_x(x).for_each([&](std::size_t cell) { counts[cell] = *next++; });
    }
    for (std::size_t x = 0; parts.sends_to_all_in(round) && x < sources; ++x) {
      counts.push_back(received[(x + 1) * words - 1]);
    }
    std::vector<std::uint64_t>& begins = parts.cells.emplace_back(1, 0);
    for (const std::uint64_t count : counts) {
      begins.push_back(checked_add(begins.back(), count, "rows that a rank passes on"));
    }
  }
  parts.relay = std::move(relay);
}

/// The parts of another array that travels with rows, whose parts begin at `out`. Collective.
inline RowParts exchange_sizes_beside(CollectiveCall& call, const RowParts& rows,
                                      std::vector<std::uint64_t> out) {
  RowParts parts = exchange_sizes(call, rows.shape, std::move(out));
  if (rows.relay != nullptr) exchange_relay_sizes(parts, rows.relay);
  return parts;
}

}  // namespace hashmill::detail
