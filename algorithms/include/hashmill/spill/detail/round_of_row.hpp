#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <hashmill/distributed_join/detail/part_of_row.hpp>
#include <hashmill/error.hpp>
#include <hashmill/shuffle/detail/route_rows.hpp>
#include <string>

namespace hashmill::detail {

/// The bits of a route's hash that choose a round. The route is hashed again: ranks are chosen by
/// bits of the route itself, and rows that one rank owns agree in them.
struct RoundBits {
  unsigned shift = 0, bits = 0;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t rounds() const {
    return std::uint64_t{1} << bits;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t round_of(std::uint64_t route) const {
    return (murmur3_fmix64(route) >> shift) & (rounds() - 1);
  }
  /// Those that part a round again.
  [[nodiscard]] RoundBits next(unsigned more) const { return {shift + bits, more}; }
  /// Whether there are as many further ones.
  [[nodiscard]] bool has_next(unsigned more) const { return shift + bits + more <= 64; }
};

/// Throws InvalidArgument, which names `operation`, unless rows can be parted into so many rounds.
inline void require_rounds(const char* operation, std::uint64_t rounds) {
  constexpr std::uint64_t most = std::uint64_t{1} << 12;
  if (rounds >= 1 && rounds <= most) return;
  throw InvalidArgument(std::string(operation) + ": " + std::to_string(rounds) +
                        " rounds, but 1 to " + std::to_string(most) + " are possible");
}
/// The bits of so many rounds, rounded up to a power of two; of fewer where a slice of rows would
/// have less than 64 for each, since each has arrays of its own.
[[nodiscard]] inline unsigned round_bits(std::uint64_t rounds, std::uint64_t slice_rows) {
  const std::uint64_t most = std::max<std::uint64_t>(slice_rows / 64, 2);
  return static_cast<unsigned>(
      std::bit_width(std::min(std::bit_ceil(rounds), std::bit_floor(most))) - 1);
}

/// The round of row `first` + i. Rows that match nothing are dealt to all rounds, or go to the one
/// behind the last if they are dropped. Rounds below `lowest` count as that.
template <class Routes>
struct RoundOfRow {
  Routes route_of_row;
  RoundBits bits;
  std::uint64_t first, lowest;
  bool drops;

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    const auto key = route_of_row.keys(first + i);
    std::uint64_t round = 0;
    if (route_of_row.matches_nothing(key)) {
      if (drops) return bits.rounds();
      round = i & (bits.rounds() - 1);
    } else {
      round = bits.round_of(route_of(route_of_row.hash(key)));
    }
    return round < lowest ? lowest : round;
  }
};

/// Consecutive rows as a list for each round, in memory of a workspace: 26 bytes per row.
template <class Exec>
class RowLists {
 public:
  using MemorySpace = typename Exec::memory_space;

  /// `part_of(i)` is below `parts`.
  template <class PartOf>
  RowLists(const Exec& exec, std::uint64_t first, std::uint64_t rows, std::uint64_t parts,
           const PartOf& part_of, Workspace<MemorySpace>& workspace)
      : frame_(workspace), rows_(workspace.template take<std::uint64_t>(exec, rows)) {
    const RoutedRows<Exec> routed(exec, rows, parts, part_of, workspace);
    routed.put(exec, RowsFrom<std::uint64_t>{first}, rows, rows_.data());
    exec.fence("hashmill::spill: places are given back");
    begins_ = routed.begins();
  }
  /// The rows of a part.
  [[nodiscard]] const std::uint64_t* rows(std::size_t part) const {
    return rows_.data() + begins_[part];
  }
  [[nodiscard]] std::uint64_t count(std::size_t part) const {
    return begins_[part + 1] - begins_[part];
  }

  /// Where the rows of the parts `first` to `last` - 1 begin behind `rows(first)`, and their end.
  [[nodiscard]] std::vector<std::uint64_t> begins(std::size_t first, std::size_t last) const {
    std::vector<std::uint64_t> begins;
    for (std::size_t p = first; p <= last; ++p) begins.push_back(begins_[p] - begins_[first]);
    return begins;
  }

 private:
  typename Workspace<MemorySpace>::Frame frame_;
  typename Workspace<MemorySpace>::template Array<std::uint64_t> rows_;
  std::vector<std::uint64_t> begins_;
};

}  // namespace hashmill::detail
